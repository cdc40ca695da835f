"""What only some installations offer, offered for the length of a test."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.engine.nodes import NODE_TYPES
from interrupts.engine.nodes.base import NodeType
from interrupts.engine.nodes.conversation_gate import ConversationGate
from interrupts.engine.nodes.mock_agent import MockAgent
from interrupts.engine.nodes.oauth_use import OAuthUse
from interrupts.kinds import registry
from interrupts.kinds.credential import Credential
from interrupts.vocabulary import InterruptKind


@dataclass
class Accounts:
    """An authority that knows the accounts a test connects, and nothing of how they were connected."""

    providers: Sequence[str] = ("synthetic",)
    connected: list[tuple[str, str, str]] = field(default_factory=list)

    def connect(self, subject: JsonObject, provider: str, *scopes: str) -> None:
        self.connected += [(str(subject["subjectId"]), provider, scope) for scope in scopes]

    def holds(self, *, subject: JsonObject, provider: str, scopes: Sequence[str]) -> bool:
        return all((subject["subjectId"], provider, scope) in self.connected for scope in scopes)

    def connect_url(self, *, provider: str) -> str:
        return f"https://wop.example.org/connect/{provider}"


def offer_credentials(patch: pytest.MonkeyPatch) -> Accounts:
    """Offer credential interrupts, and the node type of conformance runs that raises them."""
    accounts = Accounts()
    patch.setitem(registry._KINDS, InterruptKind.CREDENTIAL, Credential(accounts))
    patch.setitem(NODE_TYPES, OAuthUse.type_id, OAuthUse(accounts))
    return accounts


def offer_conformance_types(patch: pytest.MonkeyPatch) -> None:
    """Offer the node types that WOP_CONFORMANCE=1 adds."""
    kinds: tuple[NodeType, ...] = (MockAgent(), ConversationGate(may_answer_itself=True))
    for kind in kinds:
        patch.setitem(NODE_TYPES, kind.type_id, kind)
