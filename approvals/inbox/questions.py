"""The page on which a person answers any interrupt but an approval, through the same use case as everybody."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _

from approvals.inbox import drafts
from approvals.inbox.access import Visitor, page
from approvals.inbox.answering import Answered, Refusal, submit
from approvals.inbox.answers import shown_digest
from approvals.inbox.links import interrupt_url
from approvals.inbox.presenters.question import present_question
from approvals.inbox.replies import SEND, ReplyForm
from interrupts.models import Suspension


def question(request: HttpRequest, visitor: Visitor, suspension: Suspension) -> HttpResponse:
    if request.method == "POST":
        return _answer(request, visitor, suspension)
    return _page(request, visitor, suspension, ReplyForm(suspension, drafts.take(request)))


def _answer(request: HttpRequest, visitor: Visitor, suspension: Suspension) -> HttpResponse:
    form = ReplyForm(suspension, request.POST)
    if form.pressed != SEND:
        return _page(request, visitor, suspension, form, note=_("Nothing was sent. Press “Send the answer”."))
    match submit(suspension, form, actor=visitor.actor, now=timezone.now()):
        case Answered():
            return redirect(interrupt_url(suspension))
        case Refusal() as refusal if refusal.is_invalid:
            return _page(request, visitor, suspension, form, status=422)
        case refusal:
            context = {"refusal": refusal, "typed": drafts.typed(request)}
            return page(request, visitor, "inbox/refused.html", context, status=refusal.status)


def _page(
    request: HttpRequest,
    visitor: Visitor,
    suspension: Suspension,
    form: ReplyForm,
    *,
    note: str = "",
    status: int = 200,
) -> HttpResponse:
    shown = present_question(suspension, actor=visitor.actor, now=timezone.now())
    context = {"question": shown, "form": form, "note": note, "shown": shown_digest(suspension.payload)}
    return page(request, visitor, "inbox/question.html", context, status=status)
