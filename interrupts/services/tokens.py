"""Signed links: ``ow2.hs256.<kid>.<payload>.<mac>`` (interrupt.md §Tokens, wire contract §16, §25 rows 1-4).

The payload is unpadded base64url of compact JSON; the MAC is unpadded base64url of HMAC-SHA256 over the ASCII text
before it. Nothing is stored: a token is authentic by its MAC, and what it may still do is the interrupt's own state.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Final

from interrupts import conf
from interrupts.contracts.types import JsonObject
from interrupts.errors import InterruptTokenInvalid
from interrupts.events import isoformat, parse_isoformat

LIFETIME: Final = timedelta(minutes=30)
_PREFIX: Final = "ow2."
_ALGORITHM: Final = "hs256"
_LEGACY_KID: Final = "legacy"
_MAX_LENGTH: Final = 4096
_BASE64URL: Final = re.compile(r"[A-Za-z0-9_-]+")
_MEMBERS: Final = frozenset({"runId", "nodeId", "interruptId", "expiresAt", "intent"})


class Intent(StrEnum):
    """What a token authorizes; resolve includes inspect."""

    RESOLVE = "resolve"
    INSPECT = "inspect"


@dataclass(frozen=True, slots=True)
class Claims:
    """What an authentic token says. ``approver`` is the subject id it was made for, empty when it names nobody."""

    run_id: str
    node_id: str
    interrupt_id: str
    expires_at: datetime
    intent: Intent
    approver: str = ""

    def to_json(self) -> JsonObject:
        members: JsonObject = {
            "runId": self.run_id,
            "nodeId": self.node_id,
            "interruptId": self.interrupt_id,
            "expiresAt": isoformat(self.expires_at),
            "intent": str(self.intent),
        }
        return {**members, "approver": self.approver} if self.approver else members

    @classmethod
    def from_json(cls, members: JsonObject) -> Claims:
        """Raises InterruptTokenInvalid or ValueError for members that no token could have."""
        return cls(
            run_id=_text(members["runId"]),
            node_id=_text(members["nodeId"]),
            interrupt_id=_text(members["interruptId"]),
            expires_at=_moment(members["expiresAt"]),
            intent=Intent(_text(members["intent"])),
            approver=_text(members.get("approver", "")),
        )


def expiry(*, deadline: datetime | None, now: datetime, lifetime: timedelta = LIFETIME) -> datetime:
    """Return when a token minted now ends: after ``lifetime``, and never past the interrupt's own deadline."""
    end = now + lifetime
    return end if deadline is None else min(end, deadline)


def mint(claims: Claims) -> str:
    """Return the token for ``claims``, signed with the active key."""
    kid, secret = conf.token_keys().active
    payload = _encode(json.dumps(claims.to_json(), separators=(",", ":")).encode())
    signed = f"{_PREFIX}{_ALGORITHM}.{kid}.{payload}"
    return f"{signed}.{_encode(_mac(secret, signed.encode()))}"


def read(token: str) -> Claims:
    """Return what an authentic token says, or raise InterruptTokenInvalid. Expiry and state are the caller's to judge.

    The prefix alone decides which scheme it is (identity.md §4): without it, the token is one of v1, checked under the
    kid ``legacy`` where that key is held.
    """
    if len(token) > _MAX_LENGTH or not token.isascii():
        raise InterruptTokenInvalid
    payload = _authentic_v2(token) if token.startswith(_PREFIX) else _authentic_v1(token)
    return _claims(payload)


def _authentic_v2(token: str) -> bytes:
    segments = token.split(".")
    if len(segments) != 5 or segments[1] != _ALGORITHM:
        raise InterruptTokenInvalid
    _, _, kid, payload, mac = segments
    secret = conf.token_keys().secrets.get(kid)
    # The legacy key verifies v1 tokens only: one leaked then must not sign anything now.
    if secret is None or kid == _LEGACY_KID:
        raise InterruptTokenInvalid
    signed = token[: -len(mac) - 1].encode()
    if not hmac.compare_digest(_mac(secret, signed), _decode(mac)):
        raise InterruptTokenInvalid
    return _decode(payload)


def _authentic_v1(token: str) -> bytes:
    """``base64url(payload) + "." + HMAC-SHA256(secret, payload)``, the MAC in lower hex over the payload's segment."""
    payload, _, mac = token.partition(".")
    secret = conf.token_keys().secrets.get(_LEGACY_KID)
    if secret is None or not hmac.compare_digest(_mac(secret, payload.encode()).hex(), mac):
        raise InterruptTokenInvalid
    return _decode(payload)


def _claims(payload: bytes) -> Claims:
    """Read what was signed. A v1 host signed it with other code than ours, so its form is not taken on trust."""
    try:
        members = json.loads(payload)
        if not isinstance(members, dict) or not members.keys() >= _MEMBERS:
            raise InterruptTokenInvalid
        return Claims.from_json(members)
    except (ValueError, RecursionError) as error:
        raise InterruptTokenInvalid from error


def _text(value: object) -> str:
    """Return a text that a database can look up: without NUL, half surrogates and the like."""
    if not isinstance(value, str) or not value.isprintable():
        raise InterruptTokenInvalid
    return value


def _moment(value: object) -> datetime:
    at = parse_isoformat(_text(value))
    if at.tzinfo is None:
        raise InterruptTokenInvalid
    return at


def _mac(secret: str, signed: bytes) -> bytes:
    return hmac.new(secret.encode(), signed, hashlib.sha256).digest()


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def _decode(text: str) -> bytes:
    """Decode unpadded base64url; only the one canonical spelling of a value is accepted."""
    if not _BASE64URL.fullmatch(text):
        raise InterruptTokenInvalid
    try:
        data = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except binascii.Error as error:
        raise InterruptTokenInvalid from error
    if _encode(data) != text:
        raise InterruptTokenInvalid
    return data
