"""The protocol host."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.module_loading import import_string

from interrupts import conf
from interrupts.checks import register_checks
from interrupts.engine import nodes
from interrupts.engine.nodes.conversation_gate import ConversationGate
from interrupts.engine.nodes.mock_agent import MockAgent
from interrupts.engine.nodes.oauth_use import OAuthUse
from interrupts.kinds import registry
from interrupts.kinds.clarification import Clarification
from interrupts.kinds.conversation import ConversationClose, ConversationExchange, ConversationStart
from interrupts.kinds.credential import Credential, CredentialAuthority
from interrupts.kinds.custom import Custom
from interrupts.kinds.external_event import ExternalEvent
from interrupts.kinds.low_confidence import LowConfidence


class InterruptsConfig(AppConfig):
    name = "interrupts"
    verbose_name = "Runs and workflows"

    def ready(self) -> None:
        register_checks()
        for kind in (
            Clarification(),
            ConversationStart(),
            ConversationExchange(),
            ConversationClose(),
            Custom(),
            ExternalEvent(),
            LowConfidence(),
        ):
            registry.register(kind)
        self.offer_credentials()
        self.offer_conformance_types()

    def offer_conformance_types(self) -> None:
        if conf.conformance():
            nodes.register(MockAgent())
            nodes.register(ConversationGate(may_answer_itself=True))

    def offer_credentials(self) -> None:
        """Offer credential interrupts where something knows whether an account is connected, and only there."""
        authority = _authority(conf.credential_authority())
        registry.register(Credential(authority))
        if conf.conformance():
            nodes.register(OAuthUse(authority))


def _authority(path: str) -> CredentialAuthority | None:
    """Make the installation's authority; what is wrong with its setting is one line for the operator."""
    if not path:
        return None
    if not conf.public_url().startswith("https://"):
        message = "WOP_CREDENTIAL_AUTHORITY needs WOP_PUBLIC_URL with https: it is where people connect their accounts."
        raise SystemExit(message)
    try:
        authority: CredentialAuthority = import_string(path)()
    except ImportError as error:
        message = f"WOP_CREDENTIAL_AUTHORITY names no class that can be imported: {path} ({error})"
        raise SystemExit(message) from error
    return authority
