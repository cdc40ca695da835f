"""Lists as people and programs page through them."""

from __future__ import annotations

from approvals import eligibility
from approvals import selectors as gates
from approvals.selectors import EndedPosition, OpenPosition
from interrupts import selectors
from interrupts.actor import Actor
from interrupts.models import Suspension
from interrupts.selectors import Position
from tests.factories import actor, after, answer, node, one_gate, register, start, start_flow, suspension, workflow


def test_runs_are_listed_newest_first_page_by_page_and_each_once() -> None:
    owner = actor("owner")
    register(one_gate())
    # Three runs share an instant: the id decides among them.
    runs = [start(owner, now=after(minutes=minute)) for minute in (0, 1, 1, 1, 2)]
    expected = [runs[4], *sorted(runs[1:4], reverse=True), runs[0]]
    found: list[str] = []
    position = None
    while page := selectors.list_runs("acme", after=position, limit=2):
        assert len(page) <= 2
        found += [run.pk for run in page]
        position = Position(page[-1].created_at, page[-1].pk)
    assert found == expected


def test_a_list_of_runs_is_one_tenants_and_may_be_narrowed() -> None:
    owner = actor("owner")
    waiting = start_flow(one_gate(), by=owner)
    done = start_flow(workflow([node("a")], workflow_id="short"), by=owner)
    start_flow(one_gate(), by=actor("eve", of="other"))
    assert {run.pk for run in selectors.list_runs("acme", after=None, limit=9)} == {waiting, done}
    assert [run.pk for run in selectors.list_runs("acme", after=None, limit=9, status="completed")] == [done]
    assert [run.pk for run in selectors.list_runs("acme", after=None, limit=9, workflow_id="flow")] == [waiting]


def test_events_are_read_past_a_sequence() -> None:
    run_id = start_flow(one_gate())
    assert [event.sequence for event in selectors.events_after(run_id, -1)] == [0, 1, 2, 3]
    assert [event.sequence for event in selectors.events_after(run_id, 2)] == [3]
    assert selectors.events_after(run_id, 3) == []


def waiting_for(by: Actor) -> list[str]:
    held = eligibility.rights_held(actor=by)
    return [
        row.run_id for row in gates.open_page(gates.waiting_for(actor=by, held=held, now=after()), after=None, limit=99)
    ]


def test_what_waits_for_somebody_is_exactly_what_they_may_answer() -> None:
    """The list and the answer apply the same rights, each by a query of its own."""
    configs = [
        {},
        {"approversList": ["ann"]},
        {"approversList": ["ben"], "approverGroupRefs": ["legal"]},
        {"approverRoleRefs": ["cfo"]},
        {"approversList": ["nobody"]},
    ]
    runs = [start_flow(one_gate(f"flow-{index}", **config)) for index, config in enumerate(configs)]
    people = [actor("ann"), actor("ben"), actor("zoe", groups=["legal"]), actor("eve")]
    expected = {"ann": {0, 1}, "ben": {0, 2}, "zoe": {0, 2}, "eve": {0}}
    for person in people:
        listed = {runs.index(run_id) for run_id in waiting_for(person)}
        assert listed == expected[person.username]
        may = {i for i, run_id in enumerate(runs) if _may_answer(person, suspension(run_id))}
        assert may == listed


def _may_answer(person: Actor, interrupt: Suspension) -> bool:
    held = set(eligibility.rights_held(actor=person))
    named = set(interrupt.gate_approvers.exclude(ref=None).values_list("ref_id", flat=True))
    return not named or bool(held & named)


def test_what_somebody_voted_on_waits_for_the_others_only() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2))
    answer(actor("ann"), run_id, "accept")
    assert waiting_for(actor("ann")) == []
    assert waiting_for(actor("ben")) == [run_id]


def test_what_waits_comes_by_deadline_page_by_page_and_each_once() -> None:
    ann = actor("ann")
    deadlines = [None, 5000, 9000, 5000, None, 7000]
    for index, timeout in enumerate(deadlines):
        config = {} if timeout is None else {"timeoutMs": timeout}
        start_flow(one_gate(f"flow-{index}", **config), now=after(milliseconds=index % 3))
    rows = gates.open_in(tenant_id="acme", now=after())
    found: list[Suspension] = []
    position = None
    while page := gates.open_page(rows, after=position, limit=2):
        found += page
        position = OpenPosition(page[-1].deadline, page[-1].opened_at, page[-1].pk)
    keys = [(row.deadline is None, row.deadline or row.opened_at, row.opened_at, row.pk) for row in found]
    assert keys == sorted(keys)
    assert len({row.pk for row in found}) == len(deadlines)
    assert gates.count_up_to(rows) == 6
    assert gates.count_up_to(rows, limit=3) == 4
    assert len(waiting_for(ann)) == 6


def test_a_passed_deadline_takes_an_interrupt_off_the_list_before_the_sweep() -> None:
    start_flow(one_gate(timeoutMs=1000))
    assert gates.count_up_to(gates.open_in(tenant_id="acme", now=after(seconds=0.999))) == 1
    assert gates.count_up_to(gates.open_in(tenant_id="acme", now=after(seconds=1))) == 0


def test_history_is_the_latest_end_first_and_holds_what_one_answered_or_could_have() -> None:
    ann, ben = actor("ann"), actor("ben")
    runs = [start_flow(one_gate(f"flow-{index}", approversList=["ann"])) for index in range(3)]
    for minute, run_id in enumerate(runs):
        answer(ann, run_id, "accept", now=after(minutes=minute))
    opened = start_flow(one_gate())
    answer(ann, opened, "accept", now=after(minutes=9))
    held = eligibility.rights_held(actor=ann)
    ended = gates.ended_for(actor=ann, held=held)
    first = gates.ended_page(ended, after=None, limit=2)
    assert [row.run_id for row in first] == [opened, runs[2]]
    resolved_at = first[-1].resolved_at
    assert resolved_at is not None
    rest = gates.ended_page(ended, after=EndedPosition(resolved_at, first[-1].pk), limit=9)
    assert [row.run_id for row in rest] == [runs[1], runs[0]]
    bens = gates.ended_for(actor=ben, held=eligibility.rights_held(actor=ben))
    assert [row.run_id for row in gates.ended_page(bens, after=None, limit=9)] == [opened]
