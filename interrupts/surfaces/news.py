"""News of runs for whoever waits: PostgreSQL tells it, over one connection a process; elsewhere one sleeps briefly.

News only wakes. Whoever was woken looks at the log again, so a lost notification delays an answer and loses none.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final

import psycopg
from django.db import connections

logger = logging.getLogger(__name__)

# Sent by a trigger on each append (migration 0002).
CHANNEL: Final = "wop_run_events"
_LOOK_ANYWAY_SECONDS: Final = 5.0
_SLEEP_SECONDS: Final = 0.2
_RECONNECT_SECONDS: Final = 1.0
_STOP_SECONDS: Final = 0.5

Wait = Callable[[float], None]


class RunNews:
    """Wakes threads that follow a run. The listening thread starts with the first one who waits."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._followers: dict[str, set[threading.Event]] = {}
        self._thread: threading.Thread | None = None
        self._listening = threading.Event()
        self._stopping = threading.Event()

    @contextmanager
    def following(self, run_id: str) -> Iterator[Wait]:
        """Give a function that waits for news of the run, at most so many seconds; it may return early."""
        news = threading.Event()
        with self._lock:
            self._followers.setdefault(run_id, set()).add(news)
            self._start_listening()
        try:
            yield partial(self._wait, news)
        finally:
            with self._lock:
                self._followers[run_id].discard(news)
                if not self._followers[run_id]:
                    del self._followers[run_id]

    def stop(self) -> None:
        """End the listening thread and its connection; the next follower starts another."""
        with self._lock:
            thread, self._thread = self._thread, None
            self._stopping.set()
        if thread is not None:
            thread.join()

    def _wait(self, news: threading.Event, seconds: float) -> None:
        news.wait(min(seconds, _LOOK_ANYWAY_SECONDS if self._listening.is_set() else _SLEEP_SECONDS))
        news.clear()

    def _start_listening(self) -> None:
        if self._thread is not None or connections["default"].vendor != "postgresql":
            return
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._listen, args=(self._stopping,), name="run-news", daemon=True)
        self._thread.start()

    def _listen(self, stopping: threading.Event) -> None:
        """Listen until told to stop, on a connection of its own: one of the pool would be missing there for good."""
        while not stopping.is_set():
            try:
                self._listen_on_one_connection(stopping)
            except psycopg.Error as error:
                logger.warning("not listening for run events, trying again: %s", error)
                stopping.wait(_RECONNECT_SECONDS)

    def _listen_on_one_connection(self, stopping: threading.Event) -> None:
        parameters = connections["default"].get_connection_params()
        try:
            with psycopg.connect(**parameters, autocommit=True) as connection:
                connection.execute(f"LISTEN {CHANNEL}")
                self._listening.set()
                self._wake_all()
                while not stopping.is_set():
                    for notification in connection.notifies(timeout=_STOP_SECONDS):
                        self._wake(notification.payload)
        finally:
            self._listening.clear()

    def _wake(self, run_id: str) -> None:
        with self._lock:
            for news in self._followers.get(run_id, ()):
                news.set()

    def _wake_all(self) -> None:
        """What was appended while nobody listened was not told: everybody looks again."""
        with self._lock:
            for followers in self._followers.values():
                for news in followers:
                    news.set()


RUN_NEWS: Final = RunNews()
