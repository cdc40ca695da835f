"""The budget of one validation: so many steps, so much work. A schema cannot make the host work without end.

Seconds are the thread's own CPU time: a busy machine must not change a verdict.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Final

MAX_STEPS: Final = 50_000
MAX_SECONDS: Final = 1.0


class NotChecked(Exception):
    """The value could not be checked within the limits. ``str()`` says why, for a person."""


@dataclass(slots=True)
class Meter:
    """Counts down. ``cache`` belongs to the compiled schema and outlives the validation."""

    steps: int = MAX_STEPS
    seconds: float = MAX_SECONDS
    cache: dict[int, frozenset[str]] = field(default_factory=dict)
    deadline: float = field(init=False)

    def __post_init__(self) -> None:
        self.deadline = time.thread_time() + self.seconds

    def step(self) -> None:
        """Spend one step, or raise :class:`NotChecked`."""
        self.steps -= 1
        if self.steps < 0:
            raise NotChecked("Checking this value takes more steps than are allowed.")
        self.pace()

    def pace(self) -> None:
        """Look at the clock without spending a step: for loops whose turns may cost nothing else."""
        if time.thread_time() > self.deadline:
            raise NotChecked("Checking this value takes longer than is allowed.")


# The keyword functions get no argument of ours, and validators are rebuilt at every level; so the meter of the
# validation at hand travels in the context.
_current: ContextVar[Meter] = ContextVar("validation_meter")


@contextmanager
def metering(meter: Meter) -> Iterator[None]:
    token = _current.set(meter)
    try:
        yield
    finally:
        _current.reset(token)


def meter() -> Meter:
    """Return the meter of the validation at hand."""
    return _current.get()
