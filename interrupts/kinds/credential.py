"""Credential interrupts: a person connects an account elsewhere, and says only that they did (wire contract §22).

No credential passes through here: not in what is asked, not in the answer, not in an error. Where the accounts are,
only the installation's own authority knows (docs/operating.md); without one this kind is not offered.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import ClassVar, Final, Protocol, cast

from interrupts.actor import Actor
from interrupts.contracts.checking import assemble, run
from interrupts.contracts.composition import ANY_OBJECT
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import ValidationFailed
from interrupts.kinds.base import Consideration, Contract, OpenInterrupt, SingleAnswer
from interrupts.vocabulary import InterruptKind

AUTHORIZED: Final = "authorized"
DECLINED: Final = "declined"

# Exactly this must stand in the payload (interrupt.md §Payload, suspend-request.schema.json).
RESUME_SCHEMA: Final[JsonObject] = {
    "type": "object",
    "additionalProperties": False,
    "required": ["outcome"],
    "properties": {"outcome": {"enum": [AUTHORIZED, DECLINED]}},
}

_NOTHING: Final[JsonObject] = {"type": "object", "additionalProperties": False}


class CredentialAuthority(Protocol):
    """Who knows which accounts are connected. It keeps the credentials; this host never sees one."""

    @property
    def providers(self) -> Sequence[str]:
        """The ids of the providers that can be connected."""

    def holds(self, *, subject: JsonObject, provider: str, scopes: Sequence[str]) -> bool:
        """Return, at once, whether a live credential of ``subject`` at ``provider`` covers all of ``scopes``."""

    def connect_url(self, *, provider: str) -> str:
        """Return the https page where a person connects an account; following it alone must prove nothing."""


class Credential(SingleAnswer):
    """Takes ``{outcome}`` and nothing else. “authorized” is looked up before it is believed."""

    kind: ClassVar[InterruptKind] = InterruptKind.CREDENTIAL

    def __init__(self, authority: CredentialAuthority) -> None:
        self.authority = authority

    def derived(self, interrupt: OpenInterrupt) -> Contract:
        """The outcome says it all: the payload is empty."""
        return Contract(str(self.kind), (AUTHORIZED, DECLINED), ANY_OBJECT, _NOTHING, typed=True)

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
        if cast("JsonObject", value)["outcome"] == AUTHORIZED and not self._is_connected(interrupt):
            message = "There is no such account connected yet. Connect it first, or decline."
            raise ValidationFailed(message, details={"field": "resumeValue"})
        return super().consider(interrupt, actor, right, value, now=now)

    def _is_connected(self, interrupt: OpenInterrupt) -> bool:
        """Ask for the run's own Subject, whoever answers."""
        return self.authority.holds(
            subject=cast("JsonObject", interrupt.owner["subject"]),
            provider=cast("str", interrupt.data["provider"]),
            scopes=cast("list[str]", interrupt.data["scopes"]),
        )
