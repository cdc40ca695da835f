"""The page of a signed link: one question, for the person who has the link, outside the application.

Machines get the protocol at the same address (``interrupts.surfaces.rest.paths.is_for_people``). Opening decides
nothing: mail scanners and previews open every link, so only the form's POST answers, with the form's own key.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect

from approvals import selectors
from approvals.inbox import drafts
from approvals.inbox.answering import Answered, give_answer
from approvals.inbox.answers import AnswerForm
from approvals.inbox.asked import NOTHING_SENT, Asked, outside
from approvals.inbox.presenters.answered import AnsweredPage, present_answered, present_reply
from approvals.inbox.presenters.closed_link import Closed, ended, expired, left, not_valid
from approvals.inbox.presenters.text import one_line
from approvals.inbox.presenters.times import Moment, moment
from approvals.inbox.replies import ReplyForm
from interrupts.errors import AlreadyResolved, Forbidden, InterruptExpired, InterruptTokenInvalid, WopError
from interrupts.services import tokens
from interrupts.services.links import Target, TokenAnswer, open_link, resolve_by_token, trace_link
from interrupts.services.resolve import ResumeValue
from interrupts.services.tokens import Intent
from interrupts.vocabulary import InterruptKind

# The address is a right to decide: it is kept nowhere, told to no other site and found by no search engine.
_HEADERS = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Robots-Tag": "noindex, nofollow"}


def _private(view: Callable[[HttpRequest, str], HttpResponse]) -> Callable[[HttpRequest, str], HttpResponse]:
    """Keep the address to the page, and check the key of its form all the same."""
    checked = csrf_protect(view)

    @csrf_exempt  # by the middleware, which would see a hidden origin: `checked` checks after it was shown
    @functools.wraps(view)
    def guarded(request: HttpRequest, token: str) -> HttpResponse:
        _show_own_origin(request)
        response = checked(request, token)
        for name, value in _HEADERS.items():
            response[name] = value
        return response

    return guarded


def _show_own_origin(request: HttpRequest) -> None:
    """From a page that sends no referrer, a browser posts ``Origin: null``, which Django takes for a foreign one.

    What the browser says of the request's site stands in for it. A browser too old to say so has the form's key left,
    whose cookie it keeps to this site.
    """
    is_own = request.headers.get("Sec-Fetch-Site", "same-origin") == "same-origin"
    if is_own and request.headers.get("Origin") == "null":
        request.META["HTTP_ORIGIN"] = f"{request.scheme}://{request.get_host()}"


@dataclass(frozen=True, slots=True)
class Holder:
    """For whom the page is: the name the link was made for, empty when it names nobody, and when it ends."""

    name: str
    ends: Moment


@_private
def link(request: HttpRequest, token: str) -> HttpResponse:
    now = timezone.now()
    try:
        target = open_link(token=token, now=now)
        if request.method == "POST":
            return _answer(request, token, target, now)
    except (InterruptTokenInvalid, InterruptExpired, AlreadyResolved, Forbidden) as error:
        return _closed_page(request, _why_closed(error, token, now))
    return _question_page(request, target, Asked(target.suspension).form(None), now)


def _answer(request: HttpRequest, token: str, target: Target, now: datetime) -> HttpResponse:
    form = Asked(target.suspension).form(request.POST)
    if not form.is_submitted:
        return _question_page(request, target, form, now, note="" if form.operate() else NOTHING_SENT)

    def give(answer: ResumeValue) -> object:
        return resolve_by_token(request=TokenAnswer(token=token, answer=answer), now=now)

    outcome = give_answer(target.suspension, form, give, actor=target.actor, now=now)
    if isinstance(outcome, Answered):
        return _answered_page(request, token, now)
    if outcome.is_invalid:
        return _question_page(request, target, form, now, status=422)
    todo = _("Open the link again to see how it stands.")
    closed = Closed(
        outcome.status, outcome.title, outcome.text, todo, one_line(target.suspension.title), open_again=True
    )
    return _closed_page(request, closed, form)


def _question_page(
    request: HttpRequest,
    target: Target,
    form: AnswerForm | ReplyForm,
    now: datetime,
    *,
    note: str | Promise = "",
    status: int = 200,
) -> HttpResponse:
    asked = Asked(target.suspension)
    shown = outside(asked.present(target.actor, now), may_answer=target.intent is Intent.RESOLVE)
    context = asked.context(form, shown, str(note))
    context |= {"page": asked.template, "holder": _holder(target, now), "tenant": target.suspension.tenant}
    return render(request, "inbox/link.html", context, status=status)


def _holder(target: Target, now: datetime) -> Holder:
    actor = target.actor
    names = selectors.names_of(tenant_id=actor.tenant_id, subject_ids=[actor.subject_id])
    return Holder(names.get(actor.subject_id, ""), moment(target.expires_at, now=now))


def _answered_page(request: HttpRequest, token: str, now: datetime) -> HttpResponse:
    """Read again what the answer led to: the run has gone on meanwhile."""
    target = trace_link(token=token)
    outcome = target and _outcome(target, now)
    return render(request, "inbox/link_answered.html", {"answered": outcome})


def _outcome(target: Target, now: datetime) -> AnsweredPage | None:
    if target.suspension.kind == InterruptKind.APPROVAL:
        return present_answered(target.suspension, actor=target.actor, now=now)
    return present_reply(target.suspension)


def _closed_page(request: HttpRequest, closed: Closed, form: AnswerForm | ReplyForm | None = None) -> HttpResponse:
    context = {"closed": closed, "typed": form.typed() if form else drafts.typed(request)}
    return render(request, "inbox/link_closed.html", context, status=closed.status)


def _why_closed(error: WopError, token: str, now: datetime) -> Closed:
    match error:
        case InterruptTokenInvalid():
            return not_valid()
        case InterruptExpired():
            return expired(tokens.read(token).expires_at, now=now)
        case Forbidden():
            return left()
        case _:
            return _what_became_of(token, now)


def _what_became_of(token: str, now: datetime) -> Closed:
    try:
        target = trace_link(token=token)
    except Forbidden:
        return left()
    if target is None:
        return not_valid()
    return ended(target.suspension, actor=target.actor, now=now)
