"""Who is looking: the signed-in person and the tenant they are in, read anew on every request."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Concatenate, Final, ParamSpec, cast

from django.contrib.auth.models import User
from django.contrib.auth.views import redirect_to_login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache

from approvals.inbox import drafts
from interrupts.actor import Actor
from interrupts.models import Membership, Tenant
from interrupts.services.identity import memberships_of, session_actor

TENANT_KEY: Final = "tenant"

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, "Visitor", P], HttpResponse]


@dataclass(frozen=True, slots=True)
class Visitor:
    """A signed-in person in one of their tenants."""

    actor: Actor
    tenant: Tenant
    memberships: tuple[Membership, ...]

    @property
    def tenant_ids(self) -> list[str]:
        return [membership.tenant_id for membership in self.memberships]


def members_only(view: View[P]) -> Callable[Concatenate[HttpRequest, P], HttpResponse]:
    """Let in active members of a tenant. Others are asked to sign in, or told that they are in no tenant."""

    @never_cache
    @functools.wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponse:
        if not request.user.is_authenticated:
            return _signed_out(request)
        visitor = visitor_of(request)
        if visitor is None:
            return render(request, "inbox/no_tenant.html", status=403)
        return view(request, visitor, *args, **kwargs)

    return guarded


def visitor_of(request: HttpRequest) -> Visitor | None:
    """Return who is looking, in the tenant the session remembers or their first one; None without any membership."""
    memberships = memberships_of(cast("User", request.user))
    if not memberships:
        return None
    chosen = request.session.get(TENANT_KEY)
    membership = next((m for m in memberships if m.tenant_id == chosen), memberships[0])
    return Visitor(session_actor(membership), membership.tenant, tuple(memberships))


def page(
    request: HttpRequest, visitor: Visitor, template: str, context: dict[str, Any], *, status: int = 200
) -> HttpResponse:
    """Render a page with the frame that every page of a visitor has."""
    return render(request, template, {**context, "visitor": visitor}, status=status)


def _signed_out(request: HttpRequest) -> HttpResponse:
    """Ask to sign in. What was typed into a form meanwhile goes along and comes back afterwards."""
    if request.method != "POST":
        return redirect_to_login(request.get_full_path())
    context = {"typed": drafts.typed(request), "draft": drafts.pack(request), "next": request.path}
    return render(request, "inbox/signed_out.html", context, status=403)
