"""What one operation of the machine surface is: who may call it, what it takes and what it answers.

The same values drive the checks in ``base.ProtocolView`` and the OpenAPI document, so that the two cannot disagree.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from interrupts.contracts.types import JsonObject
from interrupts.vocabulary import Scope

# Any operation may answer these; those with a scope also the second set, those with a body the third.
_ALWAYS: Final = (
    "validation_error",
    "not_found",
    "protocol_version_unsupported",
    "internal_error",
    "service_unavailable",
)
_AUTHENTICATED: Final = (
    "unauthenticated",
    "credential_revoked",
    "credential_lifetime_exceeded",
    "forbidden",
    "force_engine_version_forbidden",
)
_MUTATING: Final = (
    "idempotency_key_invalid",
    "idempotency_key_mismatch",
    "payload_too_large",
    "unsupported_media_type",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameter:
    """A query parameter or request header, with its JSON Schema."""

    name: str
    schema: JsonObject
    description: str
    location: str = "query"


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """One method of one path. ``body`` and ``answers`` name our schemas; no ``scope`` means no credential.

    Where each call inside a request needs a scope of its own (``has_scope_per_call``), the request needs a credential.
    ``refusal`` names the schema of what it refuses with. An answer without a schema has no body. Mutations honour
    Idempotency-Key; reads must not (wire contract §10).
    """

    id: str
    summary: str
    answers: Mapping[int, str | None]
    scope: Scope | None = None
    has_scope_per_call: bool = False
    body: str | None = None
    body_is_optional: bool = False
    is_conditional: bool = False
    parameters: tuple[Parameter, ...] = ()
    raises: tuple[str, ...] = field(default=())
    is_bodiless_mutation: bool = False
    refusal: str = "error-envelope"

    @property
    def needs_credential(self) -> bool:
        return self.scope is not None or self.has_scope_per_call

    @property
    def is_mutation(self) -> bool:
        return self.body is not None or self.is_bodiless_mutation

    @property
    def errors(self) -> tuple[str, ...]:
        """Every code this operation may answer."""
        codes = [*_ALWAYS, *self.raises]
        if self.needs_credential:
            codes += _AUTHENTICATED
        if self.is_mutation:
            codes += _MUTATING
        return tuple(dict.fromkeys(codes))
