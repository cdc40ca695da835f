"""The way to a provider and back, on which a person connects the account that a run asks for (wire contract §22).

The address of the page is no credential: only the run's owner gets any further, in both directions. The consent comes
back with a ``state`` of 256 bits that lasts ten minutes, counts once, and is bound to the interrupt, and so to the
run's Subject and to the provider. The exchange is proved by PKCE S256 (RFC 7636).
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import logging
import secrets
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final, cast

from django.conf import settings

from interrupts import conf, selectors
from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.errors import (
    AlreadyResolved,
    CapabilityRequired,
    Forbidden,
    NotFound,
    ServiceUnavailable,
    ValidationFailed,
)
from interrupts.kinds import registry
from interrupts.kinds.credential import AUTHORIZED, Credential, CredentialAuthority
from interrupts.models import ConnectAttempt, Suspension
from interrupts.services import idempotency
from interrupts.services.resolve import ResolveRequest, ResumeValue, resolve_interrupt
from interrupts.services.runs import read_run
from interrupts.vocabulary import CAPABILITY, InterruptKind, Scope

logger = logging.getLogger(__name__)

LIFETIME: Final = timedelta(minutes=10)
RETURN_PATH: Final = "/host/wopsite/connected"


@dataclass(frozen=True, slots=True)
class Return:
    """What came back from a provider: the ``state`` it was given, and its ``code``, empty when it granted nothing."""

    actor: Actor
    state: str
    code: str


def start_connecting(*, actor: Actor, run_id: str, node_id: str, now: datetime) -> str:
    """Return the provider's page that asks for consent to what the interrupt open at a node needs.

    Raises NotFound where nothing is asked, ValidationFailed where it is no account, AlreadyResolved where it no longer
    is, Forbidden for anybody but the run's owner, and CapabilityRequired where its provider can no longer be connected.
    """
    suspension = _asked(actor.tenant_id, run_id, node_id, now)
    _require_owner(actor, suspension)
    authority, data = _authority(suspension), cast("JsonObject", suspension.payload["data"])
    state = secrets.token_urlsafe(32)
    attempt = ConnectAttempt(suspension=suspension, state_hash=_digest(state), expires_at=now + LIFETIME)
    ConnectAttempt.objects.bulk_create(
        [attempt], update_conflicts=True, unique_fields=["suspension"], update_fields=["state_hash", "expires_at"]
    )
    logger.info("account asked for interrupt=%s provider=%s", suspension.pk, data["provider"])
    return authority.authorize_url(
        provider=cast("str", data["provider"]),
        scopes=cast("list[str]", data["scopes"]),
        state=state,
        code_challenge=_challenge(_verifier(state)),
        redirect_uri=_return_url(),
    )


def finish_connecting(*, back: Return, now: datetime) -> JsonObject:
    """Have the consent exchanged and answer the interrupt with it. Returns ``{runId, nodeId, status}``.

    Raises ValidationFailed for a way back that is unknown, over or without a consent, Forbidden for anybody but the
    run's owner, ServiceUnavailable when the provider could not be reached, and AlreadyResolved when the run no longer
    waits: the account is connected all the same.
    """
    suspension = _take(back, now)
    _connect(suspension, back)
    # The host itself answers: that this person could connect the account is all the right it takes.
    actor = replace(back.actor, scopes=back.actor.scopes | {Scope.APPROVALS_RESPOND})
    answer = ResumeValue({"outcome": AUTHORIZED})
    request = ResolveRequest(actor, suspension.run_id, suspension.node_id, answer, interrupt_id=suspension.pk)
    done: idempotency.Done = resolve_interrupt(request=request, now=now)
    return done.result


def _asked(tenant_id: str, run_id: str, node_id: str, now: datetime) -> Suspension:
    run = read_run(tenant_id=tenant_id, run_id=run_id)
    suspension = selectors.open_suspension(run.pk, node_id)
    if suspension is None:
        if selectors.was_suspended(run.pk, node_id):
            raise AlreadyResolved
        raise NotFound(f"The node “{node_id}” is not waiting for an answer.")
    if suspension.kind != InterruptKind.CREDENTIAL:
        raise ValidationFailed(f"The node “{node_id}” asks for no account.")
    if suspension.deadline is not None and suspension.deadline <= now:
        raise AlreadyResolved("The deadline of this interrupt has passed.")
    suspension.run = run
    return suspension


def _take(back: Return, now: datetime) -> Suspension:
    """Use up the way back. Of two requests that bring the same state, one deletes it."""
    attempts = ConnectAttempt.objects.filter(state_hash=_digest(back.state), suspension__tenant=back.actor.tenant_id)
    attempt = attempts.select_related("suspension__run").first()
    if attempt is None:
        raise ValidationFailed("This way back is over or unknown. Open the page of the account again.")
    _require_owner(back.actor, attempt.suspension)
    taken, _ = attempts.delete()
    if not taken or attempt.expires_at <= now:
        raise ValidationFailed("This way back is over. Open the page of the account again.")
    if not back.code:
        raise ValidationFailed("The provider did not grant it. Open the page of the account again, or decline.")
    return attempt.suspension


def _connect(suspension: Suspension, back: Return) -> None:
    authority, data = _authority(suspension), cast("JsonObject", suspension.payload["data"])
    try:
        authority.connect(
            subject=cast("JsonObject", suspension.run.owner["subject"]),
            provider=cast("str", data["provider"]),
            scopes=cast("list[str]", data["scopes"]),
            code=back.code,
            code_verifier=_verifier(back.state),
            redirect_uri=_return_url(),
        )
    except Exception as error:  # noqa: BLE001 - whatever it is, its words may hold the code or the credential
        logger.warning("account not connected interrupt=%s fault=%s", suspension.pk, type(error).__name__)
        message = "The account could not be connected. Open the page of the account again in a moment."
        raise ServiceUnavailable(message) from None
    logger.info("account connected interrupt=%s provider=%s", suspension.pk, data["provider"])


def _authority(suspension: Suspension) -> CredentialAuthority:
    kind, provider = registry.get(InterruptKind.CREDENTIAL), suspension.payload["data"]["provider"]
    authority = kind.authority if isinstance(kind, Credential) else None
    if authority is None or provider not in authority.providers:
        details: JsonObject = {"requiredCapability": CAPABILITY[InterruptKind.CREDENTIAL]}
        raise CapabilityRequired("Accounts of this provider cannot be connected here.", details=details)
    return authority


def _require_owner(actor: Actor, suspension: Suspension) -> None:
    """One person is one subject id, whether they come with a key or signed in."""
    if cast("JsonObject", suspension.run.owner["subject"])["subjectId"] != actor.subject_id:
        raise Forbidden("Only who started this run can connect the account: it is used in their name.")


def _return_url() -> str:
    return conf.public_url() + RETURN_PATH


def _digest(state: str) -> str:
    return hashlib.sha256(state.encode("utf-8", "replace")).hexdigest()


def _verifier(state: str) -> str:
    """Derive the secret of the exchange, so that it lies nowhere: not in the table, not with the browser."""
    key = settings.SECRET_KEY.encode()
    return _base64url(hmac.digest(key, b"wopsite.connecting\0" + state.encode("utf-8", "replace"), "sha256"))


def _challenge(verifier: str) -> str:
    return _base64url(hashlib.sha256(verifier.encode()).digest())


def _base64url(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()
