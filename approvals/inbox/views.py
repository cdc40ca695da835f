"""The inbox's pages: read the input, make one call, answer with a page. Only here is the clock read."""

from __future__ import annotations

from collections.abc import Callable

from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.http import url_has_allowed_host_and_scheme
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from approvals import selectors
from approvals.inbox import drafts, lists, minting
from approvals.inbox.access import TENANT_KEY, Visitor, members_only, page
from approvals.inbox.answering import Answered, Refusal, submit
from approvals.inbox.answers import AnswerForm
from approvals.inbox.asked import NOTHING_SENT, Asked
from approvals.inbox.cursors import BadCursor
from approvals.inbox.links import answered_url, interrupt_url, opaque_part
from approvals.inbox.lists import Listing
from approvals.inbox.presenters.answered import present_answered
from approvals.inbox.presenters.runs import present_run
from approvals.inbox.replies import ReplyForm
from interrupts.models import Suspension
from interrupts.selectors import run_of


@require_safe
@members_only
def waiting(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    return _list_page(request, visitor, lists.waiting)


@require_safe
@members_only
def all_open(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    return _list_page(request, visitor, lists.all_open)


@require_safe
@members_only
def history(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    return _list_page(request, visitor, lists.history)


@require_http_methods(["GET", "HEAD", "POST"])
@members_only
def interrupt(request: HttpRequest, visitor: Visitor, opaque: str) -> HttpResponse:
    suspension = _find(visitor, opaque)
    if suspension.tenant_id != visitor.actor.tenant_id:
        return _elsewhere(request, visitor, suspension)
    asked = Asked(suspension)
    if request.method == "POST":
        return _answer(request, visitor, asked)
    return _asked_page(request, visitor, asked, asked.form(drafts.take(request)))


@require_safe
@members_only
def answered(request: HttpRequest, visitor: Visitor, opaque: str) -> HttpResponse:
    """What an answer led to. Read from the record, so that it can be opened and reloaded at any time."""
    suspension = _find(visitor, opaque)
    if suspension.tenant_id != visitor.actor.tenant_id:
        return _elsewhere(request, visitor, suspension)
    outcome = present_answered(suspension, actor=visitor.actor, now=timezone.now())
    if outcome is None:
        return redirect("inbox:interrupt", opaque)
    return page(request, visitor, "inbox/answered.html", {"answered": outcome})


@require_safe
@members_only
def run(request: HttpRequest, visitor: Visitor, opaque: str) -> HttpResponse:
    """A run of the tenant, for every member of it."""
    tenant_id = visitor.actor.tenant_id
    found = run_of(tenant_id, f"{tenant_id}/{opaque}")
    if found is None:
        raise Http404
    return page(request, visitor, "inbox/run.html", {"run": present_run(found, now=timezone.now())})


@require_POST
@members_only
def switch_tenant(request: HttpRequest, visitor: Visitor) -> HttpResponse:
    chosen = request.POST.get("tenant", "")
    if chosen not in visitor.tenant_ids:
        raise Http404
    request.session[TENANT_KEY] = chosen
    return HttpResponseRedirect(_safe_next(request) or reverse("inbox:waiting"))


def _list_page(request: HttpRequest, visitor: Visitor, read: Callable[..., Listing]) -> HttpResponse:
    try:
        listing = read(actor=visitor.actor, cursor=request.GET.get("after"), now=timezone.now())
    except BadCursor:
        return page(request, visitor, "inbox/bad_cursor.html", {}, status=400)
    return page(request, visitor, "inbox/list.html", {"listing": listing, "tabs": lists.TABS})


def _answer(request: HttpRequest, visitor: Visitor, asked: Asked) -> HttpResponse:
    form = asked.form(request.POST)
    if not form.is_submitted:
        return _asked_page(request, visitor, asked, form, note="" if form.operate() else NOTHING_SENT)
    match submit(asked.suspension, form, actor=visitor.actor, now=timezone.now()):
        case Answered() if asked.is_approval:
            return redirect(answered_url(asked.suspension))
        case Answered():
            return redirect(interrupt_url(asked.suspension))
        case Refusal() as refusal if refusal.is_invalid:
            return _asked_page(request, visitor, asked, form, status=422)
        case refusal:
            context = {"refusal": refusal, "typed": form.typed()}
            return page(request, visitor, "inbox/refused.html", context, status=refusal.status)


def _asked_page(
    request: HttpRequest,
    visitor: Visitor,
    asked: Asked,
    form: AnswerForm | ReplyForm,
    *,
    note: str | Promise = "",
    status: int = 200,
) -> HttpResponse:
    shown = asked.present(visitor.actor, timezone.now())
    context = asked.context(form, shown, str(note))
    context["link_offer"] = minting.offer(visitor, asked.suspension, shown)
    context["link_opaque"] = opaque_part(asked.suspension.pk)
    return page(request, visitor, asked.template, context, status=status)


def _find(visitor: Visitor, opaque: str) -> Suspension:
    """Return the interrupt of one of the visitor's tenants; there is none of any other."""
    suspension = selectors.interrupt_of(tenant_ids=visitor.tenant_ids, opaque=opaque)
    if suspension is None:
        raise Http404
    return suspension


def _elsewhere(request: HttpRequest, visitor: Visitor, suspension: Suspension) -> HttpResponse:
    """The interrupt belongs to another tenant of the same person: say so, and decide nothing."""
    context = {"tenant": suspension.tenant, "typed": drafts.typed(request), "next": request.path}
    return page(request, visitor, "inbox/elsewhere.html", context, status=404)


def _safe_next(request: HttpRequest) -> str:
    """Return where to go next, if that is a page of ours."""
    target = request.POST.get("next", "")
    is_ours = url_has_allowed_host_and_scheme(
        target, allowed_hosts={request.get_host()}, require_https=request.is_secure()
    )
    return target if is_ours else ""
