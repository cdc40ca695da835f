"""Many hands at once: what is due in one worker process, each thing on its own.

One thread, the clerk, has the process's only connection to the database: it takes what is due, as much as there are
free hands, and writes down what came of it. The hands are threads that do what takes long, the network, and have no
connection. What is due, its owner says: deliveries to receivers outside, mails to people.
"""

from __future__ import annotations

import logging
import random
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from queue import SimpleQueue
from typing import Final

from django.db import InterfaceError, OperationalError, connections

logger = logging.getLogger(__name__)

Clock = Callable[[], datetime]
# Writes down what came of an errand, or nothing if that is written already. Called by the clerk.
Record = Callable[[], None]
# Does what takes long, without the database, and returns what is to be written down. Called by a hand.
Errand = Callable[[], Record]
# Takes up at most so many of the things that are due. Called by the clerk.
Take = Callable[[int], Sequence[Errand]]

FIRST_WAIT: Final = timedelta(seconds=2)
LONGEST_WAIT: Final = timedelta(hours=1)


def backoff(attempt: int, *, first: timedelta = FIRST_WAIT) -> timedelta:
    """Return how long to wait after an attempt: twice as long each time, up to an hour, less a random part of it.

    Without that part, what failed together would all come back together.
    """
    doubled: int = 2 ** min(attempt - 1, 30)
    longest = min(first * doubled, LONGEST_WAIT)
    return longest * random.uniform(0.5, 1.0)  # noqa: S311 - spreads load, guards nothing


def settled(record: Record) -> Errand:
    """Return the errand of which it is known already what will be written down."""
    return lambda: record


class Courier:
    """The clerk and the hands of one worker process. ``wake`` returns at once; what is due is then being made."""

    def __init__(self, *, hands: int, take: Take) -> None:
        self._hands = hands
        self._take = take
        self._lock = threading.Lock()
        self._clerk: threading.Thread | None = None
        self._clerk_is_in = False
        self._pool: ThreadPoolExecutor | None = None
        # What the clerk waits for: a record, or nothing but a reason to look again.
        self._news: SimpleQueue[Record | None] = SimpleQueue()
        self._under_way = 0
        self._is_stopping = False

    def wake(self) -> None:
        """Have the clerk look for what is due. At rest there is no clerk, and nobody looks."""
        with self._lock:
            if self._is_stopping:
                return
            if self._clerk_is_in:
                self._news.put(None)
                return
            clerk = threading.Thread(target=self._work, name="courier")
            # Raises where the system has no thread left; the next call tries again.
            clerk.start()
            self._clerk = clerk
            self._clerk_is_in = True

    def stop(self) -> None:
        """Start nothing more. Takes no lock: it may be called by a signal's handler."""
        self._is_stopping = True

    def finish(self, *, seconds: float) -> bool:
        """Start nothing more, and wait for what is under way. Returns whether all of it ended in time."""
        self.stop()
        with self._lock:
            clerk = self._clerk
        if clerk is None:
            return True
        clerk.join(seconds)
        return not clerk.is_alive()

    def _work(self) -> None:
        try:
            while self._send_out() or self._under_way or not self._may_go():
                self._write_down()
        finally:
            connections.close_all()
            self._leave()

    def _leave(self) -> None:
        with self._lock:
            if self._clerk is threading.current_thread():
                self._clerk_is_in = False

    def _send_out(self) -> int:
        """Give free hands something to do, and return how many got something."""
        free = 0 if self._is_stopping else self._hands - self._under_way
        errands = self._taken(free) if free else ()
        for errand in errands:
            self._pool = self._pool or ThreadPoolExecutor(self._hands, thread_name_prefix="courier")
            self._pool.submit(self._run, errand)
            self._under_way += 1
        return len(errands)

    def _taken(self, limit: int) -> Sequence[Errand]:
        try:
            return self._take(limit)
        except Exception:
            # The next call finds it again, with a new connection.
            logger.exception("a courier could not take what is due")
            connections.close_all()
            return ()

    def _run(self, errand: Errand) -> None:
        record: Record = nothing
        try:
            record = errand()
        except Exception:
            # What it was about comes back after its lease.
            logger.exception("a courier's errand failed")
        finally:
            self._news.put(record)

    def _may_go(self) -> bool:
        """Tell whether the clerk is done; from then on a call has a new one come."""
        with self._lock:
            self._clerk_is_in = not self._news.empty()
            return not self._clerk_is_in

    def _write_down(self) -> None:
        """Wait for news, and write down all there is of it."""
        news = self._news.get()
        while True:
            if news is not None:
                self._under_way -= 1
                self._written(news)
            if self._news.empty():
                return
            news = self._news.get()

    def _written(self, record: Record) -> None:
        try:
            try:
                record()
            except (InterfaceError, OperationalError):
                # The connection was lost while the hand was away: what a receiver has must not go out once more for it.
                connections.close_all()
                record()
        except Exception:
            # As if the worker had died before it: what this was about comes back after its lease.
            logger.exception("a courier could not write down what came of an errand")
            connections.close_all()


def nothing() -> None:
    """What is written down of an errand of which nothing is known, or nothing is left to say."""
