"""Making races happen: calls that start at one moment, or that queue for one run's lock in a given order."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from threading import Barrier
from typing import TypeVar

from django.db import connection, transaction

from interrupts.errors import WopError
from interrupts.models import Run
from interrupts.services.idempotency import ReplayedError

T = TypeVar("T")
Call = Callable[[], T]
_PATIENCE_SECONDS = 10.0


def at_once(*calls: Call[T]) -> list[T | Exception]:
    """Start every call at one moment, each in a thread with its own connection; what came of each, in order."""
    barrier = Barrier(len(calls))
    with ThreadPoolExecutor(len(calls)) as pool:
        futures: list[Future[T]] = [pool.submit(_run, call, barrier) for call in calls]
        return list(map(_outcome, futures))


def in_line(run_id: str, *calls: Call[T]) -> list[T | Exception]:
    """Hold the run's lock, let the calls queue up for it in this order, let go.

    PostgreSQL serves its queue in order. SQLite has none, so there the order is only likely.
    """
    with ThreadPoolExecutor(len(calls)) as pool:
        with held(run_id):
            futures: list[Future[T]] = []
            for count, call in enumerate(calls, start=1):
                futures.append(pool.submit(_run, call))
                _await_waiting(count)
        return list(map(_outcome, futures))


def until(condition: Callable[[], bool], *, seconds: float) -> float:
    """Wait for something to come true and return how long that took."""
    begun = time.monotonic()
    while not condition():
        assert time.monotonic() - begun < seconds, "it did not come true in time"
        time.sleep(0.02)
    return time.monotonic() - begun


@contextmanager
def held(run_id: str) -> Iterator[None]:
    """The lock of a run, as a slow writer would hold it."""
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run_id)
        yield


def codes(outcomes: Sequence[T | Exception]) -> list[str]:
    """What each call ended with: "ok", or the code of its refusal. Anything but a refusal is raised."""
    return [_code(outcome) for outcome in outcomes]


def _code(outcome: object) -> str:
    match outcome:
        case WopError():
            return outcome.code
        case ReplayedError():
            return f"replayed {outcome.error.code}"
        case Exception():
            raise outcome
    return "ok"


def _run(call: Call[T], barrier: Barrier | None = None) -> T:
    try:
        if barrier is not None:
            barrier.wait(_PATIENCE_SECONDS)
        return call()
    finally:
        connection.close()


def _outcome(future: Future[T]) -> T | Exception:
    error = future.exception(timeout=60)
    if error is None:
        return future.result()
    if isinstance(error, Exception):
        return error
    raise error


def _await_waiting(count: int) -> None:
    """Return once so many backends of this database wait for a lock; SQLite cannot tell, and gets a moment."""
    if connection.vendor != "postgresql":
        time.sleep(0.03)
        return
    deadline = time.monotonic() + _PATIENCE_SECONDS
    while _waiting() < count:
        assert time.monotonic() < deadline, "a call never came to the run's lock"
        time.sleep(0.005)


def _waiting() -> int:
    with connection.cursor() as cursor:
        # Within a transaction the view shows one moment for ever, unless it is asked to look again.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
        return int(cursor.fetchone()[0])
