"""A receiver, a door to it and a clock in the test's hands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from openwop_client import verify_webhook_signature

from interrupts.models import Webhook
from interrupts.services.deliver import take_due
from interrupts.services.egress import Door
from interrupts.services.webhooks import RegisterWebhook, register_webhook
from tests.errands import make_next
from tests.factories import NOW, actor
from tests.receivers import Handler, Receiver, answering, door_to, receiving


@dataclass
class Line:
    """A receiver, the door to it, and a clock that stands still until it is set."""

    receiver: Receiver
    door: Door
    now: datetime = NOW

    def deliver_all(self) -> int:
        count = 0
        while make_next(partial(take_due, door=self.door, clock=lambda: self.now)):
            count += 1
        return count

    def subscribe(self, *events: str, **wish: Any) -> Webhook:
        request = RegisterWebhook(actor=actor("hook-owner"), url=self.receiver.url, events=events, **wish)
        done = register_webhook(request=request, door=self.door, now=NOW)
        return Webhook.objects.get(pk=done.result["webhookId"])


class Script:
    """What a receiver answers, one status after the other; the last one for ever."""

    def __init__(self, *statuses: str) -> None:
        self.statuses = list(statuses)

    def __call__(self, stream: Any, request: bytes) -> None:
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        answering(status)(stream, request)


def line_to(handler: Handler, folder: Path) -> Iterator[Line]:
    with receiving(handler) as receiver:
        yield Line(receiver, door_to(receiver, folder))


def parsed(request: bytes) -> tuple[dict[str, str], bytes]:
    head, _, body = request.partition(b"\r\n\r\n")
    lines = [line.partition(": ") for line in head.decode().split("\r\n")[1:]]
    return {name: value for name, _, value in lines}, body


def verified(headers: dict[str, str], body: bytes, secret: str, *, at: datetime = NOW) -> bool:
    outcome = verify_webhook_signature(
        secret,
        headers["OpenWOP-Signature"],
        headers["OpenWOP-Timestamp"],
        body,
        now_seconds=int(at.timestamp()),
        algorithm_header=headers["OpenWOP-Signature-Algorithm"],
    )
    return bool(outcome.valid)
