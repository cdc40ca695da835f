"""What only some installations offer, offered for the length of a test."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest
from django.conf import settings

from interrupts.contracts.types import JsonObject
from interrupts.engine.nodes import NODE_TYPES
from interrupts.engine.nodes.base import NodeType
from interrupts.engine.nodes.conversation_gate import ConversationGate
from interrupts.engine.nodes.mock_agent import MockAgent
from interrupts.engine.nodes.oauth_use import OAuthUse
from interrupts.kinds import registry
from interrupts.kinds.credential import MISSING, Account, Credential, Standing
from interrupts.vocabulary import InterruptKind


class Accounts:
    """An authority, and the provider `synthetic` in one: it knows the accounts that a test connects."""

    def __init__(self) -> None:
        self.providers: Sequence[str] = ("synthetic",)
        self._accounts: dict[str, list[str]] = {}
        self._ended: set[str] = set()

    def grant(self, subject: JsonObject, provider: str, *scopes: str) -> None:
        self._accounts.setdefault(_ref(subject, provider), []).extend(scopes)
        self._ended.discard(_ref(subject, provider))

    def end(self, subject: JsonObject, provider: str) -> None:
        """Let the credential expire beyond refreshing."""
        self._ended.add(_ref(subject, provider))

    def look_up(self, *, subject: JsonObject, provider: str, scopes: Sequence[str]) -> Account:
        ref = _ref(subject, provider)
        if ref not in self._accounts:
            return MISSING
        if ref in self._ended:
            return Account(Standing.EXPIRED, ref)
        covered = set(scopes) <= set(self._accounts[ref])
        return Account(Standing.CONNECTED if covered else Standing.INSUFFICIENT_SCOPE, ref)

    def authorize_url(
        self, *, provider: str, scopes: Sequence[str], state: str, code_challenge: str, redirect_uri: str
    ) -> str:
        asked = {"state": state, "code_challenge": code_challenge, "redirect_uri": redirect_uri, "scope": scopes}
        return f"https://{provider}.example.org/authorize?{urlencode(asked, doseq=True)}"

    def connect(
        self,
        *,
        subject: JsonObject,
        provider: str,
        scopes: Sequence[str],
        code: str,
        code_verifier: str,
        redirect_uri: str,
    ) -> None:
        challenge = base64.urlsafe_b64encode(hashlib.sha256(code_verifier.encode()).digest()).rstrip(b"=").decode()
        if code != f"code-for.{challenge}.{redirect_uri}":
            raise RuntimeError(f"the provider does not take the code {code} with {code_verifier}")
        self.grant(subject, provider, *scopes)


def consent(authorize_url: str) -> dict[str, str]:
    """Consent at the provider's page: what it sends back to the host, with a code that only the asker can use."""
    asked = dict(parse_qsl(urlsplit(authorize_url).query))
    return {"state": asked["state"], "code": f"code-for.{asked['code_challenge']}.{asked['redirect_uri']}"}


def _ref(subject: JsonObject, provider: str) -> str:
    return f"{provider}:{subject['subjectId']}"


def offer_credentials(patch: pytest.MonkeyPatch) -> Accounts:
    """Offer credential interrupts, and the node type of conformance runs that raises them."""
    accounts = Accounts()
    patch.setattr(settings, "WOP_PUBLIC_URL", "https://wop.example.org")
    patch.setitem(registry._KINDS, InterruptKind.CREDENTIAL, Credential(accounts))
    patch.setitem(NODE_TYPES, OAuthUse.type_id, OAuthUse(accounts))
    return accounts


def offer_conformance_types(patch: pytest.MonkeyPatch) -> None:
    """Offer the node types that WOP_CONFORMANCE=1 adds."""
    kinds: tuple[NodeType, ...] = (MockAgent(), ConversationGate(may_answer_itself=True))
    for kind in kinds:
        patch.setitem(NODE_TYPES, kind.type_id, kind)
