"""What worker processes do with mail when they end."""

from __future__ import annotations

from typing import Any, Final

from celery.signals import worker_process_shutdown, worker_shutdown, worker_shutting_down

from approvals.tasks import COURIER

# Comes after the deliveries' farewell, during which mails too come to their end.
FAREWELL_SECONDS: Final = 2.0


@worker_shutting_down.connect
def begin_no_mail(**_: Any) -> None:
    """Matters to a worker without a pool: it sends its mails itself, and has just been told to stop."""
    COURIER.stop()


@worker_process_shutdown.connect
@worker_shutdown.connect
def finish_mail(**_: Any) -> None:
    """Let mails under way come to their end: what is cut off is sent a second time."""
    COURIER.finish(seconds=FAREWELL_SECONDS)
