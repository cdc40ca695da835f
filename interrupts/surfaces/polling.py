"""The long poll: what is new in a run's log, at once or as soon as there is something (wire contract §9.2)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, cast

from django.conf import settings
from django.db import connection

from interrupts import selectors
from interrupts.contracts.types import JsonObject
from interrupts.errors import RateLimited
from interrupts.services.event_documents import event_document, sensitive_inputs
from interrupts.services.runs import read_run
from interrupts.surfaces.news import RUN_NEWS
from interrupts.vocabulary import TERMINAL_STATUSES

# A waiting poll holds a thread of the server. A quarter of them stays free for requests that do not wait.
_SEATS: Final = threading.BoundedSemaphore(max(1, settings.WOP_WEB_THREADS * 3 // 4))


def await_events(*, tenant_id: str, run_id: str, after: int, seconds: float) -> JsonObject:
    """Return the events past ``after``, waiting up to ``seconds`` for the first; at once when the run has ended.

    Raises NotFound, or RateLimited when too many polls wait in this process already.
    """
    return await_news(
        run_id=run_id, seconds=seconds, read=lambda: _read_page(tenant_id, run_id, after), is_news=_has_news
    )


def await_news(
    *, run_id: str, seconds: float, read: Callable[[], JsonObject], is_news: Callable[[JsonObject], bool]
) -> JsonObject:
    """Return what ``read`` gives as soon as it is news, else what it gives after ``seconds``; read anew on any event.

    Raises what ``read`` raises, or RateLimited when too many wait in this process already.
    """
    deadline = time.monotonic() + seconds
    page = read()
    if is_news(page) or seconds <= 0:
        return page
    with _seat(), RUN_NEWS.following(run_id) as wait:
        while True:
            page = read()
            left = deadline - time.monotonic()
            if is_news(page) or left <= 0:
                return page
            _release_connection()
            wait(left)


def _read_page(tenant_id: str, run_id: str, after: int) -> JsonObject:
    """Read the run first: what is appended after that belongs to the next page, so status and events agree."""
    run = read_run(tenant_id=tenant_id, run_id=run_id)
    hidden = sensitive_inputs(run)
    new = selectors.events_after(run_id, after) if run.last_sequence > after else []
    return {
        "runId": run.pk,
        "events": [event_document(event, hidden=hidden) for event in new if event.sequence <= run.last_sequence],
        "lastSequence": run.last_sequence,
        "status": run.status,
        "isTerminal": run.status in TERMINAL_STATUSES,
    }


def _has_news(page: JsonObject) -> bool:
    return bool(page["events"]) or cast("bool", page["isTerminal"])


@contextmanager
def _seat() -> Iterator[None]:
    if not _SEATS.acquire(blocking=False):
        raise RateLimited("Too many polls are waiting here at once. Ask again in a moment.")
    try:
        yield
    finally:
        _SEATS.release()


def _release_connection() -> None:
    """Give the database connection back while waiting: waiting polls must not use up the pool."""
    if not connection.in_atomic_block:
        connection.close()
