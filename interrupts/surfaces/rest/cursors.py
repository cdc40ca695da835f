"""Cursors of the run list: signed for one tenant, so that a foreign or altered one is refused (wire contract §7.3)."""

from __future__ import annotations

from datetime import datetime

from django.core import signing

from interrupts.errors import ValidationFailed
from interrupts.models import Run
from interrupts.selectors import Position


def mint_cursor(last: Run) -> str:
    """Return the cursor of the page that ends with this run."""
    return _signer(last.tenant_id).sign_object([last.created_at.isoformat(), last.pk])


def read_cursor(text: str, *, tenant_id: str) -> Position:
    """Return where a page ended. Raises ValidationFailed for a cursor that is not ours, or not this tenant's."""
    try:
        created_at, run_id = _signer(tenant_id).unsign_object(text)
    except signing.BadSignature:
        raise ValidationFailed(
            "This cursor is not one of this list's. Start again without a cursor.", details={"field": "cursor"}
        ) from None
    return Position(datetime.fromisoformat(created_at), run_id)


def _signer(tenant_id: str) -> signing.Signer:
    return signing.Signer(salt=f"interrupts.run-list:{tenant_id}")
