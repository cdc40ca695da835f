"""No page takes the NUL character, and PostgreSQL cannot store it: an address that holds one is refused before any."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse

# How an id in an address of the administration spells it (django.contrib.admin.utils.quote).
_IN_ADMIN: Final = "_00"


def refuse_null_characters(
    get_response: Callable[[HttpRequest], HttpResponse],
) -> Callable[[HttpRequest], HttpResponse]:
    """Middleware of people's paths: 400 for an address with a NUL, in the path or the query."""

    def guarded(request: HttpRequest) -> HttpResponse:
        path, query = request.path_info, request.META.get("QUERY_STRING", "")
        if "\0" in path or "%00" in query or (path.startswith("/admin/") and _IN_ADMIN in path):
            raise SuspiciousOperation("an address with a NUL character")
        return get_response(request)

    return guarded
