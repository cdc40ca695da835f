"""The pages between a run that asks for an account and the provider. Clients with a key get the protocol instead."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from approvals.inbox.access import Visitor, members_only, page
from approvals.inbox.links import run_url
from interrupts.errors import AlreadyResolved, Forbidden, NotFound, WopError
from interrupts.services.connecting import Return, finish_connecting, start_connecting
from interrupts.surfaces.problems import http_status
from interrupts.surfaces.rest.paths import read_bound_id


@dataclass(frozen=True, slots=True)
class Stop:
    """Why it does not go on: a heading, what happened in words, and where to go instead."""

    title: str
    text: str
    link: str
    link_text: str


@members_only
def connect(request: HttpRequest, visitor: Visitor, run_id: str, node_id: str) -> HttpResponse:
    """Send the run's owner on to the provider. Opening the page alone connects nothing."""
    try:
        bound_id = read_bound_id(run_id, tenant_id=visitor.tenant.pk)
        url = start_connecting(actor=visitor.actor, run_id=bound_id, node_id=node_id, now=timezone.now())
    except WopError as error:
        return _stopped(request, visitor, error)
    response = HttpResponseRedirect(url)
    response["Referrer-Policy"] = "no-referrer"
    return response


@members_only
def connected(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    """Take the consent that the provider sent back, and show what the run made of it."""
    state, code = request.GET.get("state", ""), request.GET.get("code", "")
    try:
        done = finish_connecting(back=Return(visitor.actor, state, code), now=timezone.now())
    except WopError as error:
        return _stopped(request, visitor, error)
    return redirect(run_url(str(done["runId"])))


def _stopped(request: HttpRequest, visitor: Visitor, error: WopError) -> HttpResponse:
    match error:
        case Forbidden():
            title = _("This account is for somebody else to connect")
        case AlreadyResolved():
            title = _("The run no longer waits for this account")
        case NotFound():
            title = _("No account is asked for here")
        case _:
            title = _("The account was not connected")
    stop = Stop(title, error.message, reverse("inbox:history"), _("See what was decided"))
    return page(request, visitor, "inbox/refused.html", {"refusal": stop}, status=http_status(error.code))
