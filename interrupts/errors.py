"""Domain errors: one code a situation, from the protocol's closed registry (wire contract §3).

The class docstring is the default message. Surfaces map codes to their own status once, in ``surfaces/problems.py``.
"""

from __future__ import annotations

import inspect

from interrupts.contracts.types import JsonObject


class WopError(Exception):
    """The host could not do what was asked."""

    code: str = "internal_error"
    is_final: bool = True  # False where asking again may succeed, so the outcome must not be kept for replays.

    def __init__(self, message: str | None = None, *, details: JsonObject | None = None) -> None:
        self.message = message or inspect.cleandoc(type(self).__doc__ or "").split("\n")[0]
        self.details: JsonObject = details or {}
        super().__init__(self.message)


class ValidationFailed(WopError):
    """The request does not have the shape this operation takes."""

    code = "validation_error"


class NameTaken(ValidationFailed):
    """There is already something with this name."""


class IdempotencyKeyInvalid(WopError):
    """Idempotency-Key must be 22 to 128 characters of letters, digits, '.', '_', '~' or '-'."""

    code = "idempotency_key_invalid"


class IdempotencyKeyMismatch(WopError):
    """This Idempotency-Key was used before for a different request. Use a new key."""

    code = "idempotency_key_mismatch"


class IdempotencyInFlight(WopError):
    """A request with this Idempotency-Key is still being processed. Ask again in a moment."""

    code = "idempotency_in_flight"
    is_final = False


class Unauthenticated(WopError):
    """No valid credential came with this request. Send 'Authorization: Bearer <key>'."""

    code = "unauthenticated"


class CredentialRevoked(WopError):
    """This key was revoked. Ask an administrator for a new one."""

    code = "credential_revoked"


class CredentialExpired(WopError):
    """This key has expired. Ask an administrator for a new one."""

    code = "credential_lifetime_exceeded"


class InterruptTokenInvalid(WopError):
    """This link is not one of ours, or was altered."""

    code = "interrupt_token_invalid"


class InterruptExpired(WopError):
    """This link has expired. Ask for a new one."""

    code = "interrupt_expired"


class Forbidden(WopError):
    """You are not allowed to do this."""

    code = "forbidden"


class RunForbidden(WopError):
    """You may not act on this run."""

    code = "run_forbidden"


class TenantMismatch(WopError):
    """The id belongs to another tenant than your credential."""

    code = "id_tenant_mismatch"


class ForceEngineVersionForbidden(WopError):
    """This host does not let callers choose the engine version."""

    code = "force_engine_version_forbidden"


class NotFound(WopError):
    """There is nothing with this id."""

    code = "not_found"


class ProtocolVersionUnsupported(WopError):
    """This host does not speak that major version of the protocol."""

    code = "protocol_version_unsupported"


class AlreadyResolved(WopError):
    """This interrupt was already answered, timed out, or its run has ended."""

    code = "interrupt_already_resolved"


class RunTerminal(WopError):
    """The run has already ended."""

    code = "run_terminal"


class RunStateConflict(WopError):
    """The run is not in a state in which this can be done."""

    code = "run_state_conflict"


class RunAlreadyActive(WopError):
    """A run with this scopeId is still active."""

    code = "run_already_active"


class VersionConflict(WopError):
    """This version is already registered with different content. Versions never change: give it a new one."""

    code = "version_conflict"


class WebhookUrlRejected(WopError):
    """This host does not call that URL."""

    code = "webhook_url_rejected"


class WebhookEndpointUnverified(WopError):
    """The endpoint did not answer the signed challenge with a 2xx status in time. Nothing was registered."""

    code = "webhook_endpoint_unverified"


class PayloadTooLarge(WopError):
    """The request body is larger than this host accepts."""

    code = "payload_too_large"


class UnsupportedMediaType(WopError):
    """Send the request body as application/json."""

    code = "unsupported_media_type"


class CapabilityRequired(WopError):
    """This needs a capability that the host does not offer."""

    code = "capability_required"


class RosterExceeded(WopError):
    """A conversation of this workflow has more participants than this host allows."""

    code = "conversation_roster_exceeded"


class SpeakerNotParticipant(WopError):
    """Only a participant of this conversation can speak in it."""

    code = "conversation_speaker_not_participant"


class RateLimited(WopError):
    """Too many requests at once. Try again in a moment."""

    code = "rate_limited"
    is_final = False


class ServiceUnavailable(WopError):
    """This host cannot reach its database right now. Try again in a moment."""

    code = "service_unavailable"
    is_final = False


class CredentialForbidden(WopError):
    """This host takes no credentials for models with a run."""

    code = "credential_forbidden"


class MockProviderForbidden(WopError):
    """This host has no mock provider of models."""

    code = "mock_provider_forbidden"


def restore_error(*, code: str, message: str, details: JsonObject) -> WopError:
    """Return an error that was recorded earlier, as it was."""
    error = WopError(message, details=details)
    error.code = code
    return error
