"""What runs next: a pure function of the plan and the state (wire contract §6.2).

A node is *pending* when it never ran, or when one of its forward sources was activated after it was. A pending node is
*ready* when all its forward sources are settled and none of them is pending itself; its trigger rule then decides
between a start and a skip. A back edge reopens its target when its source settled after the target's last activation
and the edge alone delivers by its rule; a skip never reopens. Reopening makes everything downstream pending again, so
a loop runs its whole body each time round, and all of it follows from sequences in the log.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from interrupts.contracts.types import JsonObject
from interrupts.engine.plan import Plan, PlanEdge
from interrupts.run_state import RunState
from interrupts.vocabulary import RULES_ADMITTING_FAILURE, SETTLED_STATUSES, NodeStatus, TriggerRule


@dataclass(frozen=True, slots=True)
class Start:
    """Start the node; ``delivered`` are the edges over which it was reached. ``attempt`` counts from zero."""

    node_id: str
    delivered: tuple[PlanEdge, ...]
    is_reopened: bool = False
    attempt: int = 0


@dataclass(frozen=True, slots=True)
class Skip:
    node_id: str
    reason: str


@dataclass(frozen=True, slots=True)
class Idle:
    """Nothing can run until something outside happens."""


@dataclass(frozen=True, slots=True)
class Finish:
    outputs: JsonObject


Step = Start | Skip | Idle | Finish
Holds = Callable[[PlanEdge], bool]


def next_step(plan: Plan, state: RunState, holds: Holds) -> Step:
    """Return the one next step. ``holds`` tells whether an edge's condition is true now."""
    cut = next((name for name in plan.order if name in state.nodes and state.nodes[name].is_interrupted), None)
    if cut is not None:
        return _start_again(plan, state, cut, holds)
    pending = _pending_nodes(plan, state)
    for node_id in plan.order:
        if node_id in pending:
            if _is_ready(plan, state, node_id, pending):
                return _enter(plan, state, node_id, holds)
        elif not state.nodes[node_id].is_active:
            back = _reopening_edges(plan, state, node_id, pending, holds)
            if back:
                return Start(node_id, back, is_reopened=True)
    if any(node.is_active for node in state.nodes.values()):
        return Idle()
    return Finish(_sink_outputs(plan, state))


def is_routed(plan: Plan, node_id: str, holds: Holds) -> bool:
    """Return whether a failure of the node has somewhere to go: an edge that admits a failed source and holds."""
    return any(edge.trigger_rule in RULES_ADMITTING_FAILURE and holds(edge) for edge in plan.outgoing[node_id])


def rule_admits(rule: TriggerRule, sources: Sequence[NodeStatus]) -> bool:
    """Return whether a node fires, its sources having settled as ``sources``."""
    match rule:
        case TriggerRule.ALL_SUCCESS:
            return all(status is NodeStatus.COMPLETED for status in sources)
        case TriggerRule.ANY_SUCCESS:
            return any(status is NodeStatus.COMPLETED for status in sources)
        case TriggerRule.NONE_FAILED:
            return not any(status is NodeStatus.FAILED for status in sources)
        case TriggerRule.ANY_FAILED:
            return any(status is NodeStatus.FAILED for status in sources)
        case TriggerRule.ALL_COMPLETE:
            return True


def _pending_nodes(plan: Plan, state: RunState) -> set[str]:
    pending: set[str] = set()
    for node_id in plan.order:
        node = state.nodes.get(node_id)
        if node is None or (not node.is_active and _is_outdated(plan, state, node_id, node.activated, pending)):
            pending.add(node_id)
    return pending


def _is_outdated(plan: Plan, state: RunState, node_id: str, activated: int, pending: set[str]) -> bool:
    return any(
        source in pending or state.nodes[source].activated > activated for source in plan.forward_sources[node_id]
    )


def _is_ready(plan: Plan, state: RunState, node_id: str, pending: set[str]) -> bool:
    return all(
        source not in pending and state.nodes[source].status in SETTLED_STATUSES
        for source in plan.forward_sources[node_id]
    )


def _enter(plan: Plan, state: RunState, node_id: str, holds: Holds) -> Step:
    if plan.nodes[node_id].disabled:
        return Skip(node_id, "disabled")
    edges = [edge for edge in plan.incoming[node_id] if edge.id not in plan.back_edges]
    arrivals = {edge.id: _arrival(state, edge, holds) for edge in edges}
    if rule_admits(plan.rule[node_id], list(arrivals.values())):
        return Start(node_id, tuple(edge for edge in edges if arrivals[edge.id] is not NodeStatus.SKIPPED))
    return Skip(node_id, f"trigger rule {plan.rule[node_id]} not satisfied")


def _start_again(plan: Plan, state: RunState, node_id: str, holds: Holds) -> Start:
    """Start the next attempt of a visit that a pause cut short, over the edges that the visit was entered by."""
    node = state.nodes[node_id]
    edges = [edge for edge in plan.incoming[node_id] if (edge.id in plan.back_edges) == node.is_reopened]
    delivered = tuple(
        edge
        for edge in edges
        if (_reopens(state, edge, holds) if node.is_reopened else _arrival(state, edge, holds) != NodeStatus.SKIPPED)
    )
    return Start(node_id, delivered, is_reopened=node.is_reopened, attempt=node.attempt + 1)


def _arrival(state: RunState, edge: PlanEdge, holds: Holds) -> NodeStatus:
    """Return how the source counts along this edge: a false condition makes it a skipped one (§25 row 42).

    A failed source stays failed on an edge that cannot admit it, whatever its condition: it must not satisfy
    ``none_failed`` as a skipped one (interrupt.md §Rejection), and has no outputs for a condition to look at.
    """
    status = state.nodes[edge.source].status
    if status is NodeStatus.FAILED and edge.trigger_rule not in RULES_ADMITTING_FAILURE:
        return status
    if status in (NodeStatus.COMPLETED, NodeStatus.FAILED) and not holds(edge):
        return NodeStatus.SKIPPED
    return status


def _reopening_edges(
    plan: Plan, state: RunState, node_id: str, pending: set[str], holds: Holds
) -> tuple[PlanEdge, ...]:
    if plan.nodes[node_id].disabled:
        return ()
    return tuple(
        edge
        for edge in plan.incoming[node_id]
        if edge.id in plan.back_edges and edge.source not in pending and _reopens(state, edge, holds)
    )


def _reopens(state: RunState, edge: PlanEdge, holds: Holds) -> bool:
    # The source is downstream of the target: not being pending, it settled after the target's latest start.
    status = _arrival(state, edge, holds)
    return status in (NodeStatus.COMPLETED, NodeStatus.FAILED) and rule_admits(edge.trigger_rule, [status])


def _sink_outputs(plan: Plan, state: RunState) -> JsonObject:
    """Merge the outputs of the completed sinks in plan order (§25 row 43)."""
    outputs: JsonObject = {}
    for node_id in plan.order:
        node = state.nodes.get(node_id)
        if node is not None and node.status is NodeStatus.COMPLETED and not plan.outgoing[node_id]:
            outputs.update(node.outputs)
    return outputs
