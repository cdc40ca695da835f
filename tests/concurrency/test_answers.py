"""Answers that race each other for one gate: exactly one decides it (interrupt.md §Resolve surfaces)."""

from __future__ import annotations

from collections import Counter
from typing import cast

import pytest

from approvals.models import Vote
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.services.idempotency import Done
from interrupts.services.resolve import ResolveRequest, ResumeValue, resolve_interrupt
from tests.concurrency.racing import Call, at_once, codes, in_line
from tests.concurrency.soundness import assert_sound
from tests.factories import (
    actor,
    after,
    answer,
    edge,
    gate_node,
    log_of,
    node,
    one_gate,
    start_flow,
    status,
    suspension,
    trail,
    workflow,
)

pytestmark = pytest.mark.django_db(transaction=True)


def answering(name: str, run_id: str, action: str | JsonValue) -> Call[Done]:
    person = actor(name)
    return lambda: answer(person, run_id, action)


def resolutions(run_id: str) -> list[JsonObject]:
    return [cast("JsonObject", event.payload) for event in log_of(run_id) if event.type == "interrupt.resolved"]


def decisions(run_id: str) -> list[JsonValue]:
    return [payload["decision"] for payload in resolutions(run_id)]


def statuses(outcomes: list[Done | Exception]) -> list[JsonValue]:
    return [outcome.result["status"] for outcome in outcomes if isinstance(outcome, Done)]


def test_of_32_contradictory_answers_one_decides_and_the_others_are_told_so() -> None:
    run_id = start_flow(one_gate())
    actions = ["accept", "reject"] * 16
    outcomes = at_once(*(answering(f"p{n}", run_id, action) for n, action in enumerate(actions)))
    assert Counter(codes(outcomes)) == {"ok": 1, "interrupt_already_resolved": 31}
    winner = codes(outcomes).index("ok")
    (resolved,) = resolutions(run_id)
    assert resolved["action"] == actions[winner]
    assert cast("JsonObject", resolved["resolvedBy"])["subjectId"] == actor(f"p{winner}").subject_id
    assert status(run_id) == ("completed" if actions[winner] == "accept" else "failed")
    assert_sound(run_id)


def test_two_votes_that_both_could_complete_a_quorum_count_one_after_the_other() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    outcomes = in_line(run_id, answering("ann", run_id, "accept"), answering("bob", run_id, "accept"))
    assert codes(outcomes) == ["ok", "ok"]
    assert sorted(statuses(outcomes), key=str) == ["completed", "waiting-approval"]
    assert decisions(run_id) == ["granted"]
    assert Vote.objects.filter(suspension__run_id=run_id).count() == 2
    assert_sound(run_id)


def test_two_votes_too_many_complete_a_quorum_once() -> None:
    run_id = start_flow(one_gate(requiredApprovals=3))
    outcomes = at_once(*(answering(name, run_id, "accept") for name in ("ann", "bob", "cleo", "dan", "eve")))
    assert Counter(codes(outcomes)) == {"ok": 3, "interrupt_already_resolved": 2}
    assert Counter(statuses(outcomes)) == {"waiting-approval": 2, "completed": 1}
    assert decisions(run_id) == ["granted"]
    assert len(cast("list[object]", resolutions(run_id)[0]["x-votes"])) == 3
    assert Vote.objects.filter(suspension__run_id=run_id).count() == 3
    assert_sound(run_id)


@pytest.mark.parametrize("order", [("accept", "reject"), ("reject", "accept")])
def test_of_a_completing_vote_and_a_veto_the_first_decides(order: tuple[str, str]) -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(actor("cleo"), run_id, "accept")
    outcomes = in_line(run_id, answering("ann", run_id, order[0]), answering("bob", run_id, order[1]))
    assert sorted(codes(outcomes)) == ["interrupt_already_resolved", "ok"]
    won = order[codes(outcomes).index("ok")]
    assert decisions(run_id) == [{"accept": "granted", "reject": "rejected"}[won]]
    assert status(run_id) == {"accept": "completed", "reject": "failed"}[won]
    assert_sound(run_id)


@pytest.mark.parametrize("order", [("accept", "reject"), ("reject", "accept")])
@pytest.mark.postgresql
def test_postgresql_serves_the_answers_in_the_order_they_came(order: tuple[str, str]) -> None:
    run_id = start_flow(one_gate())
    outcomes = in_line(run_id, answering("ann", run_id, order[0]), answering("bob", run_id, order[1]))
    assert codes(outcomes) == ["ok", "interrupt_already_resolved"]
    assert decisions(run_id) == [{"accept": "granted", "reject": "rejected"}[order[0]]]


def test_votes_that_race_for_a_majority_of_rejects_end_the_gate_once() -> None:
    run_id = start_flow(one_gate(requiredApprovals=4, rejectionPolicy="majority"))
    outcomes = at_once(*(answering(f"p{n}", run_id, "reject") for n in range(6)))
    assert Counter(codes(outcomes)) == {"ok": 3, "interrupt_already_resolved": 3}
    assert decisions(run_id) == ["rejected"]
    assert trail(run_id)[-2:] == ["node.failed gate", "run.failed"]
    assert_sound(run_id)


def test_one_person_on_two_devices_has_one_vote() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    outcomes = at_once(*(answering("ann", run_id, "accept") for _ in range(8)))
    assert codes(outcomes) == ["ok"] * 8
    assert set(statuses(outcomes)) == {"waiting-approval"}
    assert Vote.objects.filter(suspension__run_id=run_id).count() == 1
    assert resolutions(run_id) == []
    assert_sound(run_id)


def test_one_person_who_contradicts_themselves_at_once_has_one_vote() -> None:
    run_id = start_flow(one_gate(requiredApprovals=3, rejectionPolicy="majority"))
    outcomes = at_once(*(answering("ann", run_id, action) for action in ("accept", "reject") * 4))
    assert codes(outcomes) == ["ok"] * 8
    (vote,) = Vote.objects.filter(suspension__run_id=run_id)
    assert vote.action in ("accept", "reject")
    assert status(run_id) == "waiting-approval"
    assert_sound(run_id)


def test_a_question_racing_an_answer_leaves_no_second_end() -> None:
    run_id = start_flow(one_gate())
    outcomes = at_once(
        answering("ann", run_id, {"action": "ask", "feedback": "Which budget?"}), answering("bob", run_id, "accept")
    )
    assert codes(outcomes)[1] == "ok"
    assert codes(outcomes)[0] in ("ok", "interrupt_already_resolved")
    assert decisions(run_id) == ["granted"]
    assert_sound(run_id)


def test_of_answers_to_one_round_of_a_loop_none_counts_for_the_next() -> None:
    loop = [edge("gate", "revise", "any_failed"), edge("revise", "gate", "any_success")]
    nodes = [node("begin"), gate_node(), node("revise")]
    run_id = start_flow(workflow(nodes, [edge("begin", "gate", "any_success"), *loop]))
    shown = suspension(run_id).pk
    outcomes = at_once(*(_rejecting_what_was_shown(f"p{n}", run_id, shown) for n in range(4)))
    assert Counter(codes(outcomes)) == {"ok": 1, "interrupt_already_resolved": 3}
    assert trail(run_id).count("interrupt.requested gate") == 2
    assert trail(run_id).count("interrupt.resolved gate") == 1
    assert status(run_id) == "waiting-approval"
    assert suspension(run_id).pk != shown
    assert_sound(run_id)


def _rejecting_what_was_shown(name: str, run_id: str, shown: str) -> Call[Done]:
    request = ResolveRequest(
        actor=actor(name), run_id=run_id, node_id="gate", answer=ResumeValue({"action": "reject"}), interrupt_id=shown
    )
    return lambda: resolve_interrupt(request=request, now=after(seconds=1))
