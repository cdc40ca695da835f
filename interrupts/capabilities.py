"""The discovery document: what this host offers, derived from what it has (wire contract §1).

A family is named only when it works: an advertised family binds to its obligations, a missing one is merely not there.
"""

from __future__ import annotations

from typing import Final, cast

from interrupts import conf
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.kinds import registry
from interrupts.kinds.credential import Credential
from interrupts.models import CallbackSecret, Workflow
from interrupts.vocabulary import (
    ENGINE_VERSION,
    EVENT_LOG_SCHEMA_VERSION,
    IMPLEMENTATION_VERSION,
    ISSUERS,
    MAX_PARTICIPANTS,
    PROTOCOL_VERSION,
    InterruptKind,
    Lane,
    RefKind,
    SignatureAlgorithm,
)

_CONVERSATION: Final = frozenset(
    {InterruptKind.CONVERSATION_START, InterruptKind.CONVERSATION_EXCHANGE, InterruptKind.CONVERSATION_CLOSE}
)


def discovery_document() -> JsonObject:
    """Return the closed capability root."""
    document = _families()
    if "interrupt" in document and CallbackSecret.objects.exists():
        # Callbacks are delivered once there is a secret to sign them with (wire contract §25 row 52).
        document["interrupt"] = _interrupt() | {"callbackDelivery": True}
    if conf.conformance():
        document["fixtures"] = _fixtures()
        document["conformance"] = {"mockAgent": True}
    return document


def offered() -> frozenset[str]:
    """Return the members that the capability root of this host may have."""
    return frozenset({*_families(), "fixtures", "conformance"})


def _families() -> JsonObject:
    document: JsonObject = {
        "protocolVersions": [PROTOCOL_VERSION],
        "preferredVersion": PROTOCOL_VERSION,
        "protocolVersion": PROTOCOL_VERSION,
        "implementation": {"name": "wopsite", "version": IMPLEMENTATION_VERSION, "vendor": "wopsite"},
        "engineVersion": ENGINE_VERSION,
        "eventLogSchemaVersion": EVENT_LOG_SCHEMA_VERSION,
        "limits": _limits(),
        "eventLog": _record("claims-check"),
        "runList": _run_list(),
        "auth": _auth(),
        "webhooks": _webhooks(),
    }
    if registry.served():
        document["interrupt"] = _interrupt()
    if registry.served() >= _CONVERSATION:
        document["conversationPrimitive"] = _record("claims-check")
        document["multiPartyConversation"] = _record("witnessable-gated") | {"maxParticipants": MAX_PARTICIPANTS}
    if InterruptKind.CREDENTIAL in registry.served():
        document["oauth"] = _record("witnessable-gated") | {
            "grants": ["authorization_code"],
            "providers": _providers(),
            "credentialInterrupt": True,
        }
    return document


def _record(witness: str) -> JsonObject:
    return {"status": "experimental", "since": PROTOCOL_VERSION, "until": "2.1", "witness": witness}


def _limits() -> JsonObject:
    """Clarifications are bounded as all nodes are; models, which the next two would bound, this host does not run."""
    limits = conf.limits()
    return {
        "status": "stable",
        "since": PROTOCOL_VERSION,
        "witness": "witnessable-gated",
        "clarificationRounds": limits.max_node_executions,
        "schemaRounds": 0,
        "envelopesPerTurn": 0,
        "maxNodeExecutions": limits.max_node_executions,
        "maxRequestBodyBytes": limits.max_body_bytes,
    }


def _run_list() -> JsonObject:
    return _record("witnessable-gated") | {
        "maxPageSize": conf.limits().max_page_size,
        "filters": ["workflowId", "status"],
    }


def _auth() -> JsonObject:
    """Keys and sessions are looked up anew on every request, so ending one holds from the next request on."""
    lanes: list[JsonValue] = [
        {"lane": str(lane), "issuers": [ISSUERS[lane]], "revocation": "next-request", "minimumAssurance": "bearer"}
        for lane in (Lane.API_KEY, Lane.SESSION)
    ]
    return _record("seam-gated") | {"lanes": lanes}


def _providers() -> list[JsonValue]:
    authority = cast("Credential", registry.get(InterruptKind.CREDENTIAL)).authority
    return [{"id": provider, "pkce": "S256"} for provider in authority.providers] if authority else []


def _interrupt() -> JsonObject:
    ref_kinds: list[JsonValue] = [str(kind) for kind in RefKind]
    return _record("witnessable-gated") | {"tokenAlgs": ["hs256"], "refKinds": ref_kinds}


def _webhooks() -> JsonObject:
    algorithms: list[JsonValue] = [str(algorithm) for algorithm in SignatureAlgorithm]
    return _record("witnessable-gated") | {
        "signatureAlgorithms": algorithms,
        "retryPolicy": {"maxAttempts": conf.DELIVERY_MAX_ATTEMPTS, "backoff": "exponential"},
        "deadLetter": {"retentionDays": conf.DELIVERY_RETENTION.days, "maxPageSize": conf.MAX_DEAD_LETTER_PAGE},
        "secretRotation": {"overlapSeconds": round(conf.WEBHOOK_SECRET_OVERLAP.total_seconds())},
    }


def _fixtures() -> list[JsonValue]:
    loaded = Workflow.objects.filter(workflow_id__startswith="conformance-").order_by("workflow_id")
    return list(loaded.values_list("workflow_id", flat=True).distinct())
