"""How long a run's conditions and expressions may take in one go.

Each of them is bounded by itself, but a workflow may hold two thousand, all looked at under the run's lock: on SQLite
that is the lock of everybody. Counted is the thread's own processor time, so that a busy machine fails no honest run.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

# Past the first, the rest of the run is handed on; past the second, within one step, the run cannot go on.
SHARE_SECONDS: Final = 1.0
MAX_SECONDS: Final = 5.0


class TooMuchWork(Exception):
    """What is left of this share was used up."""

    def __init__(self) -> None:
        super().__init__("The conditions and expressions of this workflow take too long to work out.")


@dataclass(slots=True)
class _Work:
    """Processor time spent so far, in seconds."""

    spent: float = 0.0


_current: ContextVar[_Work | None] = ContextVar("engine_work", default=None)


@contextmanager
def one_share() -> Iterator[None]:
    """Count what is worked out within, from nothing."""
    token = _current.set(_Work())
    try:
        yield
    finally:
        _current.reset(token)


def is_share_used() -> bool:
    """Return whether it is time to hand the rest on."""
    work = _current.get()
    return work is not None and work.spent > SHARE_SECONDS


@contextmanager
def counted() -> Iterator[None]:
    """Count one condition or expression. Raises TooMuchWork before it is begun when there is no time left."""
    work = _current.get()
    if work is None:
        yield
        return
    if work.spent > MAX_SECONDS:
        raise TooMuchWork
    started = time.thread_time()
    try:
        yield
    finally:
        work.spent += time.thread_time() - started
