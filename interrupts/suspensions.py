"""The durable record of interrupts: the only writer of Suspension."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from typing import cast

from interrupts.contracts.types import JsonObject
from interrupts.errors import AlreadyResolved
from interrupts.ids import mint_interrupt_id
from interrupts.kinds import registry
from interrupts.kinds.base import Contract, OpenInterrupt
from interrupts.models import Run, Suspension
from interrupts.vocabulary import InterruptKind, SuspensionOutcome


def open_interrupt(
    *,
    run: Run,
    node_id: str,
    visit: int,
    payload: JsonObject,
    now: datetime,
    contract: Contract | None = None,
    title: str = "",
) -> Suspension:
    """Record one interrupt as it is asked, with the contract that answers are held to, and let its kind take note.

    ``visit`` counts the starts of the node, this one included. Without a ``contract`` and a ``title`` of its node the
    interrupt gets those that follow from what is asked.

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
        title=(title or _title(InterruptKind(str(payload["kind"])), cast("JsonObject", data)))[:500],
        payload=payload,
        resume_schema=payload.get("resumeSchema"),
        opened_at=now,
        deadline=now + timedelta(milliseconds=timeout_ms) if isinstance(timeout_ms, int) and timeout_ms > 0 else None,
    )
    interrupt = as_interrupt(suspension, declared=contract)
    interrupt = replace(interrupt, declared=registry.get(interrupt.kind).contract(interrupt))
    suspension.contract = {"frame_id": _frame(visit), **cast("Contract", interrupt.declared).to_json()}
    suspension.save(force_insert=True)
    registry.opened(interrupt)
    return suspension


def frame_of(suspension: Suspension) -> str:
    """Return which visit of its node asks: ``frame_1`` is the first. One from before that was kept is the latest."""
    if suspension.contract is not None:
        return str(suspension.contract["frame_id"])
    return _frame(suspension.run.state["nodes"][suspension.node_id]["visits"])


def _frame(visit: int) -> str:
    return f"frame_{visit}"


def as_interrupt(suspension: Suspension, *, declared: Contract | None = None) -> OpenInterrupt:
    """Return the value that kinds reason about. Interrupts from before contracts were kept have none of their own."""
    if suspension.contract is not None:
        declared = Contract.from_json(suspension.contract)
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
        resume_schema=suspension.resume_schema,
        declared=declared,
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
