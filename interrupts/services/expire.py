"""What happens when a timer fires: a deadline passes, a delay is over, a run has taken too long."""

from __future__ import annotations

import logging
from datetime import datetime, timedelta
from typing import Final

from django.db import transaction

from interrupts import selectors, timers
from interrupts.engine import advance, timeouts
from interrupts.engine.advance import Execution
from interrupts.ids import tenant_of
from interrupts.services._locking import RunIsBusy, lock_idle_run, lock_run
from interrupts.services.resolve import expire_suspension
from interrupts.timers import DueTimer
from interrupts.vocabulary import NodeStatus, TimerPurpose

logger = logging.getLogger(__name__)


RETRY_AFTER: Final = timedelta(seconds=30)


def fire_due_timers(*, now: datetime, limit: int = 50, share: bool = False) -> int:
    """Fire what is due, oldest first, and return how many were looked at. One transaction a run.

    Sweeps that ``share`` pass over a run that somebody holds, and do not count it: another sweep or an answer is at it,
    and if anything is left to do there, the next sweep finds it. So many of them get through with more.
    """
    batch = timers.due(now=now, limit=limit)
    busy = 0
    for timer in batch:
        try:
            fire_timer(timer=timer, now=now, share=share)
        except RunIsBusy:
            busy += 1
        except Exception:
            # Whatever went wrong in this run, the others must not wait for it.
            logger.exception("timer failed run=%s node=%s purpose=%s", timer.run_id, timer.node_id, timer.purpose)
            timers.postpone(timer, until=now + RETRY_AFTER)
    return len(batch) - busy


def fire_timer(*, timer: DueTimer, now: datetime, share: bool = False) -> bool:
    """Fire one timer under its run's lock. Returns False when somebody else took it, or it no longer applies.

    Raises RunIsBusy when it is to ``share`` and somebody holds the run.
    """
    with transaction.atomic():
        if share:
            execution = lock_idle_run(run_id=timer.run_id, now=now)
        else:
            execution = lock_run(run_id=timer.run_id, tenant_id=tenant_of(timer.run_id), now=now)
        if not timers.take(timer):
            return False
        if execution.log.state.is_terminal:
            return False
        fired = _fire(execution, timer)
        execution.log.flush()
    logger.info("timer fired run=%s node=%s purpose=%s", timer.run_id, timer.node_id, timer.purpose)
    return fired


def _fire(execution: Execution, timer: DueTimer) -> bool:
    match timer.purpose:
        case TimerPurpose.DEADLINE:
            return _pass_deadline(execution, timer)
        case TimerPurpose.DELAY:
            return _elapse(execution, timer)
        case TimerPurpose.RUN_TIMEOUT:
            return _time_out_run(execution)


def _pass_deadline(execution: Execution, timer: DueTimer) -> bool:
    """An answer may have been faster: only an interrupt that is still open and due is ended."""
    suspension = selectors.open_suspension(timer.run_id, timer.node_id)
    if suspension is None or suspension.deadline is None or suspension.deadline > execution.log.now:
        return False
    suspension.run = execution.log.run
    expire_suspension(execution, suspension)
    return True


def _elapse(execution: Execution, timer: DueTimer) -> bool:
    node = execution.log.state.nodes.get(timer.node_id)
    if node is None or node.status is not NodeStatus.RUNNING or node.visits != timer.ordinal:
        return False
    advance.elapse(execution, timer.node_id)
    return True


def _time_out_run(execution: Execution) -> bool:
    run = execution.log.run
    limit_ms = timeouts.run_timeout_ms(execution.plan, run)
    elapsed_ms = round((execution.log.now - run.created_at) / timedelta(milliseconds=1))
    observed_ms = elapsed_ms - execution.log.state.paused_ms
    if limit_ms is None or observed_ms < limit_ms:
        return False
    advance.time_out_run(execution, limit_ms=limit_ms, observed_ms=observed_ms)
    return True
