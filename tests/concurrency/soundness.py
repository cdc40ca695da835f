"""What must hold of every stored run, whatever raced or was killed: the log is legal, and all that is cached agrees."""

from __future__ import annotations

from collections import Counter
from typing import Any, cast

from interrupts import events
from interrupts.models import Run, Suspension, Timer
from interrupts.run_state import RunState
from interrupts.vocabulary import NodeStatus
from tests.properties.legality import assert_legal


def assert_sound(run_id: str) -> None:
    """Fail unless the run's log is gapless and legal, its fold is what is cached, and no gate ended twice."""
    run = Run.objects.get(pk=run_id)
    log = list(events.read(run_id))
    assert_legal(log)
    state = events.fold(run_id)
    assert state == RunState.from_json(run.state), f"{run_id}: the cached state is not the fold of the log"
    assert _columns(run) == _columns_of(state), f"{run_id}: the snapshot's columns are not the fold of the log"
    assert len({event.event_id for event in log}) == len(log)
    _assert_gates_agree(run_id, state)
    if state.is_terminal:
        assert not Timer.objects.filter(run_id=run_id).exists(), f"{run_id} is over and still has a timer"


def _columns(run: Run) -> tuple[Any, ...]:
    return run.status, run.current_node_id, run.last_sequence, run.error, run.completed_at is not None


def _columns_of(state: RunState) -> tuple[Any, ...]:
    return (
        str(state.status),
        state.current_node_id or "",
        state.last_sequence,
        state.error,
        state.completed_at is not None,
    )


def _assert_gates_agree(run_id: str, state: RunState) -> None:
    """The rows of the gates say what the log says: asked once, answered at most once, open where the run waits."""
    log = list(events.read(run_id))
    asked = [cast("str", event.payload["interruptId"]) for event in log if event.type == "node.suspended"]
    answered = [cast("str", event.payload["interruptId"]) for event in log if event.type == "interrupt.resolved"]
    assert not [gate for gate, times in Counter(answered).items() if times > 1], f"{run_id}: a gate ended twice"
    rows = {row.pk: row for row in Suspension.objects.filter(run_id=run_id)}
    assert sorted(rows) == sorted(asked), f"{run_id}: gates in the table and in the log differ"
    assert {gate for gate, row in rows.items() if row.outcome in ("resolved", "timed-out")} == set(answered)
    waiting = {node.interrupt_id for node in state.nodes.values() if node.status is NodeStatus.SUSPENDED}
    assert {gate for gate, row in rows.items() if row.outcome is None} == waiting
