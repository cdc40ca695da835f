"""createRun's body, beyond what its schema says (wire contract §7.1).

What this host does not offer is refused, never silently left aside: a caller who asks for an evaluation or a region
relies on it.
"""

from __future__ import annotations

from typing import Final, cast

from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.errors import (
    CapabilityRequired,
    CredentialForbidden,
    Forbidden,
    MockProviderForbidden,
    ValidationFailed,
)
from interrupts.services.idempotency import Key
from interrupts.services.runs import CreateRun

# Members that ask for a family, and the family.
_ASKS_FOR: Final = {"mode": "agents", "evalSuiteRef": "agents", "agentId": "agents", "residency": "dataResidency"}


def read_create_run(body: JsonObject, *, actor: Actor, dedup: str | None, idempotency_key: Key | None) -> CreateRun:
    """Return the command of a body that fits its schema.

    Raises Forbidden for another tenant's ``tenantId``, CapabilityRequired for members of families that this host does
    not offer, and ValidationFailed.
    """
    if body.get("tenantId", actor.tenant_id) != actor.tenant_id:
        raise Forbidden("This credential belongs to another tenant.", details={"field": "tenantId"})
    _refuse_unoffered(body)
    return CreateRun(
        actor=actor,
        workflow_id=cast("str", body["workflowId"]),
        inputs=cast("JsonObject", body.get("inputs", {})),
        configurable=cast("JsonObject | None", body.get("configurable")),
        tags=tuple(cast("list[str]", body.get("tags", []))),
        metadata=cast("JsonObject | None", body.get("metadata")),
        scope_id=cast("str", body.get("scopeId", "")),
        enforce_dedup=_enforces_dedup(dedup, body),
        callback_url=cast("str", body.get("callbackUrl", "")),
        idempotency_key=idempotency_key,
    )


def _refuse_unoffered(body: JsonObject) -> None:
    for member, family in _ASKS_FOR.items():
        if member in body:
            raise CapabilityRequired(
                f"{member} needs the family {family}, which this host does not offer.",
                details={"requiredCapability": family, "field": member},
            )
    configurable = cast("JsonObject", body.get("configurable", {}))
    ai = cast("JsonObject", configurable.get("ai", {}))
    if "mockProvider" in ai:
        raise MockProviderForbidden
    if "credentialRef" in ai:
        raise CredentialForbidden
    if "provider" in ai:
        raise ValidationFailed(
            "This host advertises no provider of models.", details={"field": "configurable.ai.provider"}
        )


def _enforces_dedup(header: str | None, body: JsonObject) -> bool:
    if header is None:
        return False
    if header != "enforce":
        raise ValidationFailed("OpenWOP-Dedup has one value: enforce.", details={"field": "OpenWOP-Dedup"})
    if not body.get("scopeId"):
        raise ValidationFailed("OpenWOP-Dedup: enforce needs a scopeId.", details={"field": "scopeId"})
    return True
