"""What a workflow needs of a host, looked at whenever a run is created: an offer may have gone since registration."""

from __future__ import annotations

from interrupts.engine.nodes import NODE_TYPES, RESERVED
from interrupts.engine.plan import Plan, PlanNode
from interrupts.errors import CapabilityRequired
from interrupts.vocabulary import CAPABILITY, InterruptKind


def check_offered(plan: Plan, *, kinds: frozenset[InterruptKind]) -> None:
    """Raise what keeps a run of this plan from being created here (wire contract §6.3, §23).

    ``kinds`` are the kinds of interrupt that the host serves. Raises CapabilityRequired, with
    ``details.requiredCapability``, or what a node type has against its own configuration.
    """
    for node in plan.nodes.values():
        _check_node(node, kinds)


def _check_node(node: PlanNode, kinds: frozenset[InterruptKind]) -> None:
    kind = NODE_TYPES.get(node.type_id)
    if kind is None:
        raise _lacking(RESERVED.get(node.type_id, node.type_id), f"the type {node.type_id}", node)
    asked = kind.asks(node.config)
    if asked is not None and asked.kind not in kinds:
        raise _lacking(CAPABILITY[asked.kind], f"interrupts of the kind {asked.kind}", node)
    refusal = kind.refuses_start(node.config)
    if refusal is not None:
        raise refusal


def _lacking(capability: str, what: str, node: PlanNode) -> CapabilityRequired:
    message = f"The node “{node.id}” needs {what}, which this host does not offer."
    return CapabilityRequired(message, details={"requiredCapability": capability, "nodeId": node.id})
