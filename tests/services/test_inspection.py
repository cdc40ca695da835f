"""An interrupted run tells what it asks, and takes an answer from who knows no more than that.

The clauses are those of the document of self-describing contracts: "Public Inspect Shape" and "Resume Contract".
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.nodes import NODE_TYPES
from interrupts.errors import AlreadyResolved, Forbidden, NotFound, RunStateConflict, RunTerminal, ValidationFailed
from interrupts.models import Suspension
from interrupts.services.idempotency import Key, ReplayedError
from interrupts.services.inspection import ResumeRun, inspect_run, open_interrupts, resume_run
from interrupts.services.runs import CancelRun, cancel_run
from interrupts.vocabulary import Scope
from tests.factories import (
    NOW,
    actor,
    after,
    answer,
    chain,
    child_of,
    gate_node,
    idempotency_key,
    last,
    node,
    one_gate,
    one_interrupt,
    register,
    start_flow,
    status,
    sub_workflow,
    suspension,
    workflow,
)
from tests.invariants import every_row
from tests.services.families import begun, settle

ANY: JsonObject = {"type": "object", "additionalProperties": True}


@pytest.fixture(autouse=True)
def _people(db: None) -> None:
    """Everybody is there from the start: making them later would be a change."""
    for name, tenant in (("ann", "acme"), ("ben", "acme"), ("eve", "acme"), ("mallory", "other")):
        actor(name, of=tenant)


def look(run_id: str, *, by: Actor | None = None, **at: float) -> Any:
    return inspect_run(actor=by or actor("owner"), run_id=run_id, now=after(**at))


def resume(
    run_id: str,
    outcome: str,
    payload: JsonValue = None,
    *,
    by: Actor | None = None,
    key: Key | None = None,
    interrupt_id: str | None = None,
    **at: float,
) -> Any:
    given = {} if payload is None else payload
    request = ResumeRun(by or actor("ann"), run_id, outcome, given, interrupt_id, key)
    return resume_run(request=request, now=after(**at)).result


def refused(error: type[Exception], attempt: Callable[[], object]) -> Any:
    """Check that an attempt is refused with that error and leaves every table as it was; return the error."""
    before = every_row()
    with pytest.raises(error) as caught:
        attempt()
    assert every_row() == before
    return caught.value


def problem_pointers(run_id: str, outcome: str, payload: JsonValue) -> list[str]:
    error = refused(ValidationFailed, lambda: resume(run_id, outcome, payload))
    return [problem["pointer"] for problem in error.details["problems"]]


# --- Inspect ----------------------------------------------------------------------------------------------------------


def test_an_interrupted_run_shows_the_whole_request_of_its_gate(owner: Actor) -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000, actions=["accept", "reject"]), by=owner)
    shown = look(run_id)
    assert (shown["run_id"], shown["status"], shown["run_status"]) == (run_id, "interrupted", "waiting-approval")
    request = shown["interrupt"]
    assert request["id"] == suspension(run_id).pk
    assert (request["frame_id"], request["node_id"], request["kind"]) == ("frame_1", "gate", "approval")
    assert request["payload"] == suspension(run_id).payload["data"]
    assert request["outcomes"] == ["accept", "reject"]
    assert (request["typed"], request["resumable"]) == (True, True)
    assert request["deadline"] == "2026-03-02T09:01:00.000Z"
    assert "route" not in request
    assert "interrupts" not in shown


def test_an_interrupt_whose_time_is_up_is_shown_as_one_that_takes_no_answer(owner: Actor) -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000), by=owner)
    assert look(run_id, seconds=60)["interrupt"]["resumable"] is False


@pytest.mark.parametrize(("action", "ended"), [("accept", "completed"), ("reject", "failed")])
def test_a_run_that_waits_for_nothing_shows_its_own_status(owner: Actor, action: str, ended: str) -> None:
    run_id = start_flow(one_gate(), by=owner)
    answer(actor("ann"), run_id, action)
    assert look(run_id) == {"run_id": run_id, "status": ended, "run_status": ended, "interrupt": None}


def test_each_visit_of_a_node_is_a_frame_of_its_own(owner: Actor) -> None:
    def by_action(action: str) -> JsonObject:
        return {"type": "equals", "left": "output.action", "right": action}

    edges: list[JsonObject] = [
        {"id": "in", "sourceNodeId": "start", "targetNodeId": "gate"},
        {"id": "again", "sourceNodeId": "gate", "targetNodeId": "gate2", "condition": by_action("refine")},
        {"id": "back", "sourceNodeId": "gate2", "targetNodeId": "gate"},
    ]
    run_id = start_flow(workflow([node("start"), gate_node(), node("gate2")], edges), by=owner)
    first = look(run_id)["interrupt"]
    resume(run_id, "refine", {"refineFeedback": {"scope": "whole"}})
    second = look(run_id)["interrupt"]
    assert (first["frame_id"], second["frame_id"]) == ("frame_1", "frame_2")
    assert first["id"] != second["id"]


def test_of_several_open_interrupts_the_oldest_is_shown_and_all_are_named(owner: Actor) -> None:
    run_id = start_flow(workflow([gate_node("a"), gate_node("b")]), by=owner)
    shown = look(run_id)
    assert shown["interrupts"] == sorted([suspension(run_id, "a").pk, suspension(run_id, "b").pk])
    assert shown["interrupt"]["id"] == shown["interrupts"][0]


def test_a_parent_shows_the_interrupt_of_its_child_and_the_way_to_it(gated: str) -> None:
    child_id = child_of(gated)
    shown = look(gated)
    assert (shown["status"], shown["run_status"]) == ("interrupted", "running")
    assert shown["interrupt"]["id"] == suspension(child_id).pk
    assert shown["interrupt"]["route"] == [{"node_id": "call", "run_id": child_id}]
    assert "route" not in look(child_id)["interrupt"]


def test_the_way_leads_through_every_run_between(owner: Actor) -> None:
    register(one_gate("inner"))
    register(chain(sub_workflow(child="inner"), workflow_id="child"))
    run_id = begun(chain(sub_workflow()), owner)
    middle = child_of(run_id)
    inner = child_of(middle)
    steps = [{"node_id": "call", "run_id": middle}, {"node_id": "call", "run_id": inner}]
    assert look(run_id)["interrupt"]["route"] == steps
    assert look(middle)["interrupt"]["route"] == steps[1:]


def test_a_child_that_nobody_waits_for_does_not_interrupt_its_parent(owner: Actor) -> None:
    register(one_gate("child"))
    run_id = begun(chain(sub_workflow(waitForCompletion=False), gate_node("own")), owner)
    assert look(run_id)["interrupt"]["node_id"] == "own"
    assert "interrupts" not in look(run_id)


def test_what_is_shown_is_read_from_the_record_alone(owner: Actor, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the workflow's version nor the type of the node is looked at, nor what replaced them since."""
    run_id = start_flow(one_gate(), by=owner)
    before = look(run_id, by=owner)
    register(one_gate(title="Something else?") | {"version": "2"})
    monkeypatch.delitem(NODE_TYPES, "core.approvalGate")
    with CaptureQueriesContext(connection) as queries:
        assert look(run_id, by=owner) == before
    assert not [query["sql"] for query in queries if "interrupts_workflow" in query["sql"]]


def test_an_interrupt_from_before_contracts_were_kept_is_shown_with_a_derived_one(owner: Actor) -> None:
    run_id = start_flow(one_gate(), by=owner)
    before = look(run_id)
    Suspension.objects.update(contract=None)
    assert look(run_id) == before


def test_a_custom_interrupt_without_schemas_is_untyped(owner: Actor) -> None:
    run_id = start_flow(one_interrupt("custom", {"customKind": "sms", "payload": {"to": "ann"}}), by=owner)
    request = look(run_id)["interrupt"]
    assert (request["kind"], request["payload"], request["outcomes"]) == ("sms", {"to": "ann"}, ["submitted"])
    assert (request["request_schema"], request["resume_schema"], request["typed"]) == (ANY, ANY, False)


@pytest.mark.parametrize("run_id", ["acme/r-00000000000000000000000000000000", "", "x", "a\x00b/r-0123456789abcdef"])
def test_a_run_that_is_not_there_cannot_be_inspected(owner: Actor, run_id: str) -> None:
    refused(NotFound, lambda: look(run_id, by=owner))
    refused(NotFound, lambda: resume(run_id, "accept", by=owner))


def test_nobody_sees_or_answers_what_is_another_tenants(owner: Actor) -> None:
    run_id = start_flow(one_gate(), by=owner)
    stranger = actor("mallory", of="other")
    refused(NotFound, lambda: look(run_id, by=stranger))
    refused(NotFound, lambda: resume(run_id, "accept", by=stranger))
    assert open_interrupts(actor=stranger, limit=10, now=NOW) == {"interrupts": []}


# --- Resume -----------------------------------------------------------------------------------------------------------


def test_a_run_goes_on_with_an_outcome_that_its_interrupt_offers(owner: Actor) -> None:
    run_id = start_flow(one_gate(), by=owner)
    interrupt_id = suspension(run_id).pk
    told = resume(run_id, "accept", {"feedback": "Good."})
    assert told == {"run_id": run_id, "node_id": "gate", "interrupt_id": interrupt_id, "status": "completed"}
    kept = cast("JsonObject", last(run_id, "interrupt.resolved")["resumeValue"])
    assert (kept["action"], kept["feedback"]) == ("accept", "Good.")


def test_an_answer_that_does_not_decide_leaves_the_run_interrupted(owner: Actor) -> None:
    run_id = start_flow(one_gate(requiredApprovals=2), by=owner)
    assert resume(run_id, "accept")["status"] == "waiting-approval"
    assert look(run_id)["status"] == "interrupted"
    assert resume(run_id, "accept", by=actor("ben"))["status"] == "completed"


def test_a_parents_id_answers_the_interrupt_of_its_child(gated: str) -> None:
    child_id = child_of(gated)
    told = resume(gated, "accept", seconds=1)
    assert (told["run_id"], told["node_id"], told["status"]) == (gated, "gate", "running")
    settle(gated, seconds=2)
    assert (status(child_id), status(gated)) == ("completed", "completed")


def test_an_unknown_outcome_is_refused_before_anything_changes(owner: Actor) -> None:
    run_id = start_flow(one_gate(actions=["accept", "reject"]), by=owner)
    assert problem_pointers(run_id, "refine", {"refineFeedback": {"scope": "whole"}}) == ["/outcome"]
    assert look(run_id)["status"] == "interrupted"


@pytest.mark.parametrize(
    ("outcome", "payload", "pointers"),
    [
        ("accept", [], ["/payload"]),
        ("accept", "yes", ["/payload"]),
        ("accept", {"feedback": 1, "decidedAt": "today"}, ["/payload/decidedAt", "/payload/feedback"]),
        ("accept", {"action": "reject"}, ["/payload/action"]),
        ("refine", {}, ["/payload/refineFeedback"]),
        ("refine", {"refineFeedback": {"scope": "all"}}, ["/payload/refineFeedback/scope"]),
        ("edit-accept", {}, ["/payload/editedArtifactData"]),
    ],
)  # fmt: skip
def test_an_invalid_payload_is_refused_by_pointers_into_it_and_changes_nothing(
    owner: Actor, outcome: str, payload: JsonValue, pointers: list[str]
) -> None:
    run_id = start_flow(one_gate(), by=owner)
    assert problem_pointers(run_id, outcome, payload) == pointers
    assert resume(run_id, "accept")["status"] == "completed"


def test_what_the_gates_own_schema_asks_is_told_by_pointers_into_the_payload(owner: Actor) -> None:
    schema: JsonObject = {"required": ["risk"], "properties": {"risk": {"enum": ["low", "high"]}}}
    run_id = start_flow(one_gate(resumeSchema=schema), by=owner)
    assert problem_pointers(run_id, "accept", {}) == ["/payload/risk"]
    assert problem_pointers(run_id, "accept", {"risk": "none"}) == ["/payload/risk"]
    assert resume(run_id, "accept", {"risk": "low"})["status"] == "completed"


def test_a_run_that_is_over_or_not_interrupted_cannot_be_resumed(owner: Actor) -> None:
    run_id = start_flow(one_gate(), by=owner)
    waiting = start_flow(chain(node("wait", "core.delay", config={"delayMs": 5000}), workflow_id="slow"), by=owner)
    resume(run_id, "accept")
    refused(RunTerminal, lambda: resume(run_id, "accept"))
    refused(RunStateConflict, lambda: resume(waiting, "accept"))


def test_one_of_several_interrupts_must_be_named(owner: Actor) -> None:
    run_id = start_flow(workflow([gate_node("a"), gate_node("b")]), by=owner)
    assert problem_pointers(run_id, "accept", {}) == ["/interrupt_id"]
    chosen = suspension(run_id, "b").pk
    assert resume(run_id, "accept", interrupt_id=chosen)["node_id"] == "b"
    refused(AlreadyResolved, lambda: resume(run_id, "accept", interrupt_id=chosen))
    assert resume(run_id, "accept")["status"] == "completed"


@pytest.mark.parametrize("interrupt_id", ["", "x", "acme/i-00000000000000000000000000000000", "acme/i\x00"])
def test_an_interrupt_that_is_not_the_runs_takes_no_answer(owner: Actor, interrupt_id: str) -> None:
    run_id = start_flow(one_gate(), by=owner)
    refused(NotFound, lambda: resume(run_id, "accept", interrupt_id=interrupt_id))


def test_another_runs_interrupt_is_not_answered_by_way_of_this_one(owner: Actor) -> None:
    run_id, other = start_flow(one_gate(), by=owner), start_flow(one_gate("other"), by=owner)
    refused(NotFound, lambda: resume(run_id, "accept", interrupt_id=suspension(other).pk))


def test_who_may_not_answer_learns_nothing_of_the_schema(owner: Actor) -> None:
    run_id = start_flow(one_gate(approversList=["ann"]), by=owner)
    refused(Forbidden, lambda: resume(run_id, "no such outcome", [], by=actor("eve")))
    asked = start_flow(one_interrupt("custom", {"customKind": "sms"}, "other"), by=owner)
    reader = actor("ray", scopes=frozenset(Scope) - {Scope.APPROVALS_RESPOND})
    refused(Forbidden, lambda: resume(asked, "no such outcome", [], by=reader))


def test_an_answer_after_the_deadline_is_too_late(owner: Actor) -> None:
    run_id = start_flow(one_gate(timeoutMs=1000), by=owner)
    with pytest.raises(AlreadyResolved):
        resume(run_id, "accept", seconds=1)
    assert status(run_id) == "failed"


def test_a_cancelled_run_takes_no_answer(owner: Actor) -> None:
    run_id = start_flow(one_gate(), by=owner)
    interrupt_id = suspension(run_id).pk
    cancel_run(request=CancelRun(owner, run_id), now=NOW)
    refused(RunTerminal, lambda: resume(run_id, "accept"))
    refused(AlreadyResolved, lambda: resume(run_id, "accept", interrupt_id=interrupt_id))


def test_the_same_key_is_answered_as_the_first_time_though_nothing_waits_any_more(owner: Actor) -> None:
    run_id = start_flow(one_gate(), by=owner)
    key = idempotency_key(endpoint="rpc")
    first = resume(run_id, "accept", key=key)
    assert resume(run_id, "accept", key=key, seconds=5) == first
    other = idempotency_key("other", endpoint="rpc")
    with pytest.raises(RunTerminal):
        resume(run_id, "accept", key=other)
    with pytest.raises(ReplayedError):
        resume(run_id, "accept", key=other)


# --- What waits in a tenant -------------------------------------------------------------------------------------------


def page_of(limit: int, after_cursor: str | None = None, **options: Any) -> Any:
    return open_interrupts(
        actor=actor("owner"), limit=limit, now=options.pop("now", NOW), after=after_cursor, **options
    )


def test_what_waits_is_listed_oldest_first_page_by_page(owner: Actor) -> None:
    register(one_gate())
    ids = [suspension(start_flow(one_gate(), by=owner, now=after(seconds=n % 3))).pk for n in range(7)]
    seen: list[str] = []
    cursor: str | None = None
    while True:
        page = page_of(3, cursor, now=after(minutes=1))
        seen += [item["id"] for item in page["interrupts"]]
        cursor = page.get("next_cursor")
        if cursor is None:
            break
    assert seen == [row.pk for row in Suspension.objects.order_by("opened_at", "id")]
    assert sorted(seen) == sorted(ids)


def test_a_listed_interrupt_is_shown_as_an_inspection_shows_it(owner: Actor) -> None:
    run_id = start_flow(one_gate(), by=owner)
    (item,) = page_of(10)["interrupts"]
    (whole,) = page_of(10, full=True)["interrupts"]
    assert whole == look(run_id)["interrupt"] | {"run_id": run_id, "workflow_id": "flow", "title": "Release it?"}
    assert item == {name: value for name, value in whole.items() if name not in ("request_schema", "resume_schema")}


def test_what_is_answered_or_too_late_does_not_wait(owner: Actor) -> None:
    answered, late = start_flow(one_gate(), by=owner), start_flow(one_gate("late", timeoutMs=1000), by=owner)
    resume(answered, "accept")
    assert [item["run_id"] for item in page_of(10)["interrupts"]] == [late]
    assert page_of(10, now=after(seconds=1)) == {"interrupts": []}


@pytest.mark.parametrize("cursor", ["", "x", "WzEsMl0:bad"])
def test_a_cursor_that_is_not_of_this_list_is_refused(owner: Actor, cursor: str) -> None:
    with pytest.raises(ValidationFailed) as caught:
        page_of(10, cursor)
    assert caught.value.details == {"field": "cursor"}


def test_a_cursor_of_another_tenant_is_refused(owner: Actor) -> None:
    for _ in range(2):
        start_flow(one_gate(), by=owner)
    cursor = page_of(1)["next_cursor"]
    with pytest.raises(ValidationFailed):
        open_interrupts(actor=actor("mallory", of="other"), limit=1, now=NOW, after=cursor)


@pytest.mark.parametrize("count", [1, 12])
def test_a_page_costs_one_query_however_long_it_is(owner: Actor, count: int, django_assert_num_queries: Any) -> None:
    for _ in range(count):
        start_flow(one_gate(), by=owner)
    connection.ensure_connection()
    by = actor("owner")
    with django_assert_num_queries(1):
        open_interrupts(actor=by, limit=50, now=NOW, full=True)
