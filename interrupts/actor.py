"""Who acts: a person or a program in one tenant, with the scopes of the credential it came with."""

from __future__ import annotations

from dataclasses import dataclass

from interrupts.contracts.types import JsonObject
from interrupts.errors import Forbidden
from interrupts.vocabulary import ANSWERED_BY, ISSUERS, Lane, Scope


@dataclass(frozen=True, slots=True)
class Actor:
    """The authenticated caller of one request.

    ``user_id`` is None for the command line, which is a workload of the host and nobody's approver.
    """

    tenant_id: str
    subject_id: str
    lane: Lane
    scopes: frozenset[str]
    user_id: int | None = None
    username: str = ""

    @property
    def subject(self) -> JsonObject:
        """The Subject stamped on runs and resolutions (wire contract §4.3): opaque, never a name or an address."""
        return {
            "issuer": ISSUERS[self.lane],
            "subjectId": self.subject_id,
            "tenant": self.tenant_id,
            "lane": str(self.lane),
            "kind": "workload" if self.lane is Lane.WORKLOAD else "user",
        }

    @property
    def resolver(self) -> JsonObject | None:
        """Return the Subject to record as ``resolvedBy``; None for a link, whose holder no credential named (§12)."""
        return None if self.lane is Lane.LINK else self.subject

    @property
    def traced(self) -> JsonObject:
        """Return what to record instead, where the link was made for somebody: the answer counts as theirs."""
        return {ANSWERED_BY: {"subjectId": self.subject_id}} if self.lane is Lane.LINK and self.user_id else {}

    def require(self, scope: Scope) -> None:
        """Raise Forbidden unless the credential carries ``scope``; no scope implies another."""
        if scope not in self.scopes:
            raise Forbidden(
                f"This credential lacks the scope {scope}. Ask an administrator for a key that has it.",
                details={"scopeRequired": str(scope)},
            )
