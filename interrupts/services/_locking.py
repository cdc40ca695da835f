"""The run's mutex: every change to a run happens under the lock of its row."""

from __future__ import annotations

from datetime import datetime

from interrupts.engine.advance import Execution
from interrupts.errors import NotFound
from interrupts.events import RunLog
from interrupts.models import Run


def lock_run(*, run_id: str, tenant_id: str, now: datetime) -> Execution:
    """Lock one run of the tenant and open its log, or raise NotFound.

    PostgreSQL locks the row (FOR UPDATE); on SQLite the transaction itself is exclusive (BEGIN IMMEDIATE). Must be
    called inside a transaction.
    """
    runs = Run.objects.select_for_update(of=("self",)).select_related("workflow")
    run = runs.filter(pk=run_id, tenant_id=tenant_id).first()
    if run is None:
        raise NotFound(f"There is no run {run_id}.")
    return Execution.of(run, RunLog(run, now=now))
