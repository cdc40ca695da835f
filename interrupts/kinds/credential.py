"""Credential interrupts: a person connects an account elsewhere, and says only that they did (wire contract §22).

No credential passes through here: not in what is asked, not in the answer, not in an error. Where the accounts are,
only the installation's own authority knows (docs/credentials.md); without one this kind is not offered.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import ClassVar, Final, Protocol, cast

from interrupts.actor import Actor
from interrupts.contracts.checking import assemble, run
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import ValidationFailed
from interrupts.kinds.base import Consideration, Contract, Decided, OpenInterrupt, Resolution, SingleAnswer
from interrupts.vocabulary import InterruptKind

AUTHORIZED: Final = "authorized"
DECLINED: Final = "declined"

# Which credential an "authorized" was believed for: its name with the authority, kept on interrupt.resolved.
CREDENTIAL_REF: Final = "x-credential-ref"

# Exactly this must stand in the payload (interrupt.md §Payload, suspend-request.schema.json).
RESUME_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["outcome"],
    "properties": {"outcome": {"enum": [AUTHORIZED, DECLINED]}},
}

_NOTHING: Final[JsonObject] = {"type": "object", "additionalProperties": False}


class Standing(StrEnum):
    """How an account stands. All but the first are reasons to ask for it (suspend-request.schema.json)."""

    CONNECTED = "connected"
    MISSING = "missing"
    EXPIRED = "expired"
    INSUFFICIENT_SCOPE = "insufficient_scope"


@dataclass(frozen=True, slots=True)
class Account:
    """A Subject's account at a provider. ``ref`` names its credential with the authority and must be none itself.

    It is empty for an account that is missing, and for no other.
    """

    standing: Standing
    ref: str = ""


MISSING: Final = Account(Standing.MISSING)


class CredentialAuthority(Protocol):
    """Who knows which accounts are connected. It keeps the credentials; this host never sees one."""

    @property
    def providers(self) -> Sequence[str]:
        """The ids of the providers that can be connected."""

    def look_up(self, *, subject: JsonObject, provider: str, scopes: Sequence[str]) -> Account:
        """Return, at once, how the account of ``subject`` stands: a run is locked meanwhile."""

    def authorize_url(
        self, *, provider: str, scopes: Sequence[str], state: str, code_challenge: str, redirect_uri: str
    ) -> str:
        """Return the page of the provider that asks for consent, with PKCE S256 (RFC 7636) and ``state``."""

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
        """Exchange the code of a consent for a credential of ``subject`` and keep it. Nothing is locked meanwhile."""


class Credential(SingleAnswer):
    """Takes ``{outcome}`` and nothing else. “authorized” is looked up before it is believed.

    Without an ``authority`` it is not offered, and only ends what was asked while there was one.
    """

    kind: ClassVar[InterruptKind] = InterruptKind.CREDENTIAL

    def __init__(self, authority: CredentialAuthority | None) -> None:
        self.authority = authority

    @property
    def is_offered(self) -> bool:
        return self.authority is not None

    def derived(self, interrupt: OpenInterrupt) -> Contract:
        """The outcome says it all: the payload is empty."""
        return Contract(str(self.kind), (AUTHORIZED, DECLINED), self.request_schema, _NOTHING, typed=True)

    def composed(self, outcome: str, payload: JsonValue) -> JsonValue:
        return {"outcome": outcome}

    def place(self, interrupt: OpenInterrupt, pointer: str) -> str:
        return "/outcome"

    def parse(self, interrupt: OpenInterrupt, value: JsonValue, *, now: datetime) -> JsonValue:
        if run(assemble(RESUME_SCHEMA), value):
            # Not one word of the value is repeated: somebody may have put a credential there after all.
            message = "Answer with {outcome} alone: authorized or declined. A credential is never sent here."
            raise ValidationFailed(message, details={"field": "resumeValue"})
        return value

    def consider(
        self, interrupt: OpenInterrupt, actor: Actor, right: None, value: JsonValue, *, now: datetime
    ) -> Consideration:
        extra = actor.traced
        if cast("JsonObject", value)["outcome"] == AUTHORIZED:
            account = self._account(interrupt)
            if account.standing is not Standing.CONNECTED:
                message = "There is no such account connected yet. Connect it first, or decline."
                raise ValidationFailed(message, details={"field": "resumeValue"})
            extra[CREDENTIAL_REF] = account.ref
        resolver = actor.resolver
        return Decided(Resolution(self.kind, interrupt.id, resume_value=value, resolved_by=resolver, extra=extra))

    def _account(self, interrupt: OpenInterrupt) -> Account:
        """Ask for the run's own Subject, whoever answers."""
        if self.authority is None:
            return MISSING
        return self.authority.look_up(
            subject=cast("JsonObject", interrupt.owner["subject"]),
            provider=cast("str", interrupt.data["provider"]),
            scopes=cast("list[str]", interrupt.data["scopes"]),
        )
