"""What each method does, over JSON-RPC."""

from __future__ import annotations

import pytest

from interrupts.surfaces.methods.table import METHODS
from interrupts.vocabulary import Scope
from tests import factories
from tests.surfaces.rest.api import Api
from tests.surfaces.rpc.client import Rpc, pointers


def test_a_run_is_started_read_listed_followed_and_cancelled(rpc: Rpc) -> None:
    factories.register(factories.one_gate())
    started = rpc.call("workflow.runs.start", {"workflow_id": "flow", "tags": ["blue"], "metadata": {"a": 1}})
    run_id = started["run_id"]
    assert started == {"run_id": run_id, "status": "waiting-approval"}

    shown = rpc.call("workflow.runs.get", {"run_id": run_id})
    assert (shown["run_id"], shown["status"], shown["is_terminal"]) == (run_id, "waiting-approval", False)
    assert shown["run"] == rpc.api.get(f"/runs/{run_id.replace('/', '~2F')}").body
    assert rpc.call("workflow.runs.list", {"status": "waiting-approval"}) == {"runs": [shown["run"]]}

    page = rpc.call("workflow.runs.events", {"run_id": run_id})
    assert next(event["type"] for event in page["events"]) == "run.started"
    assert rpc.call("workflow.runs.events", {"run_id": run_id, "after": page["last_sequence"]})["events"] == []

    assert rpc.call("workflow.runs.cancel", {"run_id": run_id, "reason": "no"}) == {
        "run_id": run_id,
        "status": "cancelled",
    }
    rpc.refused("workflow.runs.cancel", {"run_id": run_id}, "run_terminal")
    after = rpc.call("workflow.runs.events", {"run_id": run_id, "after": page["last_sequence"], "timeout_seconds": 60})
    assert after["is_terminal"]
    assert after["events"][-1]["type"] == "run.cancelled"


def test_a_run_is_paused_and_unpaused(rpc: Rpc) -> None:
    nap = factories.chain(factories.node("wait", "core.delay", config={"ms": 60_000}), workflow_id="nap")
    run_id = factories.start_flow(nap)
    begun = rpc.call("workflow.runs.pause", {"run_id": run_id})
    assert begun == {"run_id": run_id, "status": "paused"}
    paused = rpc.call("workflow.runs.pause", {"run_id": run_id, "immediate": True, "reason": "month end"})
    assert paused == {"run_id": run_id, "status": "paused", "paused_at": paused["paused_at"]}
    assert factories.status(run_id) == "paused"
    rpc.refused("workflow.runs.pause", {"run_id": run_id}, "run_state_conflict")
    gone_on = rpc.call("workflow.runs.unpause", {"run_id": run_id})
    assert gone_on == {"run_id": run_id, "status": "running", "resumed_at": gone_on["resumed_at"]}
    rpc.refused("workflow.runs.unpause", {"run_id": run_id}, "run_state_conflict")


def test_the_list_of_runs_is_read_page_by_page(rpc: Rpc) -> None:
    factories.register(factories.one_gate())
    started = {rpc.call("workflow.runs.start", {"workflow_id": "flow"})["run_id"] for _ in range(3)}
    first = rpc.call("workflow.runs.list", {"limit": 2})
    second = rpc.call("workflow.runs.list", {"limit": 2, "cursor": first["next_cursor"]})
    assert {run["runId"] for run in first["runs"] + second["runs"]} == started
    assert "next_cursor" not in second
    rpc.refused("workflow.runs.list", {"cursor": "made-up"}, "validation_error")


def test_a_definition_is_validated_and_registered(rpc: Rpc) -> None:
    good = factories.one_gate()
    assert rpc.call("workflow.validate", {"workflow": good}) == {"valid": True, "diagnostics": []}
    registered = rpc.call("workflow.register", {"workflow": good})
    assert (registered["workflow_id"], registered["version"], registered["is_new"]) == ("flow", "1", True)
    assert rpc.call("workflow.register", {"workflow": good}) == {**registered, "is_new": False}
    rpc.refused("workflow.register", {"workflow": {**good, "name": "Other"}}, "version_conflict")


def test_a_bad_definition_is_told_of_as_a_result_and_refused_as_a_registration(rpc: Rpc) -> None:
    bad = factories.workflow([factories.node("a", "core.unheard-of")])
    told = rpc.call("workflow.validate", {"workflow": bad})
    assert told["valid"] is False
    assert [(found["pointer"], found["severity"]) for found in told["diagnostics"]] == [("/nodes/0/typeId", "error")]
    details = rpc.refused("workflow.register", {"workflow": bad}, "validation_error")
    assert [pointer for pointer, _ in pointers(details)] == ["/nodes/0/typeId"]


def test_what_is_wrong_with_parameters_is_told_by_pointer(rpc: Rpc) -> None:
    factories.register(
        factories.workflow([factories.node("a")], variables=[{"name": "n", "type": "number", "required": True}])
    )
    assert pointers(rpc.refused("workflow.runs.start", {}, "validation_error")) == [("/workflow_id", "required")]
    assert pointers(rpc.refused("workflow.runs.start", {"workflow_id": "flow"}, "validation_error")) == [
        ("/inputs/n", "required")
    ]
    wrong = {"workflow_id": "flow", "inputs": {"n": "x"}, "input": {}, "idempotency_key": "short"}
    assert pointers(rpc.refused("workflow.runs.start", wrong, "validation_error")) == [
        ("/idempotency_key", "pattern"),
        ("/input", "additionalProperties"),
    ]
    shown = rpc.refused("workflow.runs.get", {"run_id": "flow"}, "validation_error")
    assert pointers(shown) == [("/run_id", "format")]


def test_what_this_host_does_not_offer_is_refused(rpc: Rpc) -> None:
    factories.register(factories.one_gate())
    start = {"workflow_id": "flow", "configurable": {"version": 1, "ai": {"credentialRef": "secret:x"}}}
    rpc.refused("workflow.runs.start", start, "credential_forbidden")
    assert rpc.refused("workflow.runs.start", {"workflow_id": "flow", "dedup": True}, "validation_error") == {
        "field": "scopeId"
    }


@pytest.mark.parametrize("method", METHODS)
def test_every_method_needs_its_scope_whatever_else_is_sent(db: None, method: str) -> None:
    scope = METHODS[method].scope
    others = Rpc(Api(factories.api_key("olga", scopes=[other for other in Scope if other is not scope])))
    assert others.refused(method, {"unknown": 1}, "forbidden") == {"scopeRequired": str(scope)}
    alone = Rpc(Api(factories.api_key("olga", scopes=[scope])))
    problems = pointers(alone.refused(method, {"unknown": 1}, "validation_error"))
    assert ("/unknown", "additionalProperties") in problems


def test_another_tenants_run_is_told_from_its_id_and_never_shown(stranger: Rpc, gate_run: str) -> None:
    for method in ("workflow.runs.get", "workflow.runs.events", "workflow.runs.cancel"):
        stranger.refused(method, {"run_id": gate_run}, "id_tenant_mismatch")
        stranger.refused(method, {"run_id": "globex/" + gate_run.partition("/")[2]}, "not_found")
    assert stranger.call("workflow.runs.list") == {"runs": []}
    stranger.refused("workflow.runs.start", {"workflow_id": "flow"}, "not_found")
    assert factories.status(gate_run) == "waiting-approval"
