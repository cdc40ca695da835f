"""The run's mutex: every change to a run happens under the lock of its row."""

from __future__ import annotations

from datetime import datetime

from django.db import connection
from django.db.models import QuerySet

from interrupts.engine.advance import Execution
from interrupts.errors import NotFound
from interrupts.events import RunLog
from interrupts.models import Run


class RunIsBusy(Exception):
    """Somebody else holds the run's lock."""


def lock_run(*, run_id: str, tenant_id: str, now: datetime) -> Execution:
    """Lock one run of the tenant and open its log, or raise NotFound.

    PostgreSQL locks the row (FOR UPDATE); on SQLite the transaction itself is exclusive (BEGIN IMMEDIATE). Must be
    called inside a transaction.
    """
    run = _locked().filter(pk=run_id, tenant_id=tenant_id).first()
    if run is None:
        raise NotFound(f"There is no run {run_id}.")
    return Execution.of(run, RunLog(run, now=now))


def lock_idle_run(*, run_id: str, now: datetime) -> Execution:
    """Lock one run that is there without waiting for it, or raise RunIsBusy (never on SQLite)."""
    run = _locked(skip_locked=connection.features.has_select_for_update_skip_locked).filter(pk=run_id).first()
    if run is None:
        raise RunIsBusy
    return Execution.of(run, RunLog(run, now=now))


def _locked(*, skip_locked: bool = False) -> QuerySet[Run]:
    return Run.objects.select_for_update(of=("self",), skip_locked=skip_locked).select_related("workflow")
