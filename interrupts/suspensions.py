"""The durable record of interrupts: the only writer of Suspension."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import cast

from interrupts.contracts.types import JsonObject
from interrupts.errors import AlreadyResolved
from interrupts.ids import mint_interrupt_id
from interrupts.kinds import registry
from interrupts.kinds.base import OpenInterrupt
from interrupts.models import Run, Suspension
from interrupts.vocabulary import InterruptKind, SuspensionOutcome


def open_interrupt(*, run: Run, node_id: str, payload: JsonObject, now: datetime) -> Suspension:
    """Record one interrupt as it is asked and let its kind take note of it.

    ``unique(run, key)`` holds interrupt.md §Re-entry: the same key is never raised twice in a run.
    """
    timeout_ms = payload.get("timeoutMs")
    data = payload["data"]
    suspension = Suspension(
        id=mint_interrupt_id(run.tenant_id),
        tenant_id=run.tenant_id,
        run=run,
        node_id=node_id,
        kind=str(payload["kind"]),
        key=str(payload["key"]),
        title=_title(InterruptKind(str(payload["kind"])), cast("JsonObject", data))[:500],
        payload=payload,
        resume_schema=payload.get("resumeSchema"),
        opened_at=now,
        deadline=now + timedelta(milliseconds=timeout_ms) if isinstance(timeout_ms, int) and timeout_ms > 0 else None,
    )
    suspension.save(force_insert=True)
    registry.opened(as_interrupt(suspension))
    return suspension


def as_interrupt(suspension: Suspension) -> OpenInterrupt:
    """Return the value that kinds reason about."""
    return OpenInterrupt(
        id=suspension.pk,
        tenant_id=suspension.tenant_id,
        run_id=suspension.run_id,
        workflow_id=suspension.run.workflow_key,
        node_id=suspension.node_id,
        kind=InterruptKind(suspension.kind),
        data=suspension.payload["data"],
        opened_at=suspension.opened_at,
        deadline=suspension.deadline,
        owner=suspension.run.owner,
    )


def close(interrupt_id: str, *, outcome: SuspensionOutcome, resolution: JsonObject, now: datetime) -> None:
    """End one open interrupt, or raise AlreadyResolved.

    The run's lock already makes this serial; the condition on ``outcome`` is what would catch a path without it.
    """
    ended = Suspension.objects.filter(pk=interrupt_id, outcome=None).update(
        outcome=str(outcome), resolution=resolution, resolved_at=now
    )
    if ended != 1:
        raise AlreadyResolved


def cancel_open(run_id: str, *, reason: str, now: datetime) -> None:
    """End every open interrupt of a run that is over: later answers are told so (interrupt.md §Errors, 409)."""
    Suspension.objects.filter(run_id=run_id, outcome=None).update(
        outcome=str(SuspensionOutcome.CANCELLED), resolution={"reason": reason}, resolved_at=now
    )


def _title(kind: InterruptKind, data: JsonObject) -> str:
    """Return what lists call it: the first of the kind's own words that says what it is about."""
    match kind:
        case InterruptKind.CLARIFICATION:
            return str(cast("list[JsonObject]", data["questions"])[0]["question"])
        case InterruptKind.EXTERNAL_EVENT:
            return str(data["eventType"])
        case _:
            names = ("title", "prompt", "initialPrompt", "customKind", "conversationId", "provider", "agentId")
            return next((str(data[name]) for name in names if data.get(name)), str(kind))
