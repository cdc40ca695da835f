"""What each registered error code is on each surface: an HTTP status, an exit code of a command (wire contract §3).

A code has one status, which the protocol's registry fixes; a surface that answers another breaks the contract.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from interrupts.contracts.types import JsonObject
from interrupts.errors import NameTaken, WopError


@dataclass(frozen=True, slots=True)
class Rendering:
    """How one code is told. ``retry_after`` is in seconds, for codes where asking again makes sense."""

    status: int
    exit_code: int
    retry_after: int | None = None


# Exit codes, explained in the help of each command (surfaces.cli.command): 1 not valid, 3 not there, 4 too late or in
# conflict, 5 not allowed, 70 a fault of ours, 75 try again later. 2 is argparse's own, for a command written wrongly.
_CONFLICT: Final = 4
RENDERINGS: Final = {
    "validation_error": Rendering(400, 1),
    "idempotency_key_invalid": Rendering(400, 1),
    "webhook_url_rejected": Rendering(400, 1),
    "webhook_endpoint_unverified": Rendering(400, 1),
    "unauthenticated": Rendering(401, 5),
    "credential_revoked": Rendering(401, 5),
    "credential_lifetime_exceeded": Rendering(401, 5),
    "interrupt_token_invalid": Rendering(401, 5),
    "forbidden": Rendering(403, 5),
    "run_forbidden": Rendering(403, 5),
    "id_tenant_mismatch": Rendering(403, 5),
    "force_engine_version_forbidden": Rendering(403, 5),
    "credential_forbidden": Rendering(403, 5),
    "mock_provider_forbidden": Rendering(403, 5),
    "not_found": Rendering(404, 3),
    "protocol_version_unsupported": Rendering(406, 1),
    "interrupt_already_resolved": Rendering(409, 4),
    "run_terminal": Rendering(409, 4),
    "run_state_conflict": Rendering(409, 4),
    "run_already_active": Rendering(409, 4, retry_after=5),
    "version_conflict": Rendering(409, 4),
    "idempotency_key_mismatch": Rendering(409, 4),
    "idempotency_in_flight": Rendering(409, 75, retry_after=1),
    "interrupt_expired": Rendering(410, 4),
    "payload_too_large": Rendering(413, 1),
    "unsupported_media_type": Rendering(415, 1),
    "capability_required": Rendering(422, 1),
    "conversation_roster_exceeded": Rendering(422, 1),
    "conversation_speaker_not_participant": Rendering(422, 1),
    "rate_limited": Rendering(429, 75, retry_after=1),
    "internal_error": Rendering(500, 70),
    "service_unavailable": Rendering(503, 75, retry_after=1),
}


def http_status(code: str) -> int:
    return RENDERINGS[code].status


def exit_code(error: WopError) -> int:
    """Return a command's exit status. A taken name is a conflict to a script, without a code of its own."""
    return _CONFLICT if isinstance(error, NameTaken) else RENDERINGS[error.code].exit_code


def retry_after(code: str) -> int | None:
    """Return the seconds for a ``Retry-After`` header, the only place where REST may tell it."""
    return RENDERINGS[code].retry_after


def refusal(error: WopError) -> JsonObject:
    """Return what surfaces say that call methods by name: ``{code, message, details?, retry_after?}``, in seconds."""
    told: JsonObject = {"code": error.code, "message": error.message}
    if error.details:
        told["details"] = error.details
    wait = retry_after(error.code)
    if wait is not None:
        told["retry_after"] = wait
    return told


def envelope(error: WopError) -> JsonObject:
    """Return the closed body of every refusal: ``{error, message, details?}``."""
    body: JsonObject = {"error": error.code, "message": error.message}
    if error.details:
        body["details"] = error.details
    return body
