"""Pausing a run and letting it go on (wire contract §7.5)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime

from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.engine import advance, pausing, timeouts
from interrupts.engine.advance import Execution
from interrupts.errors import RunStateConflict, RunTerminal
from interrupts.events import isoformat
from interrupts.services import idempotency
from interrupts.services._locking import lock_run
from interrupts.vocabulary import DrainPolicy, RunStatus

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PauseRun:
    """One request to pause a run."""

    actor: Actor
    run_id: str
    drain_policy: DrainPolicy = DrainPolicy.DRAIN_CURRENT_NODE
    reason: str | None = None
    idempotency_key: idempotency.Key | None = None


def pause_run(*, request: PauseRun, now: datetime) -> idempotency.Done:
    """Let a run start nothing more. Returns ``{runId, status: "paused", pausedAt?}``.

    Without ``pausedAt`` the pause begins when the attempts under way have ended. An immediate pause may still overtake
    one that waits like that. Raises NotFound, RunTerminal, or RunStateConflict for a run that is paused, is being
    paused, or waits for an answer (§25 row 15).
    """
    done = idempotency.run(lambda: _pause(request, now), key=request.idempotency_key, now=now)
    logger.info("run paused run=%s subject=%s replay=%s", request.run_id, request.actor.subject_id, done.is_replay)
    return done


def _pause(request: PauseRun, now: datetime) -> JsonObject:
    execution = _lock(request.run_id, request.actor.tenant_id, now)
    log = execution.log
    status = log.state.status
    if status is not RunStatus.RUNNING:
        raise _conflict(status, f"A run can be paused while it is running; this one is {status}.")
    if log.run.pause_request is not None and request.drain_policy is DrainPolicy.DRAIN_CURRENT_NODE:
        raise _conflict(status, "The run is being paused already: it finishes what is under way.")
    pausing.pause(log, policy=request.drain_policy, reason=request.reason, by=request.actor.subject_id)
    log.flush()
    result: JsonObject = {"runId": request.run_id, "status": str(RunStatus.PAUSED)}
    return result | {"pausedAt": isoformat(log.now)} if log.state.status is RunStatus.PAUSED else result


@dataclass(frozen=True, slots=True)
class ResumeRun:
    """One request to let a paused run go on."""

    actor: Actor
    run_id: str
    reason: str | None = None
    idempotency_key: idempotency.Key | None = None


def resume_run(*, request: ResumeRun, now: datetime) -> idempotency.Done:
    """Let a paused run go on, or take back a pause that has not begun. Returns ``{runId, status, resumedAt}``.

    The status is ``running``, as the contract fixes it: where the run stands afterwards, its snapshot tells. Raises
    NotFound, RunTerminal, or RunStateConflict for a run that is not paused.
    """
    done = idempotency.run(lambda: _resume(request, now), key=request.idempotency_key, now=now)
    logger.info("run resumed run=%s subject=%s replay=%s", request.run_id, request.actor.subject_id, done.is_replay)
    return done


def _resume(request: ResumeRun, now: datetime) -> JsonObject:
    execution = _lock(request.run_id, request.actor.tenant_id, now)
    log = execution.log
    was_paused = log.state.status is RunStatus.PAUSED
    if not was_paused and log.run.pause_request is None:
        raise _conflict(log.state.status, f"Only a paused run can be resumed; this one is {log.state.status}.")
    pausing.resume(log, reason=request.reason, by=request.actor.subject_id)
    if was_paused:
        timeouts.arm_run_timeout(execution.plan, log)
    # Also where a pause is taken back: meanwhile the end of one branch may have been held.
    advance.advance(execution)
    log.flush()
    return {"runId": request.run_id, "status": str(RunStatus.RUNNING), "resumedAt": isoformat(log.now)}


def _lock(run_id: str, tenant_id: str, now: datetime) -> Execution:
    execution = lock_run(run_id=run_id, tenant_id=tenant_id, now=now)
    if execution.log.state.is_terminal:
        raise RunTerminal(f"The run has already ended: it is {execution.log.state.status}.")
    return execution


def _conflict(status: RunStatus, message: str) -> RunStateConflict:
    return RunStateConflict(message, details={"runStatus": str(status)})
