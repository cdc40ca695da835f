"""``conformance.oauth.use``: needs a connected account and asks for it (wire contract §22). For conformance runs."""

from __future__ import annotations

from typing import cast

from interrupts.contracts.types import JsonObject
from interrupts.engine.nodes._answers import expired
from interrupts.engine.nodes.base import Asked, Completed, Failed, NodeContext, NodeResult, NodeType, Suspend
from interrupts.kinds.base import Resolution
from interrupts.kinds.credential import DECLINED, RESUME_SCHEMA, CredentialAuthority
from interrupts.vocabulary import InterruptKind

DECLINED_CODE = "connector_auth_declined"


class OAuthUse(NodeType):
    """Completes when the run's owner has the account; otherwise it asks. It never sees the credential."""

    type_id = "conformance.oauth.use"
    title = "Use an account elsewhere"
    config_schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["auth"],
        "properties": {
            "auth": {
                "type": "object",
                "additionalProperties": False,
                "required": ["type", "provider", "scopes"],
                "properties": {
                    "type": {"const": "oauth2"},
                    "provider": {"type": "string", "minLength": 1, "maxLength": 256},
                    "scopes": {"type": "array", "items": {"type": "string", "minLength": 1}, "uniqueItems": True},
                },
            }
        },
    }
    inputs = frozenset[str]()
    outputs = frozenset[str]()

    def __init__(self, authority: CredentialAuthority) -> None:
        self.authority = authority

    def execute(self, ctx: NodeContext) -> NodeResult:
        auth = cast("JsonObject", ctx.config["auth"])
        provider, scopes = cast("str", auth["provider"]), cast("list[str]", auth["scopes"])
        subject = cast("JsonObject", ctx.owner["subject"])
        if self.authority.holds(subject=subject, provider=provider, scopes=scopes):
            return Completed({})
        data: JsonObject = {
            "provider": provider,
            "scopes": auth["scopes"],
            "reason": "missing",
            "connectUrl": self.authority.connect_url(provider=provider),
        }
        return Suspend(InterruptKind.CREDENTIAL, data, resume_schema=RESUME_SCHEMA)

    def resume(self, ctx: NodeContext, resolution: Resolution) -> NodeResult:
        if resolution.resume_value == {"outcome": DECLINED}:
            return Failed(DECLINED_CODE, "Somebody declined to connect the account that this needs.")
        return expired(resolution, None) or Completed({})

    def asks(self, config: JsonObject) -> Asked:
        auth = cast("JsonObject", config["auth"])
        return Asked(InterruptKind.CREDENTIAL, {"provider": auth["provider"], "scopes": auth["scopes"]})
