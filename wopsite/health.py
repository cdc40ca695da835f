"""`/healthz` (this process answers) and `/readyz` (it could serve a request now)."""

from __future__ import annotations

from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from wopsite.sweeps import last_sweep


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers; it looks at nothing else."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when the database answers and its tables are up to date, else 503. `lastSweep`: see `sweeps`."""
    database, migrations = _database_state()
    swept = last_sweep()
    ready = (database, migrations) == ("ok", "ok")
    return JsonResponse(
        {
            "ready": ready,
            "database": database,
            "migrations": migrations,
            "lastSweep": swept.isoformat(timespec="seconds") if swept else None,
        },
        status=200 if ready else 503,
    )


def _database_state() -> tuple[str, str]:
    try:
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except DatabaseError:
        return "unreachable", "unknown"
    return "ok", "pending" if pending else "ok"
