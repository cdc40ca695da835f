"""Page cursors: opaque text that says after which row the next page starts.

They are not signed: whoever makes one up only chooses where in their own rows to start reading.
"""

from __future__ import annotations

import base64
import binascii
from datetime import UTC, datetime

from approvals.selectors import EndedPosition, OpenPosition
from interrupts.contracts.json_text import MalformedJson, dump_json, parse_json

_MAX_CHARACTERS = 600


class BadCursor(Exception):
    """This is not a cursor of ours, or it was cut off."""


def encode_open(position: OpenPosition) -> str:
    deadline = position.deadline.isoformat() if position.deadline else ""
    return _encode([deadline, position.opened_at.isoformat(), position.id])


def decode_open(text: str) -> OpenPosition:
    """Raises BadCursor."""
    deadline, opened_at, row = _decode(text, 3)
    return OpenPosition(_moment(deadline) if deadline else None, _moment(opened_at), row)


def encode_ended(position: EndedPosition) -> str:
    return _encode([position.resolved_at.isoformat(), position.id])


def decode_ended(text: str) -> EndedPosition:
    """Raises BadCursor."""
    resolved_at, row = _decode(text, 2)
    return EndedPosition(_moment(resolved_at), row)


def _encode(parts: list[str]) -> str:
    return base64.urlsafe_b64encode(dump_json([*parts]).encode()).decode().rstrip("=")


def _decode(text: str, count: int) -> list[str]:
    if len(text) > _MAX_CHARACTERS:
        raise BadCursor
    try:
        raw = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        parts = parse_json(raw)
    except (binascii.Error, ValueError, MalformedJson) as error:
        raise BadCursor from error
    if not isinstance(parts, list) or len(parts) != count:
        raise BadCursor
    return [part if isinstance(part, str) else _refuse() for part in parts]


def _refuse() -> str:
    raise BadCursor


def _moment(text: str) -> datetime:
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise BadCursor from error
