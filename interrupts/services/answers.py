"""Reading what an interrupt was answered with, by whoever asked."""

from __future__ import annotations

from typing import cast

from interrupts import selectors
from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.errors import NotFound
from interrupts.events import isoformat
from interrupts.kinds.base import SUBMITTED
from interrupts.models import Run, Suspension
from interrupts.services.runs import read_run
from interrupts.vocabulary import ANSWERED_BY, TERMINAL_STATUSES


def read_answer(*, actor: Actor, run_id: str, interrupt_id: str | None = None) -> JsonObject:
    """Return how an interrupt of a run ended, or that it has not: the one named, else the one opened last.

    ``{run_id, status, is_terminal, interrupt_id, node_id, ended}``, ``status`` being the run's; ``ended`` is null while
    the interrupt is open, else "resolved", "timed-out" or "cancelled", with ``ended_at``. A resolved one has the
    ``outcome`` and the ``payload`` of its answer, and ``answered_by``, the Subject, where a credential named one.
    Raises NotFound, also for a run that has asked nothing.
    """
    # Read first: a run that has ended by then asks nothing more.
    run = read_run(tenant_id=actor.tenant_id, run_id=run_id)
    row = selectors.suspension_of(run.pk, interrupt_id)
    if row is None:
        raise NotFound(_asked_nothing(run, interrupt_id))
    shown: JsonObject = {
        "run_id": run.pk,
        "status": run.status,
        "is_terminal": run.status in TERMINAL_STATUSES,
        "interrupt_id": row.pk,
        "node_id": row.node_id,
        "ended": row.outcome,
    }
    if row.resolved_at is not None:
        shown["ended_at"] = isoformat(row.resolved_at)
    return {**shown, **_answer(row)}


def _asked_nothing(run: Run, interrupt_id: str | None) -> str:
    if interrupt_id is not None:
        return "This run has asked nothing with that id."
    if run.status in TERMINAL_STATUSES:
        return f"This run asked nothing, and has ended: it is {run.status}."
    return "This run has asked nothing yet."


def _answer(row: Suspension) -> JsonObject:
    """Return the outcome and the payload of an answer, as an inspection would have taken them."""
    resolution = cast("JsonObject", row.resolution or {})
    if "resumeValue" not in resolution:
        return {}
    value = resolution["resumeValue"]
    told: JsonObject = {}
    by = resolution.get("resolvedBy") or resolution.get(ANSWERED_BY)
    if by:
        told["answered_by"] = by
    contract = cast("JsonObject", row.contract or {})
    if contract.get("enveloped"):
        return {**told, **cast("JsonObject", value)}
    if not isinstance(value, dict) or "action" not in resolution:
        return {**told, "outcome": SUBMITTED, "payload": value}
    payload: JsonObject = {name: member for name, member in value.items() if name != "action"}
    return {**told, "outcome": resolution["action"], "payload": payload}
