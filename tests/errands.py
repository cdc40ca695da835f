"""A courier of one hand, without threads: takes what is due, one thing after the other, and makes it at once."""

from __future__ import annotations

from interrupts.services.courier import Take


def make_next(take: Take) -> bool:
    """Make what is due longest. Returns False when nothing was."""
    errands = take(1)
    for errand in errands:
        errand()()
    return errands != []
