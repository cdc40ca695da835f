"""Looking at what waits and answering it, over JSON-RPC, without knowing the workflow."""

from __future__ import annotations

import pytest

from interrupts.errors import NotFound
from interrupts.services.answers import read_answer
from tests import factories
from tests.surfaces.rest.api import KEY, wire
from tests.surfaces.rpc.client import Rpc, pointers


def answer(run_id: str, outcome: str = "accept", payload: object = None, **more: object) -> dict[str, object]:
    return {"run_id": run_id, "outcome": outcome, "payload": {} if payload is None else payload, **more}


def test_an_inspection_is_what_rest_gives(rpc: Rpc, gate_run: str) -> None:
    shown = rpc.call("workflow.runs.inspect", {"run_id": gate_run})
    assert shown == rpc.api.get(f"/host/wopsite/runs/{wire(gate_run)}/interrupt").body
    assert (shown["status"], shown["interrupt"]["node_id"]) == ("interrupted", "gate")


def test_an_answer_in_the_inspected_shape_decides(rpc: Rpc, gate_run: str) -> None:
    shown = rpc.call("workflow.runs.inspect", {"run_id": gate_run})["interrupt"]
    assert rpc.call("workflow.runs.resume", answer(gate_run)) == {
        "run_id": gate_run,
        "node_id": "gate",
        "interrupt_id": shown["id"],
        "status": "completed",
    }
    rpc.refused("workflow.runs.resume", answer(gate_run), "run_terminal")
    rpc.refused("workflow.runs.resume", answer(gate_run, interrupt_id=shown["id"]), "interrupt_already_resolved")


def test_a_bad_answer_is_told_by_pointer_and_changes_nothing(rpc: Rpc, gate_run: str) -> None:
    before = factories.trail(gate_run)
    unknown = rpc.refused("workflow.runs.resume", answer(gate_run, "perhaps"), "validation_error")
    assert [pointer for pointer, _ in pointers(unknown)] == ["/outcome"]
    wrong = rpc.refused("workflow.runs.resume", answer(gate_run, payload={"feedback": 1}), "validation_error")
    assert [pointer for pointer, _ in pointers(wrong)] == ["/payload/feedback"]
    assert factories.trail(gate_run) == before


def test_an_answer_counts_once_for_each_key(rpc: Rpc, gate_run: str) -> None:
    first = rpc.call("workflow.runs.resume", answer(gate_run), Idempotency_Key=KEY)
    assert rpc.call("workflow.runs.resume", answer(gate_run), Idempotency_Key=KEY) == first
    rpc.refused("workflow.runs.resume", answer(gate_run, "reject"), "idempotency_key_mismatch", Idempotency_Key=KEY)


def test_what_waits_is_listed_for_its_tenant_page_by_page(rpc: Rpc, stranger: Rpc, gate_run: str) -> None:
    second = rpc.call("workflow.runs.start", {"workflow_id": "flow"})["run_id"]
    first = rpc.call("interrupts.list", {"limit": 1})
    (item,) = first["interrupts"]
    assert (item["run_id"], item["workflow_id"], "resume_schema" in item) == (gate_run, "flow", False)
    rest = rpc.call("interrupts.list", {"cursor": first["next_cursor"], "full": True})
    (item,) = rest["interrupts"]
    shown = rpc.call("workflow.runs.inspect", {"run_id": second})["interrupt"]
    assert item == {**shown, "run_id": second, "workflow_id": "flow", "title": "Release it?"}
    assert "next_cursor" not in rest
    assert stranger.call("interrupts.list") == {"interrupts": []}
    stranger.refused("interrupts.list", {"cursor": first["next_cursor"]}, "validation_error")


@pytest.mark.parametrize("method", ["workflow.runs.inspect", "workflow.runs.resume"])
def test_another_tenants_run_can_be_neither_seen_nor_answered(stranger: Rpc, gate_run: str, method: str) -> None:
    params = answer(gate_run) if method.endswith("resume") else {"run_id": gate_run}
    stranger.refused(method, params, "id_tenant_mismatch")
    assert factories.status(gate_run) == "waiting-approval"


def test_whoever_asked_waits_for_the_answer_and_reads_it(rpc: Rpc, gate_run: str) -> None:
    at_once = {"run_id": gate_run, "timeout_seconds": 0}
    waiting = rpc.call("interrupts.wait", at_once)
    assert (waiting["ended"], waiting["status"], waiting["is_terminal"]) == (None, "waiting-approval", False)
    rpc.call("workflow.runs.resume", answer(gate_run, "reject", {"feedback": "Too dear."}))
    told = rpc.call("interrupts.wait", {"run_id": gate_run, "interrupt_id": waiting["interrupt_id"]})
    assert (told["ended"], told["outcome"], told["payload"]["feedback"]) == ("resolved", "reject", "Too dear.")
    assert "action" not in told["payload"]
    assert (told["is_terminal"], told["answered_by"]["tenant"]) == (True, "acme")
    assert rpc.call("interrupts.wait", at_once) == told


def test_an_answer_of_a_form_without_outcomes_is_the_payload(rpc: Rpc) -> None:
    factories.register(factories.one_interrupt("custom", {"customKind": "rating"}))
    run_id = rpc.call("workflow.runs.start", {"workflow_id": "flow"})["run_id"]
    rpc.call("workflow.runs.resume", answer(run_id, "submitted", {"stars": 5}))
    told = rpc.call("interrupts.wait", {"run_id": run_id})
    assert (told["outcome"], told["payload"]) == ("submitted", {"stars": 5})


def test_a_question_that_ended_without_an_answer_says_how(rpc: Rpc, gate_run: str) -> None:
    rpc.call("workflow.runs.cancel", {"run_id": gate_run})
    told = rpc.call("interrupts.wait", {"run_id": gate_run})
    assert (told["ended"], "outcome" in told) == ("cancelled", False)


def test_there_is_nothing_to_wait_for_where_nothing_was_asked(rpc: Rpc) -> None:
    run_id = factories.start_flow(factories.workflow([factories.node("a")]))
    rpc.refused("interrupts.wait", {"run_id": run_id}, "not_found")
    rpc.refused("interrupts.wait", {"run_id": run_id, "interrupt_id": "x"}, "not_found")
    with pytest.raises(NotFound, match="asked nothing, and has ended: it is completed"):
        read_answer(actor=factories.actor("olga"), run_id=run_id)
