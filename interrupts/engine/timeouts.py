"""The run's own limit (wire contract §7.1, ``runTimeoutMs``)."""

from __future__ import annotations

from datetime import timedelta

from interrupts import timers
from interrupts.contracts.json_values import as_integer
from interrupts.engine.plan import Plan
from interrupts.events import RunLog
from interrupts.models import Run
from interrupts.vocabulary import MAX_TIMEOUT_MS, TimerPurpose


def run_timeout_ms(plan: Plan, run: Run) -> int | None:
    """Return the run's own limit in milliseconds: the smaller of the workflow's and the caller's, or None.

    Nobody waits longer than ``MAX_TIMEOUT_MS``: a limit beyond it would not fit into a date.
    """
    options = (run.configurable or {}).get("run", {})
    given = (plan.settings.timeout_ms, as_integer(options.get("runTimeoutMs")))
    limits = [min(limit, MAX_TIMEOUT_MS) for limit in given if limit is not None]
    return min(limits, default=None)


def arm_run_timeout(plan: Plan, log: RunLog) -> None:
    """Arm the run's own limit, if it has one. Time spent paused does not count."""
    timeout_ms = run_timeout_ms(plan, log.run)
    if timeout_ms is not None:
        due_at = log.run.created_at + timedelta(milliseconds=timeout_ms + log.state.paused_ms)
        timers.arm(run=log.run, purpose=TimerPurpose.RUN_TIMEOUT, due_at=due_at)
