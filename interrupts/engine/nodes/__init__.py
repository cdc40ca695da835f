"""The node types. A new one is one file, one line here and one test."""

from __future__ import annotations

from typing import Final

from interrupts.engine.nodes.approval_gate import ApprovalGate
from interrupts.engine.nodes.base import NodeType
from interrupts.engine.nodes.delay import Delay
from interrupts.engine.nodes.fail import Fail
from interrupts.engine.nodes.identity import Identity
from interrupts.engine.nodes.interrupt import Interrupt
from interrupts.engine.nodes.noop import Noop

NODE_TYPES: Final[dict[str, NodeType]] = {
    kind.type_id: kind for kind in (ApprovalGate(), Delay(), Fail(), Identity(), Interrupt(), Noop())
}


def node_type(type_id: str) -> NodeType:
    """Return the type, or raise KeyError: a definition with an unknown type is never registered."""
    return NODE_TYPES[type_id]
