"""Making and using links in tests of services."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from interrupts.services.idempotency import Done
from interrupts.services.links import TokenAnswer, mint_link, resolve_by_token
from interrupts.services.resolve import ResumeValue
from interrupts.services.tokens import Intent
from tests.factories import (
    NOW,
    actor,
)

KEY = "0123456789abcdefghij-key-"


def link(run_id: str, approver: str = "", *, intent: Intent = Intent.RESOLVE, now: datetime = NOW) -> str:
    minted = mint_link(actor=actor("owner"), run_id=run_id, node_id="gate", intent=intent, approver=approver, now=now)
    return minted.token


def use(token: str, value: Any = "accept", *, now: datetime = NOW, key: str | None = None, digest: str = "d") -> Done:
    given = {"action": value} if isinstance(value, str) else value
    request = TokenAnswer(token=token, answer=ResumeValue(given), key=key, digest=digest)
    return resolve_by_token(request=request, now=now)
