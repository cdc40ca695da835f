"""What the node types share that ask for an account elsewhere (wire contract §22)."""

from __future__ import annotations

from typing import Final

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.nodes._answers import expired
from interrupts.engine.nodes.base import Failed, NodeContext, NodeEvent
from interrupts.ids import project_id
from interrupts.kinds.base import Resolution
from interrupts.kinds.credential import CREDENTIAL_REF, DECLINED
from interrupts.vocabulary import EventType

DECLINED_CODE: Final = "connector_auth_declined"
EXPIRED_CODE: Final = "connector_auth_expired"


def connect_url(ctx: NodeContext) -> str:
    """Return the page of this host where the run's owner connects the account. Its address proves nothing."""
    return f"{ctx.site}/host/wopsite/runs/{project_id(ctx.run_id)}/interrupts/{ctx.node_id}/connect"


def not_connected(resolution: Resolution, timeout_ms: JsonValue) -> Failed | None:
    """Return the failure of a node that did not get its account, or None."""
    if resolution.resume_value == {"outcome": DECLINED}:
        return Failed(DECLINED_CODE, "Somebody declined to connect the account that this needs.")
    return expired(resolution, timeout_ms)


def connected(asked: JsonObject, resolution: Resolution) -> tuple[NodeEvent, ...]:
    """Tell which credential was granted, by its name with the authority."""
    if CREDENTIAL_REF not in resolution.extra:
        return ()
    payload: JsonObject = {"provider": asked["provider"], "scopes": asked["scopes"]}
    payload["credentialRef"] = resolution.extra[CREDENTIAL_REF]
    return (NodeEvent(EventType.CONNECTOR_AUTHORIZED, payload),)


def ran_out(provider: str, ref: str) -> tuple[NodeEvent, ...]:
    """Tell that a credential there was no longer counts, and could not be refreshed."""
    payload: JsonObject = {"provider": provider, "credentialRef": ref}
    return (NodeEvent(EventType.CONNECTOR_AUTH_EXPIRED, payload),)
