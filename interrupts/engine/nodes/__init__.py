"""The node types. A new one is one file, one line here and one test."""

from __future__ import annotations

from typing import Final

from interrupts.engine.nodes.approval_gate import ApprovalGate
from interrupts.engine.nodes.base import NodeType
from interrupts.engine.nodes.clarification_gate import ClarificationGate
from interrupts.engine.nodes.contract_interrupt import ContractInterrupt
from interrupts.engine.nodes.conversation_gate import ConversationGate
from interrupts.engine.nodes.delay import Delay
from interrupts.engine.nodes.fail import Fail
from interrupts.engine.nodes.identity import Identity
from interrupts.engine.nodes.interrupt import Interrupt
from interrupts.engine.nodes.noop import Noop
from interrupts.engine.nodes.sub_workflow import SubWorkflow

NODE_TYPES: Final[dict[str, NodeType]] = {
    kind.type_id: kind
    for kind in (
        ApprovalGate(),
        ClarificationGate(),
        ContractInterrupt(),
        ConversationGate(),
        Delay(),
        Fail(),
        Identity(),
        Interrupt(),
        Noop(),
        SubWorkflow(),
    )
}

# Names that the protocol reserves, and what a host must offer to have them (wire contract §6.3). One that is not in
# NODE_TYPES may be registered and is refused when a run is created: the host may offer it by then.
RESERVED: Final = {
    "core.conversationGate": "conversationPrimitive",
    "core.dispatch": "multiAgent",
    "core.httpFetch": "httpClient",
    "core.orchestrator.supervisor": "multiAgent",
    "core.conformance.mock-agent": "conformance",
    "core.conformance.side-effect": "conformance",
    "conformance.oauth.use": "oauth.credentialInterrupt",
    "conformance.requiresMissing": "conformance.never-provided",
}


def register(kind: NodeType) -> None:
    """Add a type that depends on the installation, or put it in the place of a plainer one, when the app starts."""
    NODE_TYPES[kind.type_id] = kind


def node_type(type_id: str) -> NodeType:
    """Return the type, or raise KeyError: no run is created of a workflow with a type that is not here."""
    return NODE_TYPES[type_id]
