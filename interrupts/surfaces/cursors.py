"""Cursors of lists: signed for one list, so that a foreign or altered one is refused (wire contract §7.3)."""

from __future__ import annotations

from datetime import datetime
from typing import cast

from django.core import signing

from interrupts.errors import ValidationFailed
from interrupts.models import Delivery, Run
from interrupts.selectors import Position
from interrupts.services.webhooks import DeadLetterPosition


def mint_cursor(last: Run) -> str:
    """Return the cursor of the page of runs that ends with this one."""
    return _mint(_runs_of(last.tenant_id), last.created_at, last.pk)


def read_cursor(text: str, *, tenant_id: str) -> Position:
    """Return where a page of runs ended. Raises ValidationFailed for a cursor of anything else."""
    return Position(*_read(_runs_of(tenant_id), text))


def mint_dead_letter_cursor(last: Delivery) -> str:
    """Return the cursor of the page of dead letters that ends with this one."""
    return _mint(_dead_letters_of(str(last.webhook_id)), cast("datetime", last.ended_at), last.pk)


def read_dead_letter_cursor(text: str, *, webhook_id: str) -> DeadLetterPosition:
    """Return where a page of dead letters ended. Raises ValidationFailed for a cursor of anything else."""
    return DeadLetterPosition(*_read(_dead_letters_of(webhook_id), text))


def _mint(signer: signing.Signer, at: datetime, row_id: str) -> str:
    return signer.sign_object([at.isoformat(), row_id])


def _read(signer: signing.Signer, text: str) -> tuple[datetime, str]:
    try:
        at, row_id = signer.unsign_object(text)
    except signing.BadSignature:
        raise ValidationFailed(
            "This cursor is not one of this list's. Start again without a cursor.", details={"field": "cursor"}
        ) from None
    return datetime.fromisoformat(at), row_id


def _runs_of(tenant_id: str) -> signing.Signer:
    return signing.Signer(salt=f"interrupts.run-list:{tenant_id}")


def _dead_letters_of(webhook_id: str) -> signing.Signer:
    return signing.Signer(salt=f"interrupts.dead-letters:{webhook_id}")
