"""Signatures of what is sent (wire contract §17, §18): the protocol's own, and Standard Webhooks beside it."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import secrets
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Final

from interrupts.vocabulary import SignatureAlgorithm

_MARK: Final = "whsec_"
_STANDARD_KEY_BYTES: Final = range(24, 65)


def new_secret() -> str:
    """Return a secret that fits both schemes: ``whsec_`` and 32 random bytes in base64."""
    return _MARK + base64.b64encode(secrets.token_bytes(32)).decode()


def standard_key(secret: str) -> bytes | None:
    """Return the key bytes of a Standard Webhooks secret, or None when this is none of 24 to 64 bytes."""
    if not secret.startswith(_MARK):
        return None
    try:
        key = base64.b64decode(secret.removeprefix(_MARK), validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if len(key) in _STANDARD_KEY_BYTES else None


def headers(*, secret: str, body: bytes, event_type: str, at: datetime) -> Mapping[str, str]:
    """Return what every delivery carries: HMAC-SHA256 over ``{timestamp}.{body}``, by the secret's own characters."""
    timestamp = str(int(at.timestamp()))
    mac = hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
    return {
        "Content-Type": "application/json",
        "OpenWOP-Event-Type": event_type,
        "OpenWOP-Timestamp": timestamp,
        "OpenWOP-Signature": f"sha256={mac}",
        "OpenWOP-Signature-Algorithm": str(SignatureAlgorithm.V1),
    }


def standard_headers(*, message_id: str, secrets_held: Iterable[str], body: bytes, at: datetime) -> Mapping[str, str]:
    """Return the headers of standard-webhooks-1; during a rotation there is one signature a secret."""
    timestamp = str(int(at.timestamp()))
    signed = f"{message_id}.{timestamp}.".encode() + body
    keys = [key for secret in secrets_held if (key := standard_key(secret)) is not None]
    macs = [base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode() for key in keys]
    return {
        "webhook-id": message_id,
        "webhook-timestamp": timestamp,
        "webhook-signature": " ".join(f"v1,{mac}" for mac in macs),
    }
