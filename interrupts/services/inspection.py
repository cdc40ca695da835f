"""Looking at what a run waits for, and answering it, without knowing its workflow (docs/api.md, "Inspect and resume").

An interrupt describes itself: what was asked, which outcomes there are, what shape an answer has. All of it was fixed
when the run paused and is read from the stored record alone, whatever has become of the workflow since.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from django.core import signing

from interrupts import selectors, suspensions
from interrupts.actor import Actor
from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import AlreadyResolved, NotFound, RunStateConflict, RunTerminal, ValidationFailed
from interrupts.events import isoformat, parse_isoformat
from interrupts.kinds import registry
from interrupts.models import Run, Suspension
from interrupts.problems import validation_failed
from interrupts.run_state import RunState
from interrupts.services import idempotency
from interrupts.services.resolve import ResolveRequest, Submission, apply_answer
from interrupts.vocabulary import BOUND_ID_PATTERN, TERMINAL_STATUSES, NodeStatus

logger = logging.getLogger(__name__)

INTERRUPTED: Final = "interrupted"
_SHOWN: Final = 80
_SCHEMAS: Final = ("request_schema", "resume_schema")


@dataclass(frozen=True, slots=True)
class _Found:
    """An open interrupt, and the way to it from the run that was asked about: the sub-workflows that lead there."""

    suspension: Suspension
    route: tuple[tuple[str, str], ...]


def inspect_run(*, actor: Actor, run_id: str, now: datetime) -> JsonObject:
    """Return what a run of the actor's tenant waits for, or raise NotFound.

    ``{run_id, status, run_status, interrupt, title?, progress?, interrupts?}``. ``status`` is "interrupted" while an
    interrupt is open and the run's own status otherwise; ``interrupt`` is the one that was opened first, or null, and
    has the members of the public inspect shape; ``title`` is what lists call it, ``progress`` tells in words how far it
    is, where it takes several answers; ``interrupts`` holds the ids of all, when there are several. A parent that waits
    for a sub-workflow shows the sub-workflow's interrupt, with the ``route`` to it.
    """
    run = _run(actor, run_id)
    found = _open_below(run)
    shown: JsonObject = {
        "run_id": run.pk,
        "status": INTERRUPTED if found else run.status,
        "run_status": run.status,
        "interrupt": _request(found[0], now) if found else None,
    }
    if found:
        shown |= _besides(found[0].suspension)
    if len(found) > 1:
        shown["interrupts"] = [each.suspension.pk for each in found]
    return shown


@dataclass(frozen=True, slots=True)
class ResumeRun:
    """One answer to what a run waits for. ``interrupt_id`` is needed only where it waits for several things."""

    actor: Actor
    run_id: str
    outcome: str
    payload: JsonValue
    interrupt_id: str | None = None
    idempotency_key: idempotency.Key | None = None


def resume_run(*, request: ResumeRun, now: datetime) -> idempotency.Done:
    """Answer the interrupt of a run, or of the sub-workflow it waits for: exactly one answer decides it.

    Returns ``{run_id, node_id, interrupt_id, status}``, with the status that the run has now. Raises NotFound,
    RunTerminal, RunStateConflict when nothing is asked, AlreadyResolved, Forbidden or ValidationFailed, with problems
    at ``/outcome`` and below ``/payload``. A refused answer changes nothing.
    """
    done = idempotency.run(lambda: _resume(request, now), key=request.idempotency_key, now=now)
    logger.info(
        "run resumed run=%s interrupt=%s subject=%s status=%s replay=%s",
        request.run_id,
        done.result["interrupt_id"],
        request.actor.subject_id,
        done.result["status"],
        done.is_replay,
    )
    return done


def open_interrupts(
    *, actor: Actor, limit: int, now: datetime, after: str | None = None, full: bool = False
) -> JsonObject:
    """Return ``{interrupts, next_cursor?}``: what waits in the actor's tenant and still takes an answer, oldest first.

    Each item is as ``inspect_run`` shows an interrupt, with ``run_id``, ``workflow_id`` and ``title``, which may be
    empty; without its two schemas, unless ``full``. ``after`` is the ``next_cursor`` of the page before; any other text
    raises ValidationFailed.
    """
    signer = signing.Signer(salt=f"interrupts.open-list:{actor.tenant_id}")
    position = None if after is None else _read_cursor(signer, after)
    rows = selectors.open_interrupts(actor.tenant_id, now=now, after=position, limit=limit + 1)
    page: JsonObject = {"interrupts": [_listed(row, now, full=full) for row in rows[:limit]]}
    if len(rows) > limit:
        last = rows[limit - 1]
        page["next_cursor"] = signer.sign_object([last.opened_at.isoformat(), last.pk])
    return page


def _run(actor: Actor, run_id: str) -> Run:
    run = selectors.runs_of(actor.tenant_id).filter(pk=run_id).first() if _is_id(run_id) else None
    if run is None:
        raise NotFound(f"There is no run “{run_id[:_SHOWN]}”.")
    return run


def _open_below(run: Run) -> list[_Found]:
    """Return the open interrupts of a run and of the sub-workflows it waits for, at whatever depth, oldest first."""
    routes: dict[str, tuple[tuple[str, str], ...]] = {run.pk: ()}
    level = [run]
    while level:
        for parent in level:
            for node_id, child_id in _awaited(parent):
                routes[child_id] = (*routes[parent.pk], (node_id, child_id))
        known = [child_id for parent in level for _, child_id in _awaited(parent)]
        level = list(Run.objects.filter(pk__in=known, tenant_id=run.tenant_id)) if known else []
    return [_Found(row, routes[row.run_id]) for row in selectors.open_in_runs(routes)]


def _awaited(run: Run) -> list[tuple[str, str]]:
    """Return the nodes of a run that wait for a child, each with the child's run id."""
    nodes = RunState.from_json(run.state).nodes.items()
    return [
        (node_id, node.child_run_id)
        for node_id, node in nodes
        if node.status is NodeStatus.RUNNING and node.child_run_id is not None
    ]


def _request(found: _Found, now: datetime, *, full: bool = True) -> JsonObject:
    """Return an interrupt as a client sees it who knows nothing else."""
    row = found.suspension
    interrupt = suspensions.as_interrupt(row)
    kind = registry.get(interrupt.kind)
    contract = kind.contract(interrupt)
    shown: JsonObject = {
        "id": row.pk,
        "frame_id": suspensions.frame_of(row),
        "node_id": row.node_id,
        "kind": contract.kind,
        "payload": kind.shown(interrupt),
        "outcomes": list(contract.outcomes),
        "request_schema": contract.request_schema,
        "resume_schema": contract.resume_schema,
        "typed": contract.typed,
        "resumable": row.deadline is None or row.deadline > now,
    }
    if row.deadline is not None:
        shown["deadline"] = isoformat(row.deadline)
    if found.route:
        shown["route"] = [{"node_id": node_id, "run_id": run_id} for node_id, run_id in found.route]
    return shown if full else {name: value for name, value in shown.items() if name not in _SCHEMAS}


def _besides(row: Suspension) -> JsonObject:
    """Return what is told of an interrupt beside its contract, where there is something to tell."""
    interrupt = suspensions.as_interrupt(row)
    told: JsonObject = {"title": row.title, "progress": registry.get(interrupt.kind).progress(interrupt)}
    return {name: text for name, text in told.items() if text}


def _listed(row: Suspension, now: datetime, *, full: bool) -> JsonObject:
    of: JsonObject = {"run_id": row.run_id, "workflow_id": row.run.workflow_key, "title": row.title}
    return {**_request(_Found(row, ()), now, full=full), **of}


def _resume(request: ResumeRun, now: datetime) -> JsonObject | idempotency.Refused:
    run = _run(request.actor, request.run_id)
    target = _target(run, _open_below(run), request.interrupt_id)
    command = ResolveRequest(
        actor=request.actor,
        run_id=target.run_id,
        node_id=target.node_id,
        answer=Submission(request.outcome, request.payload),
        interrupt_id=target.pk,
    )
    applied = apply_answer(command, now)
    if isinstance(applied, idempotency.Refused):
        return applied
    run.refresh_from_db(fields=["status"])
    return {"run_id": run.pk, "node_id": target.node_id, "interrupt_id": target.pk, "status": run.status}


def _target(run: Run, found: Sequence[_Found], interrupt_id: str | None) -> Suspension:
    """Return the one interrupt that an answer is for."""
    if interrupt_id is not None:
        return _named(run, found, interrupt_id)
    if len(found) == 1:
        return found[0].suspension
    if found:
        ids = ", ".join(each.suspension.pk for each in found)
        message = f"This run waits for several answers. Say which one this is: {ids}."
        raise validation_failed([Problem("/interrupt_id", "required", message)])
    if run.status in TERMINAL_STATUSES:
        raise RunTerminal(f"The run has already ended: it is {run.status}.")
    raise RunStateConflict(f"The run is not waiting for an answer: it is {run.status}.")


def _named(run: Run, found: Sequence[_Found], interrupt_id: str) -> Suspension:
    for each in found:
        if each.suspension.pk == interrupt_id:
            return each.suspension
    ended = Suspension.objects.filter(pk=interrupt_id, tenant_id=run.tenant_id, outcome__isnull=False)
    if _is_id(interrupt_id) and ended.exists():
        raise AlreadyResolved
    raise NotFound(f"This run is not waiting for “{interrupt_id[:_SHOWN]}”.")


def _is_id(text: str) -> bool:
    return re.fullmatch(BOUND_ID_PATTERN, text) is not None


def _read_cursor(signer: signing.Signer, text: str) -> tuple[datetime, str]:
    try:
        at, row_id = signer.unsign_object(text)
    except signing.BadSignature:
        message = "This cursor is not one of this list's. Start again without a cursor."
        raise ValidationFailed(message, details={"field": "cursor"}) from None
    return parse_isoformat(cast("str", at)), cast("str", row_id)
