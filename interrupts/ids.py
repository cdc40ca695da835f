"""Minting of identifiers (wire contract §5). Opaque parts hold 128 bits and never a ``~``."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

_PASSED_THROUGH: Final = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")


def mint_run_id(tenant_id: str) -> str:
    return f"{tenant_id}/r-{secrets.token_hex(16)}"


def child_run_id(parent_run_id: str, node_id: str, visit: int) -> str:
    """Return the id of the child that a node starts in its ``visit``: the same however often it is asked for."""
    digest = hashlib.sha256(f"{parent_run_id}\n{node_id}\n{visit}".encode()).hexdigest()
    return f"{tenant_of(parent_run_id)}/r-{digest[:32]}"


def mint_interrupt_id(tenant_id: str) -> str:
    return f"{tenant_id}/i-{secrets.token_hex(16)}"


def mint_webhook_id(tenant_id: str) -> str:
    return f"{tenant_id}/w-{secrets.token_hex(16)}"


def mint_delivery_id(tenant_id: str) -> str:
    return f"{tenant_id}/d-{secrets.token_hex(16)}"


def mint_event_id() -> str:
    return f"e-{secrets.token_hex(16)}"


def tenant_of(bound_id: str) -> str:
    """Return the tenant segment of a ``<tenant>/<opaque>`` id."""
    return bound_id.partition("/")[0]


def project_id(bound_id: str) -> str:
    """Return the wire form of a bound id, one path segment: ``acme/r-9f`` becomes ``acme~2Fr-9f``."""
    return "".join(chr(byte) if byte in _PASSED_THROUGH else f"~{byte:02X}" for byte in bound_id.encode())
