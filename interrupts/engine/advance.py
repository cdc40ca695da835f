"""The engine: a worklist over one locked run. It writes what node types only return.

It runs inline up to a bound of node executions; the rest of a long run is handed on through the outbox, so that no
request or task holds a run's lock for long.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from typing import assert_never, cast

from interrupts import conf, outbox, suspensions, timers
from interrupts.contracts.json_values import as_integer
from interrupts.contracts.types import JsonObject
from interrupts.engine import children, keys, pausing, routing, timeouts
from interrupts.engine.bounds import bounded
from interrupts.engine.conditions import ConditionError, condition_holds
from interrupts.engine.conversing import take_conversations
from interrupts.engine.nodes import node_type
from interrupts.engine.nodes.base import (
    ChildEnd,
    Completed,
    Dispatch,
    Failed,
    NodeContext,
    NodeEvent,
    NodeResult,
    Suspend,
    Wait,
)
from interrupts.engine.plan import Plan, PlanEdge, load_plan, parse_port
from interrupts.engine.values import PortError, resolve_inputs
from interrupts.engine.work import is_share_used, one_share
from interrupts.events import RunLog
from interrupts.kinds.base import Resolution
from interrupts.models import Run
from interrupts.vocabulary import (
    DEFAULT_ESCALATION_THRESHOLD,
    TIMEOUT_ACTION,
    Decision,
    EventType,
    NodeStatus,
    TimerPurpose,
    Topic,
)


@dataclass(frozen=True, slots=True)
class Execution:
    """One run under its lock: its plan, its open log, and what it may use."""

    plan: Plan
    log: RunLog
    recursion_limit: int
    loop_limit: int | None
    escalation_threshold: float

    @classmethod
    def of(cls, run: Run, log: RunLog) -> Execution:
        options = cast("JsonObject", (run.configurable or {}).get("run", {}))
        ceiling = conf.limits().max_node_executions
        return cls(
            plan=load_plan(run.workflow.document),
            log=log,
            recursion_limit=min(as_integer(options.get("recursionLimit")) or ceiling, ceiling),
            loop_limit=as_integer(options.get("maxLoopIterations")),
            escalation_threshold=cast("float", options.get("escalationThreshold", DEFAULT_ESCALATION_THRESHOLD)),
        )

    def scope(self, source: str | None = None) -> JsonObject:
        """Return what expressions, conditions and ports may look at."""
        state = self.log.state
        nodes = {name: {"status": str(n.status), "outputs": n.outputs} for name, n in state.nodes.items()}
        variables = {**self.log.run.variables, **state.variables}
        scope = {"inputs": state.inputs, "variables": variables, "nodes": nodes}
        if source is not None:
            scope["output"] = state.nodes[source].outputs
        return cast("JsonObject", scope)

    def holds(self, edge: PlanEdge) -> bool:
        """Return whether an edge counts now: it must leave by the way its source took, and its condition be true."""
        if edge.source_output is not None and edge.source_output not in self.log.state.nodes[edge.source].outputs:
            source = self.plan.nodes[edge.source]
            if edge.source_output in node_type(source.type_id).ways(source.config):
                return False
        return edge.condition is None or condition_holds(edge, self.scope(edge.source))


def advance(execution: Execution) -> None:
    """Run until the run waits, ends, or has used its inline share."""
    with _bad_conditions_fail(execution):
        _advance(execution)


@contextmanager
def _bad_conditions_fail(execution: Execution) -> Iterator[None]:
    """End the run where an edge's condition cannot be evaluated: guessing a way on could pass a gate."""
    try:
        with one_share():
            yield
    except ConditionError as error:
        fail_run(execution, "node_config_invalid", error.message, details={"edgeId": error.edge_id})


def _advance(execution: Execution) -> None:
    budget, has_begun = conf.limits().inline_node_executions, False
    log = execution.log
    while not log.state.is_terminal and not pausing.is_held(log):
        match routing.next_step(execution.plan, log.state, execution.holds):
            case routing.Start() as start:
                if budget == 0 or (has_begun and is_share_used()):
                    hand_on(execution)
                    return
                budget, has_begun = budget - 1, True
                _start(execution, start)
            case routing.Skip(node_id, reason):
                log.append(EventType.NODE_SKIPPED, {"nodeId": node_id, "reason": reason}, node_id=node_id)
            case routing.Idle():
                return
            case routing.Finish(outputs):
                _finish(execution, outputs)


def hand_on(execution: Execution) -> None:
    """Let a worker go on from here, after commit."""
    run, state = execution.log.run, execution.log.state
    outbox.enqueue(
        topic=Topic.ADVANCE_RUN,
        run=run,
        dedupe_key=f"{Topic.ADVANCE_RUN}:{run.pk}:{state.last_sequence}"[-128:],
        now=execution.log.now,
    )


def resume(execution: Execution, resolution: Resolution, *, node_id: str, asked: JsonObject) -> None:
    """Give a resolved interrupt back to the node that raised it (interrupt.md §Rejection), then go on.

    ``asked`` is the interrupt's data as people saw it: what the node looks at now, whatever its inputs would say today.
    """
    log = execution.log
    if resolution.decision != Decision.REJECTED and resolution.reason != TIMEOUT_ACTION:
        payload: JsonObject = {
            "nodeId": node_id,
            "interruptId": resolution.interrupt_id,
            "resumeValue": resolution.resume_value,
        }
        log.append(EventType.NODE_RESUMED, payload, node_id=node_id)
    raised_by = node_type(execution.plan.nodes[node_id].type_id)
    go_on(execution, node_id, raised_by.resume(_context(execution, node_id, asked=asked), resolution))


def elapse(execution: Execution, node_id: str) -> None:
    """Go on after a node's delay."""
    waiting = node_type(execution.plan.nodes[node_id].type_id)
    go_on(execution, node_id, waiting.elapsed(_context(execution, node_id)))


def child_ended(execution: Execution, node_id: str, child: ChildEnd) -> None:
    """Go on after the sub-workflow of a node has ended."""
    waiting = node_type(execution.plan.nodes[node_id].type_id)
    go_on(execution, node_id, bounded(waiting.child_ended(_context(execution, node_id), child), execution.log.state))


def go_on(execution: Execution, node_id: str, result: NodeResult) -> None:
    """Take the result of a node that was under way, then run as far as it goes."""
    with _bad_conditions_fail(execution):
        _apply(execution, node_id, result)
        _advance(execution)


def _start(execution: Execution, start: routing.Start) -> None:
    log, node = execution.log, execution.plan.nodes[start.node_id]
    if _breaches_a_limit(execution, start):
        return
    payload: JsonObject = {"nodeId": node.id, "typeId": node.type_id, "attempt": start.attempt}
    if start.is_reopened:
        payload["x-reopened"] = True
    log.append(EventType.NODE_STARTED, payload, node_id=node.id)
    kind = node_type(node.type_id)
    bound = {each.name: parse_port(each.source) for each in kind.bound(node.config)}
    try:
        inputs = resolve_inputs(node, execution.scope(), start.delivered, bound=bound)
        result = bounded(kind.execute(_context(execution, node.id, inputs=inputs)), log.state)
    except PortError as error:
        result = Failed(error.code, error.message)
    _apply(execution, node.id, result)


def _context(
    execution: Execution, node_id: str, *, inputs: JsonObject | None = None, asked: JsonObject | None = None
) -> NodeContext:
    node, state = execution.plan.nodes[node_id], execution.log.state
    visit = state.nodes[node_id].resolved_before
    return NodeContext(
        run_id=execution.log.run.pk,
        node_id=node_id,
        node_name=node.name,
        config=node.config,
        inputs=inputs or {},
        visit=visit,
        asked=asked or {},
        ordinal=state.nodes[node_id].resolved - visit,
        turns=state.turns,
        owner=execution.log.run.owner,
        agent_id=node.agent_id,
        escalation_threshold=execution.escalation_threshold,
        variables={**execution.log.run.variables, **state.variables},
    )


def _breaches_a_limit(execution: Execution, start: routing.Start) -> bool:
    state, plan = execution.log.state, execution.plan
    if state.executions >= execution.recursion_limit:
        _breach(execution, "node-executions", execution.recursion_limit, state.executions + 1, start.node_id)
        return True
    if not start.is_reopened or start.attempt:
        return False
    rounds = state.nodes[start.node_id].visits
    if execution.loop_limit is not None and rounds > execution.loop_limit:
        _breach(execution, "loop-iterations", execution.loop_limit, rounds, start.node_id)
        return True
    advisory = plan.settings.max_loopback_iterations
    if advisory is not None and rounds == advisory + 1:
        payload: JsonObject = {"nodeId": start.node_id, "iterations": rounds, "limit": advisory}
        execution.log.append(EventType.WORKFLOW_LOOPBACK_LIMIT, payload, node_id=start.node_id)
    return False


_BREACH_CODES = {
    "node-executions": ("recursion_limit_exceeded", "The run started more nodes than it may"),
    "loop-iterations": ("loop_limit_exceeded", "A loop of the run went round more often than it may"),
    "run-duration": ("run_timeout", "The run took longer than it may"),
}


def _breach(execution: Execution, kind: str, limit: int, observed: int, node_id: str = "") -> None:
    payload: JsonObject = {"kind": kind, "limit": limit, "observed": observed}
    if node_id:
        payload["nodeId"] = node_id
    execution.log.append(EventType.CAP_BREACHED, payload, node_id=node_id)
    code, sentence = _BREACH_CODES[kind]
    fail_run(execution, code, f"{sentence} (limit {limit}).", details={"limit": limit})


def time_out_run(execution: Execution, *, limit_ms: int, observed_ms: int) -> None:
    """End a run that outlived its own limit (wire contract §7.1, ``runTimeoutMs``)."""
    _breach(execution, "run-duration", limit_ms, observed_ms)


def _apply(execution: Execution, node_id: str, result: NodeResult) -> None:
    log = execution.log
    taken = take_conversations(log, result)
    if taken is not None:
        result = taken
    if not isinstance(result, Wait | Dispatch):
        _record(execution, node_id, result.events)
    match result:
        case Completed(outputs):
            log.append(EventType.NODE_COMPLETED, {"nodeId": node_id, "outputs": outputs}, node_id=node_id)
        case Failed():
            _fail_node(execution, node_id, result)
        case Suspend():
            _suspend(execution, node_id, result)
        case Wait(delay_ms):
            timers.arm(
                run=log.run,
                purpose=TimerPurpose.DELAY,
                node_id=node_id,
                due_at=log.now + timedelta(milliseconds=delay_ms),
                ordinal=log.state.nodes[node_id].visits,
            )
        case Dispatch():
            _dispatch(execution, node_id, result)
        case _:
            assert_never(result)


def _record(execution: Execution, node_id: str, events: tuple[NodeEvent, ...]) -> None:
    for event in events:
        execution.log.append(event.type, event.payload, node_id=node_id)


def _dispatch(execution: Execution, node_id: str, wish: Dispatch) -> None:
    child = children.dispatch(execution.log, execution.plan, node_id, wish)
    if isinstance(child, Failed):
        _fail_node(execution, node_id, child)
    elif not wish.waits:
        payload: JsonObject = {"nodeId": node_id, "outputs": child}
        execution.log.append(EventType.NODE_COMPLETED, payload, node_id=node_id)


def _suspend(execution: Execution, node_id: str, suspend: Suspend) -> None:
    """Raise the interrupt: record it, arm its deadline, log it (wire contract §8.4).

    A reason is told at once, and the request after it: what an agent decided must be directly followed by the
    suspension (interrupt.md §Payload, low-confidence).
    """
    log = execution.log
    node = log.state.nodes[node_id]
    key = keys.interrupt_key(log.run.pk, node_id, node.resolved_before, node.resolved - node.resolved_before)
    payload: JsonObject = {"kind": str(suspend.kind), "key": key, "data": suspend.data}
    if suspend.resume_schema is not None:
        payload["resumeSchema"] = suspend.resume_schema
    if suspend.timeout_ms:
        payload["timeoutMs"] = suspend.timeout_ms
    suspension = suspensions.open_interrupt(
        run=log.run,
        node_id=node_id,
        visit=node.visits,
        payload=payload,
        contract=suspend.contract,
        title=suspend.title,
        now=log.now,
    )
    if suspension.deadline is not None:
        timers.arm(
            run=log.run,
            purpose=TimerPurpose.DEADLINE,
            node_id=node_id,
            due_at=suspension.deadline,
            ordinal=node.visits,
        )
    waits: JsonObject = {"nodeId": node_id, "interruptId": suspension.pk, "kind": str(suspend.kind), "key": key}
    requested, suspended = (EventType.INTERRUPT_REQUESTED, payload), (EventType.NODE_SUSPENDED, waits)
    if suspend.reason is not None:
        waits["reason"] = suspend.reason
        requested, suspended = suspended, requested
    for event_type, body in (requested, suspended):
        log.append(event_type, body, node_id=node_id)
    _record(execution, node_id, suspend.then)


def _fail_node(execution: Execution, node_id: str, failure: Failed) -> None:
    """Record the failure; without an edge that admits it, the run fails naming this node (interrupt.md §Rejection)."""
    error: JsonObject = {"code": failure.code, "message": failure.message, "retryable": failure.retryable}
    if failure.details:
        error["details"] = failure.details
    attempts = execution.log.state.nodes[node_id].attempt + 1
    payload: JsonObject = {"nodeId": node_id, "error": error, "attempts": attempts}
    execution.log.append(EventType.NODE_FAILED, payload, node_id=node_id)
    if not routing.is_routed(execution.plan, node_id, execution.holds):
        fail_run(execution, failure.code, failure.message, node_id=node_id, details=failure.details)


def fail_run(
    execution: Execution, code: str, message: str, *, node_id: str = "", details: JsonObject | None = None
) -> None:
    """End the run as failed, ending first whatever still waits in it."""
    stop_active_nodes(execution, reason="run-failed")
    error: JsonObject = {"code": code, "message": message}
    if details:
        error["details"] = details
    payload: JsonObject = {"error": error, "durationMs": _duration_ms(execution)}
    if node_id:
        payload["failedNodeId"] = node_id
    execution.log.append(EventType.RUN_FAILED, payload)
    children.end_family(execution.log)


def cancel_run(
    execution: Execution, *, reason: str | None, cancelled_by: str | None, parent_run_id: str | None = None
) -> None:
    """End the run as cancelled (wire contract §7.4): waiting nodes first, the terminal event last."""
    stop_active_nodes(execution, reason=reason or "run-cancelled")
    optional = {"cancelledBy": cancelled_by, "reason": reason, "parentRunId": parent_run_id}
    payload: JsonObject = {"durationMs": _duration_ms(execution)}
    payload |= {name: value for name, value in optional.items() if value is not None}
    execution.log.append(EventType.RUN_CANCELLED, payload)
    children.end_family(execution.log)


def stop_active_nodes(execution: Execution, *, reason: str) -> None:
    log = execution.log
    active = [node_id for node_id, node in log.state.nodes.items() if node.is_active]
    if any(log.state.nodes[node_id].status is NodeStatus.SUSPENDED for node_id in active):
        suspensions.cancel_open(log.run.pk, reason=reason, now=log.now)
    for node_id in active:
        log.append(EventType.NODE_CANCELLED, {"nodeId": node_id, "reason": reason}, node_id=node_id)
    if active or timeouts.run_timeout_ms(execution.plan, log.run) is not None:
        timers.disarm_run(log.run.pk)


def _finish(execution: Execution, outputs: JsonObject) -> None:
    if timeouts.run_timeout_ms(execution.plan, execution.log.run) is not None:
        timers.disarm_run(execution.log.run.pk)
    payload: JsonObject = {"outputs": outputs, "durationMs": _duration_ms(execution)}
    execution.log.append(EventType.RUN_COMPLETED, payload)
    children.end_family(execution.log)


def _duration_ms(execution: Execution) -> int:
    elapsed = execution.log.now - execution.log.run.created_at
    return max(0, round(elapsed.total_seconds() * 1000))
