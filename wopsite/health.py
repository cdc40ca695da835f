"""`/healthz` (this process answers) and `/readyz` (it could serve a request now)."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from interrupts.services import health


@never_cache
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    """200 as long as the process answers; it looks at nothing else."""
    return HttpResponse("ok\n", content_type="text/plain; charset=utf-8")


@never_cache
@require_safe
def readyz(request: HttpRequest) -> JsonResponse:
    """200 when the database answers and its tables are up to date, else 503.

    Workers do not make this process ready: what is wrong with them is told in ``warnings``.
    """
    state = health.database_state()
    seen = health.processes(now=timezone.now()) if state.is_ready else None
    swept = seen.last_sweep if seen else None
    return JsonResponse(
        {
            "ready": state.is_ready,
            "database": state.database,
            "migrations": state.migrations,
            "lastSweep": swept.isoformat(timespec="seconds") if swept else None,
            "warnings": seen.warnings if seen else [],
        },
        status=200 if state.is_ready else 503,
    )
