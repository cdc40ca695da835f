"""Runs: create, cancel, go on (wire contract §7)."""

from __future__ import annotations

import logging
import re
from dataclasses import dataclass, field
from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import Q

from interrupts import selectors
from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.contracts.validation import compile_schema, validate
from interrupts.engine import advance, timeouts
from interrupts.engine.advance import Execution
from interrupts.engine.offers import check_offered
from interrupts.engine.plan import Plan, load_plan
from interrupts.errors import NotFound, RunAlreadyActive, RunTerminal, TenantMismatch, ValidationFailed, WopError
from interrupts.events import RunLog
from interrupts.ids import mint_run_id, tenant_of
from interrupts.kinds import registry
from interrupts.models import Run, Workflow
from interrupts.problems import validation_failed
from interrupts.services import callbacks, egress, idempotency
from interrupts.services._locking import lock_run
from interrupts.services.workflows import read_workflow
from interrupts.vocabulary import BOUND_ID_PATTERN, ENGINE_VERSION, TERMINAL_STATUSES, EventType, RunStatus

logger = logging.getLogger(__name__)

RUN_DEDUP_CONSTRAINT = "run_one_active_per_scope"


@dataclass(frozen=True, slots=True)
class CreateRun:
    """What createRun was asked, its shape already checked."""

    actor: Actor
    workflow_id: str
    inputs: JsonObject = field(default_factory=dict)
    configurable: JsonObject | None = None
    tags: tuple[str, ...] = ()
    metadata: JsonObject | None = None
    scope_id: str = ""
    enforce_dedup: bool = False
    callback_url: str = ""
    transport: str = "rest"
    idempotency_key: idempotency.Key | None = None


def create_run(*, request: CreateRun, now: datetime) -> idempotency.Done:
    """Start a run of the workflow's newest version. Returns ``{runId, status}``.

    Raises NotFound for an unknown workflow, CapabilityRequired or RosterExceeded for one that needs more than this host
    offers, ValidationFailed for inputs or configurable that do not fit it, RunAlreadyActive for a second active run of
    an enforced scope.
    """
    if request.callback_url and not idempotency.has_outcome(request.idempotency_key):
        door, tenant_id = egress.from_settings(), request.actor.tenant_id
        callbacks.check_callback_url(tenant_id=tenant_id, url=request.callback_url, door=door, now=now)
    done = idempotency.run(lambda: _create(request, now), key=request.idempotency_key, now=now)
    logger.info(
        "run created run=%s workflow=%s status=%s replay=%s",
        done.result["runId"],
        request.workflow_id,
        done.result["status"],
        done.is_replay,
    )
    return done


def _create(request: CreateRun, now: datetime) -> JsonObject:
    workflow = read_workflow(tenant_id=request.actor.tenant_id, workflow_id=request.workflow_id)
    plan = load_plan(workflow.document)
    check_offered(plan, kinds=registry.served())
    _check_fit(plan, request)
    run = _new_run(request, workflow, plan, now)
    execution = Execution.of(run, RunLog(run, now=now, is_new=True))
    begin(execution, {"transport": request.transport})
    try:
        with transaction.atomic():
            execution.log.flush()
    except IntegrityError as error:
        if RUN_DEDUP_CONSTRAINT in str(error) or "dedup_scope" in str(error):
            raise RunAlreadyActive from error
        raise
    return {"runId": run.pk, "status": str(execution.log.state.status)}


def _check_fit(plan: Plan, request: CreateRun) -> None:
    problems = plan.input_problems(request.inputs)
    if problems:
        raise validation_failed(problems, base="/inputs")
    if plan.configurable_schema is not None and request.configurable is not None:
        problems = validate(compile_schema(plan.configurable_schema), request.configurable)
        if problems:
            raise validation_failed(problems, base="/configurable")
    if request.enforce_dedup and _has_active_run(request):
        raise RunAlreadyActive


def _has_active_run(request: CreateRun) -> bool:
    active = selectors.runs_of(request.actor.tenant_id).filter(~Q(status__in=TERMINAL_STATUSES))
    return active.filter(scope_id=request.scope_id).exists()


def _new_run(request: CreateRun, workflow: Workflow, plan: Plan, now: datetime) -> Run:
    tenant_id = request.actor.tenant_id
    return Run(
        id=mint_run_id(tenant_id),
        tenant_id=tenant_id,
        workflow=workflow,
        workflow_key=workflow.workflow_id,
        status=RunStatus.PENDING,
        owner={"tenant": tenant_id, "subject": request.actor.subject},
        inputs=request.inputs,
        variables=plan.initial_variables(request.inputs),
        configurable=request.configurable,
        tags=list(request.tags),
        metadata=request.metadata,
        scope_id=request.scope_id,
        dedup_scope=request.scope_id if request.enforce_dedup else None,
        callback_url=request.callback_url,
        created_at=now,
    )


def begin(execution: Execution, told: JsonObject) -> None:
    """Log the start, with what else is ``told`` of it, and run as far as it goes.

    The run's own row is written last, with everything in it: rows that point at it are checked at commit (deferred
    foreign keys), which saves a second write of the widest row.
    """
    run = execution.log.run
    payload: JsonObject = {
        "workflowId": run.workflow_key,
        "inputs": run.inputs,
        "engineVersion": ENGINE_VERSION,
        "owner": run.owner,
        "tags": run.tags,
        **told,
    }
    if run.metadata is not None:
        payload["metadata"] = run.metadata
    execution.log.append(EventType.RUN_STARTED, payload)
    timeouts.arm_run_timeout(execution.plan, execution.log)
    advance.advance(execution)


def advance_run(*, run_id: str, now: datetime) -> None:
    """Let a run go on that had used its inline share. Does nothing to a run that waits or is over."""
    with transaction.atomic():
        execution = lock_run(run_id=run_id, tenant_id=tenant_of(run_id), now=now)
        advance.advance(execution)
        execution.log.flush()


def give_up_run(*, run_id: str, now: datetime) -> None:
    """End a run that cannot go on, so that it does not look as if it still ran (wire contract §21, poison work)."""
    with transaction.atomic():
        execution = lock_run(run_id=run_id, tenant_id=tenant_of(run_id), now=now)
        if not execution.log.state.is_terminal:
            advance.fail_run(execution, "internal_error", "The host could not go on with this run.")
        execution.log.flush()


@dataclass(frozen=True, slots=True)
class CancelRun:
    """One request to end a run early."""

    actor: Actor
    run_id: str
    reason: str | None = None
    idempotency_key: idempotency.Key | None = None


def cancel_run(*, request: CancelRun, now: datetime) -> idempotency.Done:
    """End a run as cancelled. Returns ``{runId, status}``. Raises NotFound, or RunTerminal for a run that is over."""
    done = idempotency.run(lambda: _cancel(request, now), key=request.idempotency_key, now=now)
    logger.info("run cancelled run=%s subject=%s replay=%s", request.run_id, request.actor.subject_id, done.is_replay)
    return done


def _cancel(request: CancelRun, now: datetime) -> JsonObject:
    execution = lock_run(run_id=request.run_id, tenant_id=request.actor.tenant_id, now=now)
    if execution.log.state.is_terminal:
        raise RunTerminal(f"The run has already ended: it is {execution.log.state.status}.")
    advance.cancel_run(execution, reason=request.reason, cancelled_by=request.actor.subject_id)
    execution.log.flush()
    return {"runId": request.run_id, "status": str(execution.log.state.status)}


@dataclass(frozen=True, slots=True)
class BulkCancel:
    """One request to end many runs early; each is judged on its own."""

    actor: Actor
    run_ids: tuple[str, ...]
    reason: str | None = None
    idempotency_key: idempotency.Key | None = None


def bulk_cancel(*, request: BulkCancel, now: datetime) -> idempotency.Done:
    """Cancel each run on its own. Returns ``{results}`` in request order (wire contract §7.4)."""
    return idempotency.run(lambda: _bulk_cancel(request, now), key=request.idempotency_key, now=now)


def _bulk_cancel(request: BulkCancel, now: datetime) -> JsonObject:
    # Locks are taken in the order of ids: two overlapping calls would otherwise wait for each other forever.
    results = {run_id: _cancel_one(request, run_id, now) for run_id in sorted(set(request.run_ids))}
    return {"results": [results[run_id] for run_id in request.run_ids]}


def _cancel_one(request: BulkCancel, run_id: str, now: datetime) -> JsonObject:
    try:
        if not re.fullmatch(BOUND_ID_PATTERN, run_id):
            raise ValidationFailed("This is not the id of a run: an id is <tenant>/<opaque>.")
        if tenant_of(run_id) != request.actor.tenant_id:
            raise TenantMismatch
        with transaction.atomic():
            cancelled = _cancel(CancelRun(request.actor, run_id, request.reason), now)
    except WopError as error:
        envelope: JsonObject = {"error": error.code, "message": error.message}
        if error.details:
            envelope["details"] = error.details
        return {"runId": run_id, "ok": False, "error": envelope}
    return {"runId": run_id, "ok": True, "status": cancelled["status"]}


def read_run(*, tenant_id: str, run_id: str) -> Run:
    """Return one run of the tenant, or raise NotFound."""
    run = selectors.run_of(tenant_id, run_id)
    if run is None:
        raise NotFound(f"There is no run {run_id}.")
    return run
