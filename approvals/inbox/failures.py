"""Pages for what went wrong outside a view. They keep what was typed, and look nothing up."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from approvals.inbox import drafts


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    """The form came without the token of this browser: often a page from before a sign-in, or blocked cookies."""
    context = {"typed": drafts.typed(request), "again": request.path}
    return render(request, "inbox/csrf_failure.html", context, status=403)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    return render(request, "404.html", {"typed": drafts.typed(request)}, status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Something of ours failed. Without the visitor: finding out who looks may be what failed."""
    return render(request, "500.html", {"typed": drafts.typed(request)}, status=500)
