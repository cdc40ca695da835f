"""The one way an interrupt is answered, whatever the surface (interrupt.md §Resolve surfaces, wire contract §13)."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from interrupts import selectors, suspensions
from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.engine.advance import Execution
from interrupts.engine.nodes import node_type
from interrupts.errors import AlreadyResolved, NotFound, ValidationFailed
from interrupts.kinds import registry
from interrupts.kinds.base import Decided, OpenInterrupt
from interrupts.models import Suspension
from interrupts.problems import moved, validation_failed
from interrupts.services import idempotency
from interrupts.services._locking import lock_run
from interrupts.services._settle import settle
from interrupts.vocabulary import InterruptKind

logger = logging.getLogger(__name__)

_BASE: Final = "/resumeValue"


@dataclass(frozen=True, slots=True)
class ResumeValue:
    """The answer, as it came."""

    value: JsonValue


@dataclass(frozen=True, slots=True)
class Submission:
    """The answer as an outcome and its payload, whatever shape the kind gives its answers."""

    outcome: str
    payload: JsonValue


@dataclass(frozen=True, slots=True)
class ResolveRequest:
    """One answer to the interrupt open at a node.

    ``answer`` may be the error of a body without the right shape: it is raised only once it is known that there is
    something to answer (wire contract §13, step 4). ``interrupt_id`` is set by a surface that showed one interrupt:
    an answer meant for it never counts for a later one at the same node.
    """

    actor: Actor
    run_id: str
    node_id: str
    answer: ResumeValue | Submission | ValidationFailed
    interrupt_id: str | None = None
    idempotency_key: idempotency.Key | None = None


def resolve_interrupt(*, request: ResolveRequest, now: datetime) -> idempotency.Done:
    """Answer an interrupt: exactly one answer decides it.

    Returns ``{runId, nodeId, status}`` with the run's status as stored; an answer that does not decide leaves it
    waiting. Raises NotFound, AlreadyResolved, Forbidden or ValidationFailed, in the order of wire contract §13, and
    nothing is changed by a refused answer.
    """
    done = idempotency.run(lambda: apply_answer(request, now), key=request.idempotency_key, now=now)
    logger.info(
        "interrupt answered run=%s node=%s subject=%s status=%s replay=%s",
        request.run_id,
        request.node_id,
        request.actor.subject_id,
        done.result["status"],
        done.is_replay,
    )
    return done


def apply_answer(request: ResolveRequest, now: datetime) -> JsonObject | idempotency.Refused:
    """Apply one answer inside a transaction of the caller's, who sees to it that a key is honoured once."""
    execution = lock_run(run_id=request.run_id, tenant_id=request.actor.tenant_id, now=now)
    suspension = _open_suspension(execution, request.node_id)
    if request.interrupt_id not in (None, suspension.pk):
        raise AlreadyResolved
    if suspension.deadline is not None and suspension.deadline <= now:
        return _too_late(execution, suspension)
    if isinstance(request.answer, ValidationFailed):
        raise request.answer
    _consider(execution, suspension, request.actor, request.answer)
    execution.log.flush()
    status = str(execution.log.state.status)
    return {"runId": request.run_id, "nodeId": request.node_id, "status": status}


def _open_suspension(execution: Execution, node_id: str) -> Suspension:
    run = execution.log.run
    if node_id not in execution.plan.nodes:
        raise NotFound(f"The workflow of this run has no node “{node_id}”.")
    suspension = selectors.open_suspension(run.pk, node_id)
    if suspension is None:
        if execution.log.state.is_terminal or selectors.was_suspended(run.pk, node_id):
            raise AlreadyResolved
        raise NotFound(f"The node “{node_id}” is not waiting for an answer.")
    suspension.run = run
    return suspension


def _too_late(execution: Execution, suspension: Suspension) -> idempotency.Refused:
    """Settle the passed deadline now: the sweep may be late, an answer after it never counts (§25 row 32)."""
    expire_suspension(execution, suspension)
    execution.log.flush()
    return idempotency.Refused(AlreadyResolved("The deadline of this interrupt has passed."))


def expire_suspension(execution: Execution, suspension: Suspension) -> None:
    """End an interrupt whose time is up, as its kind says."""
    kind = registry.get(InterruptKind(suspension.kind))
    settle(execution, suspension, kind.on_deadline(suspensions.as_interrupt(suspension)))


def _consider(execution: Execution, suspension: Suspension, actor: Actor, answer: ResumeValue | Submission) -> None:
    """Authorize before any detail of the schema is revealed, then validate, then weigh."""
    interrupt = suspensions.as_interrupt(suspension)
    kind = registry.get(interrupt.kind)
    right = kind.authorize(interrupt, actor)

    def weigh(value: JsonValue) -> None:
        valid = _validated(execution, suspension, interrupt, value)
        consideration = kind.consider(interrupt, actor, right, valid, now=execution.log.now)
        if isinstance(consideration, Decided):
            settle(execution, suspension, consideration.resolution)

    if isinstance(answer, ResumeValue):
        weigh(answer.value)
        return
    value = kind.answer(interrupt, answer.outcome, answer.payload)
    try:
        weigh(value)
    except ValidationFailed as error:
        raise moved(error, lambda pointer: kind.place(interrupt, pointer), base=_BASE) from error


def _validated(execution: Execution, suspension: Suspension, interrupt: OpenInterrupt, value: JsonValue) -> JsonValue:
    """Return an answer normalised, or raise why its kind, its schema or its node does not take it."""
    answer = registry.get(interrupt.kind).parse(interrupt, value, now=execution.log.now)
    if suspension.resume_schema is not None:
        problems = validate(compile_schema(suspension.resume_schema), value)
        if problems:
            raise validation_failed(problems, base=_BASE)
    node = execution.plan.nodes[suspension.node_id]
    refusal = node_type(node.type_id).refuses_answer(node.config, value)
    if refusal is not None:
        raise refusal
    return answer
