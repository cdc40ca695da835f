"""``conformance.oauth.use``: needs a connected account and asks for it (wire contract §22). For conformance runs."""

from __future__ import annotations

from typing import cast

from interrupts.contracts.types import JsonObject
from interrupts.engine.nodes._accounts import EXPIRED_CODE, connect_url, connected, not_connected, ran_out
from interrupts.engine.nodes.base import Asked, Completed, Failed, NodeContext, NodeResult, NodeType, Suspend
from interrupts.kinds.base import Resolution
from interrupts.kinds.credential import RESUME_SCHEMA, Account, CredentialAuthority, Standing
from interrupts.vocabulary import InterruptKind


class OAuthUse(NodeType):
    """Completes when the run's owner has the account; otherwise it asks. It never sees the credential.

    Where nobody can be asked any more, because the installation's authority has gone since the run began, it fails.
    """

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

    def __init__(self, authority: CredentialAuthority | None) -> None:
        self.authority = authority

    def execute(self, ctx: NodeContext) -> NodeResult:
        if self.authority is None:
            return Failed(EXPIRED_CODE, "This host no longer knows which accounts are connected.")
        auth = cast("JsonObject", ctx.config["auth"])
        provider, scopes = cast("str", auth["provider"]), cast("list[str]", auth["scopes"])
        subject = cast("JsonObject", ctx.owner["subject"])
        account = self.authority.look_up(subject=subject, provider=provider, scopes=scopes)
        if account.standing is Standing.CONNECTED:
            return Completed({})
        return _ask(ctx, provider, account)

    def resume(self, ctx: NodeContext, resolution: Resolution) -> NodeResult:
        return not_connected(resolution, None) or Completed({}, events=connected(ctx.asked, resolution))

    def asks(self, config: JsonObject) -> Asked:
        auth = cast("JsonObject", config["auth"])
        return Asked(InterruptKind.CREDENTIAL, {"provider": auth["provider"], "scopes": auth["scopes"]})


def _ask(ctx: NodeContext, provider: str, account: Account) -> Suspend:
    data: JsonObject = {
        "provider": provider,
        "scopes": cast("JsonObject", ctx.config["auth"])["scopes"],
        "reason": str(account.standing),
        "connectUrl": connect_url(ctx),
    }
    if account.ref:
        data["credentialRef"] = {"ref": account.ref}
    events = ran_out(provider, account.ref) if account.standing is Standing.EXPIRED else ()
    return Suspend(InterruptKind.CREDENTIAL, data, resume_schema=RESUME_SCHEMA, events=events)
