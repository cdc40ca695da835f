"""POST /runs/{runId}/interrupts/{nodeId}, and the token surface (wire contract §13; cases A, C)."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.vocabulary import Scope
from tests import factories
from tests.factories import register
from tests.surfaces.rest.api import KEY, Answer, Api, wire

pytestmark = pytest.mark.django_db


def resolve(api: Api, run_id: str, value: Any, node_id: str = "gate", **headers: str) -> Answer:
    return api.post(f"/runs/{wire(run_id)}/interrupts/{node_id}", {"resumeValue": value}, **headers)


def test_an_answer_that_decides_tells_the_status_it_leads_to(api: Api, gate_run: str) -> None:
    answer = resolve(api, gate_run, {"action": "accept"})
    assert answer.status == 200
    assert answer.fits("resolve-interrupt-response")
    assert answer.body == {"runId": gate_run, "nodeId": "gate", "status": "completed"}


def test_the_log_says_who_decided_as_the_key_knows_them(api: Api, gate_run: str) -> None:
    resolve(api, gate_run, {"action": "reject", "feedback": "too dear", "voter": "somebody-else"})
    resolved = factories.last(gate_run, "interrupt.resolved")
    assert (resolved["action"], resolved["decision"]) == ("reject", "rejected")
    assert resolved["resolvedBy"] == factories.run_of(gate_run).owner["subject"]


def test_an_answer_that_does_not_decide_leaves_the_run_waiting(api: Api) -> None:
    register(factories.one_gate(requiredApprovals=2))
    run_id = api.post("/runs", {"workflowId": "flow"}).body["runId"]
    assert resolve(api, run_id, {"action": "accept"}).body["status"] == "waiting-approval"
    other = Api(factories.api_key("otto"))
    assert resolve(other, run_id, {"action": "accept"}).body["status"] == "completed"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "resumeValue"),
        ({"resumeValue": {"action": "accept"}, "extra": 1}, "extra"),
        ([], ""),
        ("accept", ""),
        ({"action": "accept"}, "action"),
    ],
)
def test_a_body_without_the_right_shape_is_refused_and_the_gate_stays_open(
    api: Api, gate_run: str, body: Any, field: str
) -> None:
    details = api.post(f"/runs/{wire(gate_run)}/interrupts/gate", body).refused(400, "validation_error")
    assert details["field"] == field
    assert factories.status(gate_run) == "waiting-approval"


@pytest.mark.parametrize(
    "value",
    [
        None,
        {},
        [],
        "accept",
        {"action": "timeout"},
        {"action": "other"},
        {"action": "refine"},
        {"action": "edit-accept"},
    ],
)
def test_a_value_that_is_no_answer_is_refused_and_the_gate_stays_open(api: Api, gate_run: str, value: Any) -> None:
    resolve(api, gate_run, value).refused(400, "validation_error")
    assert factories.status(gate_run) == "waiting-approval"
    assert "interrupt.resolved gate" not in factories.trail(gate_run)


def test_somebody_the_gate_does_not_name_is_forbidden_and_the_gate_stays_open(api: Api) -> None:
    register(factories.one_gate(approversList=["urn:conformance:listed-approver"]))
    run_id = api.post("/runs", {"workflowId": "flow"}).body["runId"]
    resolve(api, run_id, {"action": "accept", "voter": "urn:conformance:listed-approver"}).refused(403, "forbidden")
    resolve(api, run_id, {"action": "nonsense"}).refused(403, "forbidden")
    assert factories.status(run_id) == "waiting-approval"


def test_a_node_of_no_such_workflow_and_one_that_never_waited_are_not_found(api: Api) -> None:
    register(factories.chain(factories.node("before"), factories.gate_node("a:b~c"), factories.node("later")))
    run_id = api.post("/runs", {"workflowId": "flow"}).body["runId"]
    for node_id in ("nothing", "before", "later", "gate", "a", "a%253Ab", "%00", "x" * 200):
        resolve(api, run_id, {"action": "accept"}, node_id).refused(404, "not_found")
    api.send("POST", f"/runs/{wire(run_id)}/interrupts/nothing", b"{").refused(404, "not_found")
    assert resolve(api, run_id, {"action": "accept"}, "a%3Ab~c").body["nodeId"] == "a:b~c"


@pytest.mark.parametrize("ending", ["accept", "reject", "cancel"])
@pytest.mark.parametrize(
    "raw", [b'{"resumeValue":{"action":"accept"}}', b"{", b'{"resumeValue":{"action":"nonsense"}}']
)
def test_a_run_that_has_ended_says_already_resolved_whatever_is_sent(
    api: Api, gate_run: str, ending: str, raw: bytes
) -> None:
    if ending == "cancel":
        api.post(f"/runs/{wire(gate_run)}/cancel", {})
    else:
        resolve(api, gate_run, {"action": ending})
    ended = factories.trail(gate_run)
    api.send("POST", f"/runs/{wire(gate_run)}/interrupts/gate", raw).refused(409, "interrupt_already_resolved")
    assert factories.trail(gate_run) == ended


def test_a_gate_answered_earlier_in_a_run_that_still_waits_says_already_resolved(api: Api) -> None:
    register(factories.chain(factories.gate_node("first"), factories.gate_node("second")))
    run_id = api.post("/runs", {"workflowId": "flow"}).body["runId"]
    assert resolve(api, run_id, {"action": "accept"}, "first").body["status"] == "waiting-approval"
    resolve(api, run_id, {"action": "accept"}, "first").refused(409, "interrupt_already_resolved")
    assert resolve(api, run_id, {"action": "accept"}, "second").body["status"] == "completed"


def test_the_same_key_gives_the_success_again_where_a_new_answer_would_be_too_late(api: Api, gate_run: str) -> None:
    first = resolve(api, gate_run, {"action": "accept"}, Idempotency_Key=KEY)
    again = resolve(api, gate_run, {"action": "accept"}, Idempotency_Key=KEY)
    assert (again.status, again.raw) == (200, first.raw)
    assert again.headers["OpenWOP-Idempotent-Replay"] == "true"
    resolve(api, gate_run, {"action": "reject"}, Idempotency_Key=KEY).refused(409, "idempotency_key_mismatch")
    resolve(api, gate_run, {"action": "accept"}).refused(409, "interrupt_already_resolved")


def test_being_too_late_is_itself_kept_and_given_again(api: Api, gate_run: str) -> None:
    resolve(api, gate_run, {"action": "accept"})
    first = resolve(api, gate_run, {"action": "reject"}, Idempotency_Key=KEY)
    again = resolve(api, gate_run, {"action": "reject"}, Idempotency_Key=KEY)
    first.refused(409, "interrupt_already_resolved")
    assert (again.status, again.raw, again.headers["OpenWOP-Idempotent-Replay"]) == (409, first.raw, "true")


def test_a_refused_value_does_not_use_up_its_key(api: Api, gate_run: str) -> None:
    resolve(api, gate_run, {"action": "nonsense"}, Idempotency_Key=KEY).refused(400, "validation_error")
    assert resolve(api, gate_run, {"action": "accept"}, Idempotency_Key=KEY).status == 200


def test_a_key_may_be_used_for_two_endpoints(api: Api, gate_run: str) -> None:
    assert api.post("/runs", {"workflowId": "flow"}, Idempotency_Key=KEY).status == 201
    assert resolve(api, gate_run, {"action": "accept"}, Idempotency_Key=KEY).status == 200


@pytest.mark.parametrize(
    "token",
    [
        "x",
        "ow2.hs256.nokid.payload.mac",
        "ow2.",
        "ow2.none.k.p.",
        "é",
        "%00",
        "a%20b",
        "openwop-conformance-unknown-token",
    ],
)
def test_no_token_is_one_of_ours(api: Api, anonymous: Api, token: str) -> None:
    for caller in (anonymous, api):
        caller.get(f"/interrupts/{token}").refused(401, "interrupt_token_invalid")
        caller.post(f"/interrupts/{token}", {"resumeValue": None}).refused(401, "interrupt_token_invalid")
        caller.send("POST", f"/interrupts/{token}", b"{", Idempotency_Key="short").refused(
            401, "interrupt_token_invalid"
        )


def test_a_reader_may_not_answer(api: Api, gate_run: str) -> None:
    reader = Api(factories.api_key("rita", scopes=[Scope.RUNS_READ]))
    assert resolve(reader, gate_run, {"action": "accept"}).refused(403, "forbidden") == {
        "scopeRequired": "approvals:respond"
    }


def test_another_person_with_the_same_idempotency_key_is_not_told_that_they_voted(api: Api) -> None:
    register(factories.one_gate(requiredApprovals=2))
    run_id = api.post("/runs", {"workflowId": "flow"}).body["runId"]
    assert resolve(api, run_id, {"action": "accept"}, Idempotency_Key=KEY).status == 200
    other = Api(factories.api_key("otto"))
    resolve(other, run_id, {"action": "accept"}, Idempotency_Key=KEY).refused(409, "idempotency_key_mismatch")
    again = resolve(Api(factories.api_key("olga")), run_id, {"action": "accept"}, Idempotency_Key=KEY)
    assert (again.status, again.headers["OpenWOP-Idempotent-Replay"]) == (200, "true")
    assert resolve(other, run_id, {"action": "accept"}).body["status"] == "completed"
