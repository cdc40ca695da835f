"""POST /runs (wire contract §7.1)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests import factories
from tests.factories import api_key, register
from tests.surfaces.rest.api import KEY, Api, wire

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _flow(db: None) -> None:
    register(factories.one_gate())


def test_a_run_is_created_and_its_links_lead_back_to_it(api: Api) -> None:
    created = api.post("/runs", {"workflowId": "flow"})
    assert created.status == 201
    created.fits("create-run-response")
    run_id = created.body["runId"]
    assert created.body == {
        "runId": run_id,
        "status": "waiting-approval",
        "eventsUrl": f"/runs/{wire(run_id)}/events/poll",
        "statusUrl": f"/runs/{wire(run_id)}",
    }
    assert created.headers["Location"] == created.body["statusUrl"]
    assert api.get(created.body["statusUrl"]).body["runId"] == run_id
    assert api.get(created.body["eventsUrl"]).body["runId"] == run_id


def test_what_the_caller_says_of_a_run_is_kept_as_it_was_said(api: Api) -> None:
    said: dict[str, Any] = {
        "inputs": {"amount": 12.50, "nested": {"b": [1, 2], "a": None}},
        "tags": ["with space", "🚀", "a" * 256, "x,y;z"],
        "metadata": {"zebra": 1, "apple": {"deep": [True]}},
        "configurable": {"version": 1, "run": {"recursionLimit": 5}},
    }
    run_id = api.post("/runs", {"workflowId": "flow", "scopeId": "order-7", "tenantId": "acme", **said}).body["runId"]
    snapshot = api.get(f"/runs/{wire(run_id)}").body
    assert {name: snapshot[name] for name in said} == said
    assert list(snapshot["metadata"]) == ["zebra", "apple"]
    started = factories.last(run_id, "run.started")
    assert started["transport"] == "rest"
    assert started["tags"] == said["tags"]
    assert started["owner"] == snapshot["owner"]


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "workflowId"),
        ({"workflowId": ""}, "workflowId"),
        ({"workflowId": 7}, "workflowId"),
        ({"workflowId": "flow", "unknown": 1}, "unknown"),
        ({"workflowId": "flow", "inputs": []}, "inputs"),
        ({"workflowId": "flow", "tags": ["x"] * 101}, "tags"),
        ({"workflowId": "flow", "tags": ["x" * 257]}, "tags.0"),
        ({"workflowId": "flow", "configurable": {}}, "configurable.version"),
        ({"workflowId": "flow", "configurable": {"version": 2}}, "configurable.version"),
        ({"workflowId": "flow", "configurable": {"version": 1, "other": 1}}, "configurable.other"),
        (
            {"workflowId": "flow", "configurable": {"version": 1, "ai": {"ai.provider": "x"}}},
            "configurable.ai.ai.provider",
        ),
        (
            {"workflowId": "flow", "configurable": {"version": 1, "run": {"recursionLimit": 0}}},
            "configurable.run.recursionLimit",
        ),
        (
            {"workflowId": "flow", "configurable": {"version": 1, "run": {"runTimeoutMs": 0}}},
            "configurable.run.runTimeoutMs",
        ),
        (
            {"workflowId": "flow", "configurable": {"version": 1, "run": {"escalationThreshold": 1.5}}},
            "configurable.run.escalationThreshold",
        ),
        ({"workflowId": "flow", "configurable": {"version": 1, "ai": {"provider": "x"}}}, "configurable.ai.provider"),
        ({"workflowId": "flow", "callbackUrl": "https://93.184.216.34/no-secret-to-sign-with"}, "callbackUrl"),
        ({"workflowId": "flow", "callbackUrl": "not a url"}, "callbackUrl"),
    ],
)
def test_a_body_that_does_not_fit_is_refused_by_field_and_creates_nothing(api: Api, body: Any, field: str) -> None:
    assert api.post("/runs", body).refused(400, "validation_error")["field"] == field
    assert api.get("/runs").body == {"runs": []}


def test_all_problems_of_a_body_are_listed_by_pointer(api: Api) -> None:
    details = api.post("/runs", {"workflowId": 7, "inputs": 1, "a/b": 1}).refused(400, "validation_error")
    assert [problem["pointer"] for problem in details["problems"]] == ["/a~1b", "/inputs", "/workflowId"]


@pytest.mark.parametrize(
    ("members", "family"),
    [
        ({"mode": "eval", "evalSuiteRef": "s", "agentId": "a"}, "agents"),
        ({"agentId": "a", "workflowId": "flow"}, "agents"),
        ({"residency": {"region": "eu"}, "workflowId": "flow"}, "dataResidency"),
    ],
)
def test_what_this_host_does_not_offer_is_refused_and_named(api: Api, members: Any, family: str) -> None:
    assert api.post("/runs", members).refused(422, "capability_required")["requiredCapability"] == family


def test_credentials_and_mock_providers_of_models_are_forbidden(api: Api) -> None:
    def ask(ai: Any) -> Any:
        return api.post("/runs", {"workflowId": "flow", "configurable": {"version": 1, "ai": ai}})

    ask({"credentialRef": "byok"}).refused(403, "credential_forbidden")
    ask({"mockProvider": {}}).refused(403, "mock_provider_forbidden")


def test_the_body_cannot_choose_another_tenant(api: Api) -> None:
    assert api.post("/runs", {"workflowId": "flow", "tenantId": "globex"}).refused(403, "forbidden") == {
        "field": "tenantId"
    }


def test_an_unknown_workflow_is_not_found_and_neither_is_another_tenants(api: Api, stranger: Api) -> None:
    api.post("/runs", {"workflowId": "nothing"}).refused(404, "not_found")
    stranger.post("/runs", {"workflowId": "flow"}).refused(404, "not_found")


def test_inputs_that_the_workflow_does_not_take_are_refused_by_pointer(api: Api) -> None:
    variable = {"name": "amount", "type": "number", "required": True}
    register(factories.workflow([factories.node("a")], workflow_id="typed", variables=[variable]))
    details = api.post("/runs", {"workflowId": "typed", "inputs": {"amount": "x"}}).refused(400, "validation_error")
    assert details["problems"][0]["pointer"] == "/inputs/amount"
    assert api.post("/runs", {"workflowId": "typed"}).refused(400, "validation_error")["field"] == "inputs.amount"


def test_dedup_refuses_a_second_active_run_of_the_scope_until_the_first_has_ended(api: Api) -> None:
    body = {"workflowId": "flow", "scopeId": "order-7"}
    first = api.post("/runs", body, OpenWOP_Dedup="enforce").body["runId"]
    second = api.post("/runs", body, OpenWOP_Dedup="enforce")
    second.refused(409, "run_already_active")
    assert second.headers["Retry-After"] == "5"
    assert api.post("/runs", {**body, "scopeId": "order-8"}, OpenWOP_Dedup="enforce").status == 201
    assert api.post("/runs", body).status == 201
    for run in api.get("/runs").body["runs"]:
        api.post(f"/runs/{wire(run['runId'])}/cancel", {})
    assert api.get(f"/runs/{wire(first)}").body["status"] == "cancelled"
    assert api.post("/runs", body, OpenWOP_Dedup="enforce").status == 201


def test_dedup_needs_a_scope_id_and_knows_one_value(api: Api) -> None:
    refused = api.post("/runs", {"workflowId": "flow"}, OpenWOP_Dedup="enforce").refused(400, "validation_error")
    assert refused == {"field": "scopeId"}
    body = {"workflowId": "flow", "scopeId": "s"}
    assert api.post("/runs", body, OpenWOP_Dedup="maybe").refused(400, "validation_error") == {"field": "OpenWOP-Dedup"}


def test_creating_needs_its_own_scope(db: None) -> None:
    others = [scope for scope in factories.ALL_SCOPES if scope != "runs:create"]
    refused = Api(api_key("rita", scopes=others)).post("/runs", {"workflowId": "flow"})
    assert refused.refused(403, "forbidden") == {"scopeRequired": "runs:create"}


def test_nobody_chooses_the_engine_version(api: Api) -> None:
    forced = api.post("/runs", {"workflowId": "flow"}, OpenWOP_Force_Engine_Version="1")
    forced.refused(403, "force_engine_version_forbidden")


def test_the_same_key_and_body_give_the_same_bytes_again(api: Api) -> None:
    first = api.post("/runs", {"workflowId": "flow"}, Idempotency_Key=KEY)
    again = api.post("/runs", {"workflowId": "flow"}, Idempotency_Key=KEY)
    assert (again.status, again.raw, again.headers["Location"]) == (201, first.raw, first.headers["Location"])
    assert "OpenWOP-Idempotent-Replay" not in first.headers
    assert again.headers["OpenWOP-Idempotent-Replay"] == "true"
    assert len(api.get("/runs").body["runs"]) == 1


def test_the_same_key_with_other_bytes_is_refused(api: Api) -> None:
    api.post("/runs", {"workflowId": "flow"}, Idempotency_Key=KEY)
    other = api.send("POST", "/runs", json.dumps({"workflowId": "flow"}, indent=1).encode(), Idempotency_Key=KEY)
    other.refused(409, "idempotency_key_mismatch")
    assert "OpenWOP-Idempotent-Replay" not in other.headers


def test_a_kept_refusal_is_given_again_and_says_so(api: Api) -> None:
    first = api.post("/runs", {"workflowId": "late"}, Idempotency_Key=KEY)
    register(factories.one_gate("late"))
    again = api.post("/runs", {"workflowId": "late"}, Idempotency_Key=KEY)
    first.refused(404, "not_found")
    assert (again.status, again.raw) == (404, first.raw)
    assert again.headers["OpenWOP-Idempotent-Replay"] == "true"


def test_a_refused_body_does_not_use_up_its_key(api: Api) -> None:
    api.post("/runs", {"workflowId": "flow", "inputs": 1}, Idempotency_Key=KEY).refused(400, "validation_error")
    assert api.post("/runs", {"workflowId": "flow"}, Idempotency_Key=KEY).status == 201


def test_two_tenants_may_use_the_same_key(api: Api, stranger: Api) -> None:
    register(factories.one_gate(), of="globex")
    mine = api.post("/runs", {"workflowId": "flow"}, Idempotency_Key=KEY)
    theirs = stranger.post("/runs", {"workflowId": "flow"}, Idempotency_Key=KEY)
    assert (mine.status, theirs.status) == (201, 201)
    assert theirs.body["runId"].startswith("globex/")


@pytest.mark.parametrize(
    "key", ["short", "", "a" * 21, "a" * 129, "ümlaut-0123456789abcdefgh", "has space 0123456789abc"]
)
def test_a_key_outside_its_grammar_is_refused_before_the_body_is_read(api: Api, key: str) -> None:
    api.send("POST", "/runs", b"{", Idempotency_Key=key).refused(400, "idempotency_key_invalid")
