"""POST /runs/{runId}/cancel and POST /runs:bulk-cancel (wire contract §7.4; cases 36-38)."""

from __future__ import annotations

from typing import Any

import pytest

from tests import factories
from tests.factories import register
from tests.surfaces.rest.api import KEY, Api, wire

pytestmark = pytest.mark.django_db


def test_a_waiting_run_is_cancelled_and_its_log_says_by_whom(api: Api, gate_run: str) -> None:
    answer = api.post(f"/runs/{wire(gate_run)}/cancel", {"reason": "no longer needed"})
    assert answer.status == 200
    assert answer.fits("cancel-response")
    assert answer.body == {"runId": gate_run, "status": "cancelled"}
    assert factories.status(gate_run) == "cancelled"
    cancelled = factories.last(gate_run, "run.cancelled")
    assert cancelled["reason"] == "no longer needed"
    assert cancelled["cancelledBy"] == factories.run_of(gate_run).owner["subject"]["subjectId"]


@pytest.mark.parametrize("raw", [b"", b"{}", b'{"reason":""}'])
def test_no_reason_need_be_given(api: Api, gate_run: str, raw: bytes) -> None:
    assert api.send("POST", f"/runs/{wire(gate_run)}/cancel", raw).status == 200


@pytest.mark.parametrize("body", [{"reason": 7}, {"reason": "x" * 1001}, {"other": 1}, []])
def test_a_body_that_does_not_fit_is_refused_and_the_run_goes_on(api: Api, gate_run: str, body: Any) -> None:
    api.post(f"/runs/{wire(gate_run)}/cancel", body).refused(400, "validation_error")
    assert factories.status(gate_run) == "waiting-approval"


@pytest.mark.parametrize("action", ["accept", "reject", "cancel"])
def test_a_run_that_has_ended_cannot_be_cancelled(api: Api, gate_run: str, action: str) -> None:
    if action == "cancel":
        api.post(f"/runs/{wire(gate_run)}/cancel", {})
    else:
        api.post(f"/runs/{wire(gate_run)}/interrupts/gate", {"resumeValue": {"action": action}})
    ended = factories.trail(gate_run)
    api.post(f"/runs/{wire(gate_run)}/cancel", {}).refused(409, "run_terminal")
    assert factories.trail(gate_run) == ended


def test_the_same_key_gives_the_success_again_where_a_new_request_would_be_too_late(api: Api, gate_run: str) -> None:
    path = f"/runs/{wire(gate_run)}/cancel"
    first = api.post(path, {}, Idempotency_Key=KEY)
    again = api.post(path, {}, Idempotency_Key=KEY)
    assert (again.status, again.raw) == (200, first.raw)
    assert again.headers["OpenWOP-Idempotent-Replay"] == "true"
    api.post(path, {}).refused(409, "run_terminal")
    other = api.post("/runs", {"workflowId": "flow"}).body["runId"]
    api.post(f"/runs/{wire(other)}/cancel", {}, Idempotency_Key=KEY).refused(409, "idempotency_key_mismatch")


def test_many_runs_are_each_judged_on_their_own_and_answered_in_order(api: Api, stranger: Api, gate_run: str) -> None:
    register(factories.one_gate(), of="globex")
    theirs = stranger.post("/runs", {"workflowId": "flow"}).body["runId"]
    ended = api.post("/runs", {"workflowId": "flow"}).body["runId"]
    api.post(f"/runs/{wire(ended)}/cancel", {})
    unknown = "acme/r-00000000000000000000000000000000"
    asked = [ended, "bare", gate_run, unknown, theirs, wire(gate_run), gate_run, "acme/short", "é" * 300]
    answer = api.post("/runs:bulk-cancel", {"runIds": asked, "reason": "cleaning up"})
    assert answer.status == 200
    assert answer.fits("bulk-cancel-response")
    results = answer.body["results"]
    assert [entry["runId"] for entry in results] == asked
    assert [entry["error"]["error"] if not entry["ok"] else entry["status"] for entry in results] == [
        "run_terminal",
        "validation_error",
        "cancelled",
        "not_found",
        "id_tenant_mismatch",
        "validation_error",
        "cancelled",
        "validation_error",
        "validation_error",
    ]
    assert factories.last(gate_run, "run.cancelled")["reason"] == "cleaning up"
    assert factories.status(theirs) == "waiting-approval"


def test_too_many_runs_at_once_are_refused_with_the_limit(api: Api) -> None:
    many = [f"openwop-conformance-bulk-cap/opaque{n:03}0123456789abcdef" for n in range(101)]
    assert api.post("/runs:bulk-cancel", {"runIds": many}).refused(400, "validation_error")["maxRunIds"] == 100
    answer = api.post("/runs:bulk-cancel", {"runIds": many[:100]})
    assert {entry["error"]["error"] for entry in answer.body["results"]} == {"id_tenant_mismatch"}


@pytest.mark.parametrize(
    "body",
    [{}, {"runIds": []}, {"runIds": "x"}, {"runIds": [7]}, {"runIds": [None]}, {"runIds": ["x"], "other": 1}, []],
)
def test_a_list_that_does_not_fit_is_refused(api: Api, body: Any) -> None:
    api.post("/runs:bulk-cancel", body).refused(400, "validation_error")


def test_many_runs_are_cancelled_once_a_key(api: Api, gate_run: str) -> None:
    first = api.post("/runs:bulk-cancel", {"runIds": [gate_run]}, Idempotency_Key=KEY)
    again = api.post("/runs:bulk-cancel", {"runIds": [gate_run]}, Idempotency_Key=KEY)
    assert first.body["results"] == [{"runId": gate_run, "ok": True, "status": "cancelled"}]
    assert (again.raw, again.headers["OpenWOP-Idempotent-Replay"]) == (first.raw, "true")
