"""Many hands at once: threads of a worker that make what is due, each thing on its own.

A hand makes one step after the other and rests when nothing is due. What a step is, its owner says: a delivery to a
receiver outside, a mail to a person.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta
from typing import Final

from django.db import connections

logger = logging.getLogger(__name__)

Clock = Callable[[], datetime]
# Makes one thing, calling its argument as soon as there is one to make. Returns False when nothing is due.
Step = Callable[[Callable[[], None]], bool]

FIRST_WAIT: Final = timedelta(seconds=2)
LONGEST_WAIT: Final = timedelta(hours=1)


def backoff(attempt: int, *, first: timedelta = FIRST_WAIT) -> timedelta:
    """Return how long to wait after an attempt: twice as long each time, up to an hour, less a random part of it.

    Without that part, what failed together would all come back together.
    """
    doubled: int = 2 ** min(attempt - 1, 30)
    longest = min(first * doubled, LONGEST_WAIT)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, guards nothing


class Courier:
    """The hands of one worker process. ``wake`` returns at once; what is due is then being made."""

    def __init__(self, *, hands: int, step: Step) -> None:
        self._hands = hands
        self._step = step
        self._lock = threading.Lock()
        self._busy: set[Future[None]] = set()
        self._pool: ThreadPoolExecutor | None = None
        self._is_stopping = False

    def wake(self) -> None:
        """Set one idle hand to work. Each that finds something to do wakes the next, so at rest only one looks."""
        with self._lock:
            self._busy = {hand for hand in self._busy if not hand.done()}
            if self._is_stopping or len(self._busy) >= self._hands:
                return
            if self._pool is None:
                self._pool = ThreadPoolExecutor(self._hands, thread_name_prefix="courier")
            self._busy.add(self._pool.submit(self._work))

    def stop(self) -> None:
        """Start nothing more. Takes no lock: it may be called by a signal's handler."""
        self._is_stopping = True

    def finish(self, *, seconds: float) -> bool:
        """Start nothing more, and wait for what is under way. Returns whether all of it ended in time."""
        self.stop()
        with self._lock:
            busy = set(self._busy)
        return not wait(busy, timeout=seconds).not_done

    def _work(self) -> None:
        try:
            while not self._is_stopping and self._step(self.wake):
                pass
        except Exception:
            # This hand rests until the next call; what it held comes back after its lease.
            logger.exception("a courier's hand failed")
        finally:
            connections.close_all()


def release_connection() -> None:
    """Give this thread's connection back to the pool. What takes long must not keep one meanwhile."""
    for connection in connections.all(initialized_only=True):
        if not connection.in_atomic_block:
            connection.close()
