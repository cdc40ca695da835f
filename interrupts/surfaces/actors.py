"""Who acts on a surface: the credential of a request, turned into an Actor (wire contract §4.1)."""

from __future__ import annotations

from datetime import datetime

from interrupts.actor import Actor
from interrupts.errors import Unauthenticated
from interrupts.services import identity


def bearer_actor(authorization: str | None, *, now: datetime) -> Actor:
    """Return the actor of an ``Authorization: Bearer <key>`` header; no other credential counts on the machine surface.

    Raises Unauthenticated, CredentialRevoked or CredentialExpired.
    """
    scheme, _, secret = (authorization or "").strip().partition(" ")
    if scheme.lower() != "bearer" or not secret.strip():
        raise Unauthenticated
    return identity.authenticate_key(secret=secret.strip(), now=now)
