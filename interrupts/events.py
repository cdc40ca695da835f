"""The log of a run: the only writer of RunEvent and of Run's snapshot columns.

A ``RunLog`` is a unit of work over one run whose row the caller holds locked. Events are applied to the state as they
are appended and stored together by ``flush``: one INSERT for the events, one write for the run.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final, cast

from django.db.models import QuerySet

from interrupts import deliveries
from interrupts.contracts.types import JsonObject
from interrupts.ids import mint_event_id
from interrupts.models import Run, RunEvent
from interrupts.run_state import Event, RunState
from interrupts.vocabulary import EventType, RunStatus

_WRITTEN: Final = ("status", "current_node_id", "last_sequence", "error", "state", "completed_at", "pause_request")


def isoformat(at: datetime) -> str:
    """Return RFC 3339 in UTC with milliseconds and ``Z``."""
    return at.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_isoformat(text: str) -> datetime:
    return datetime.fromisoformat(text)


class RunLog:
    """The open log of one locked run."""

    def __init__(self, run: Run, *, now: datetime, is_new: bool = False) -> None:
        self.run = run
        self.state = RunState() if is_new else RunState.from_json(run.state)
        # Clocks differ between machines, and who waits for the lock read theirs before: time never goes back in a log.
        # What is to come later is still counted from the clock, which may have been ahead once and is right again.
        self.clock = now
        last = self.state.last_event_at
        self.now = max(now, parse_isoformat(last)) if last else now
        self._is_new = is_new
        self._pending: list[RunEvent] = []
        self._has_new_wish = False

    def append(
        self, event_type: EventType, payload: JsonObject, *, node_id: str = "", causation_id: str | None = None
    ) -> str:
        """Add one event, apply it to ``state`` and return its id. Nothing is stored before ``flush``."""
        if self.state.is_terminal:
            raise RuntimeError(f"{event_type} after the end of {self.run.id}: a run's terminal event is its last")
        event = Event(
            sequence=self.state.last_sequence + 1,
            type=str(event_type),
            node_id=node_id,
            payload=payload,
            at=isoformat(self.now),
        )
        self.state = self.state.apply(event)
        event_id = mint_event_id()
        self._pending.append(self._row(event, event_id, causation_id))
        return event_id

    def ask_for_pause(self, wish: JsonObject | None) -> None:
        """Keep the wish to pause once what runs has ended, or forget it. No event: nothing has happened yet."""
        self.run.pause_request = wish
        self._has_new_wish = True

    def flush(self) -> None:
        """Store what was appended. ``unique(run, sequence)`` refuses a second writer of the same log."""
        if not self._pending and not self._has_new_wish:
            return
        self._write_run()
        stored = RunEvent.objects.bulk_create(self._pending)
        deliveries.publish(self.run, stored, now=self.clock)
        self._pending = []
        self._has_new_wish = False

    def _row(self, event: Event, event_id: str, causation_id: str | None) -> RunEvent:
        return RunEvent(
            run=self.run,
            sequence=event.sequence,
            event_id=event_id,
            causation_id=causation_id,
            type=event.type,
            node_id=event.node_id,
            payload=event.payload,
            at=self.now,
        )

    def _write_run(self) -> None:
        state, run = self.state, self.run
        run.status = str(state.status)
        run.current_node_id = state.current_node_id or ""
        run.last_sequence = state.last_sequence
        run.error = state.error
        run.state = state.to_json()
        run.completed_at = parse_isoformat(state.completed_at) if state.completed_at else None
        run.variables = {**run.variables, **state.variables}
        if state.status is not RunStatus.RUNNING:
            run.pause_request = None
        if self._is_new:
            run.save(force_insert=True)
            self._is_new = False
        else:
            run.save(update_fields=[*_WRITTEN, "variables"] if state.variables else _WRITTEN)


def read(run_id: str, *, after: int = -1) -> QuerySet[RunEvent]:
    """Return the events of a run past ``after``, in order."""
    return RunEvent.objects.filter(run_id=run_id, sequence__gt=after).order_by("sequence")


def fold(run_id: str) -> RunState:
    """Return the state as the log alone tells it, whatever the cache says."""
    return RunState.fold(
        Event(
            sequence=row.sequence,
            type=row.type,
            node_id=row.node_id,
            payload=cast("JsonObject", row.payload),
            at=isoformat(row.at),
        )
        for row in read(run_id)
    )
