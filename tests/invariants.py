"""What must be true of every run after every operation, as the database has it."""

from __future__ import annotations

import hashlib

from django.apps import apps

from interrupts import events
from interrupts.contracts.shipped import event_payload
from interrupts.contracts.validation import validate
from interrupts.engine.plan import load_plan
from interrupts.models import Run, RunEvent, Suspension, Timer
from interrupts.run_state import RunState
from interrupts.vocabulary import SuspensionOutcome
from tests.properties.legality import assert_legal


def assert_run_holds(run_id: str) -> None:
    """Fail unless log, cache, snapshot columns, interrupts and timers of a run tell one story."""
    run = Run.objects.get(pk=run_id)
    log = list(events.read(run_id))
    options = (run.configurable or {}).get("run", {})
    assert_legal(log, threshold=options.get("escalationThreshold", 0.7))
    state = events.fold(run_id)
    assert RunState.from_json(run.state) == state
    _assert_columns(run, state)
    _assert_interrupts(run, state, log)
    _assert_keys(log)
    _assert_timers(run, state)


def assert_payloads_fit(run_id: str) -> None:
    """Fail unless every event's payload is one that the protocol defines (wire contract §8.3)."""
    for event in events.read(run_id):
        assert validate(event_payload(event.type), event.payload) == [], f"{event.type}: {event.payload}"


def _assert_columns(run: Run, state: RunState) -> None:
    assert run.status == state.status
    assert run.current_node_id == (state.current_node_id or "")
    assert run.last_sequence == state.last_sequence
    assert run.error == state.error
    assert (run.error is not None) == (run.status == "failed")
    assert run.inputs == state.inputs
    initial = load_plan(run.workflow.document).initial_variables(run.inputs)
    assert run.variables == initial | state.variables
    assert (events.isoformat(run.completed_at) if run.completed_at else None) == state.completed_at


def _assert_interrupts(run: Run, state: RunState, log: list[RunEvent]) -> None:
    rows = {row.pk: row for row in Suspension.objects.filter(run=run)}
    assert {row.node_id: row.pk for row in rows.values() if row.outcome is None} == {
        name: node.interrupt_id for name, node in state.nodes.items() if node.interrupt_id is not None
    }
    asked = [(event.node_id, event.payload) for event in log if event.type == "interrupt.requested"]
    assert sorted(asked, key=str) == sorted(((row.node_id, row.payload) for row in rows.values()), key=str)
    answered = {event.payload["interruptId"]: event.payload for event in log if event.type == "interrupt.resolved"}
    decided = {pk: row for pk, row in rows.items() if row.outcome not in (None, SuspensionOutcome.CANCELLED)}
    assert answered == {pk: row.resolution for pk, row in decided.items()}
    for pk, row in decided.items():
        assert (row.outcome == SuspensionOutcome.TIMED_OUT) == (answered[pk].get("reason") == "timeout")


def _assert_keys(log: list[RunEvent]) -> None:
    """The key of a visit is what anybody can derive again from the log before it (interrupt.md §Re-entry)."""
    consumed: dict[str, int] = {}
    visit: dict[str, int] = {}
    for event in log:
        name = event.node_id
        if event.type == "node.started":
            visit[name] = consumed.get(name, 0)
        elif event.type == "interrupt.requested":
            parts = f"{event.run_id}\n{name}\n{visit[name]}\n{consumed.get(name, 0) - visit[name]}"
            assert event.payload["key"] == hashlib.sha256(parts.encode()).hexdigest()
        elif event.type == "interrupt.resolved":
            consumed[name] = consumed.get(name, 0) + 1


def _assert_timers(run: Run, state: RunState) -> None:
    timers = list(Timer.objects.filter(run=run))
    if state.is_terminal or state.status == "paused":
        assert timers == [], "a run that is over, or paused, waits for no clock"
    if run.pause_request is not None:
        assert any(node.status == "running" for node in state.nodes.values()), "a pause waits for attempts alone"
    with_deadline = Suspension.objects.filter(run=run, outcome=None, deadline__isnull=False)
    deadlines = {(timer.node_id, timer.due_at) for timer in timers if timer.purpose == "deadline"}
    assert deadlines == {(row.node_id, row.deadline) for row in with_deadline}
    delays = {timer.node_id for timer in timers if timer.purpose == "delay"}
    running = {name: node for name, node in state.nodes.items() if node.status == "running"}
    assert delays == {name for name, node in running.items() if node.child_run_id is None}


def assert_family_holds(run_id: str) -> None:
    """Fail unless a run and all below it hold and agree, once nothing waits in the outbox any more."""
    assert_run_holds(run_id)
    run = Run.objects.get(pk=run_id)
    nodes = events.fold(run_id).nodes
    told = {event.payload["childRunId"] for event in events.read(run_id) if event.type == "node.dispatched"}
    for child in Run.objects.filter(parent_run=run):
        assert child.pk in told, "a child is told of before it starts"
        assert (child.owner, child.tenant_id, child.depth) == (run.owner, run.tenant_id, run.depth + 1)
        node = nodes[child.parent_node_id]
        if node.child_run_id == child.pk and node.status == "running":
            assert child.completed_at is None, "a node waits for a child that has ended"
        if run.status in ("failed", "cancelled") and child.ends_with_parent:
            assert child.completed_at is not None, "a child outlived the parent it was to end with"
        assert_family_holds(child.pk)
    waited_for = {node.child_run_id for node in nodes.values() if node.status == "running" and node.child_run_id}
    assert waited_for <= set(Run.objects.filter(parent_run=run).values_list("pk", flat=True))


def every_row() -> dict[str, list[tuple[object, ...]]]:
    """Return all that the database holds, table by table: equal before and after what must write nothing."""
    models = apps.get_models(include_auto_created=True)
    return {model._meta.label: sorted(model._base_manager.values_list(), key=repr) for model in models}
