"""Copy a link for…: a signed link made in the inbox, shown once."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST

from approvals import eligibility, selectors
from approvals.inbox.access import Visitor, members_only, page
from approvals.inbox.asked import Asked
from approvals.inbox.links import interrupt_url
from approvals.inbox.presenters.decision import Decision
from approvals.inbox.presenters.question import QuestionPage
from approvals.inbox.presenters.times import Moment, moment
from interrupts.errors import AlreadyResolved, NotFound, ValidationFailed
from interrupts.models import Suspension
from interrupts.services.links import mint_link
from interrupts.services.tokens import Intent
from interrupts.surfaces.addresses import link_url


@dataclass(frozen=True, slots=True)
class Choice:
    """One person a link can be made for: their subject id, empty for whoever has the link, and what they are called."""

    subject_id: str
    name: str


@dataclass(frozen=True, slots=True)
class Offer:
    """For whom the reader may make a link; ``others`` tells whether they have the right to make any for others."""

    choices: tuple[Choice, ...] = ()
    others: bool = False


@dataclass(frozen=True, slots=True)
class MadeLink:
    """A link as it is shown, this once."""

    url: str
    name: str
    ends: Moment
    title: str
    back: str


def offer(visitor: Visitor, suspension: Suspension, shown: Decision | QuestionPage) -> Offer:
    """Return for whom the reader may make a link: themselves where they may answer, others with a right of its own.

    Whoever makes a link could use it, so making one for somebody else is as good as voting in their name: without that
    right, one approver could fill a quorum alone.
    """
    if shown.ended or (shown.due and shown.due.is_over):
        return Offer()
    own = visitor.actor.subject_id
    found = (Choice(own, _("me")),) if shown.can_answer else ()
    if not eligibility.may_link_for_others(visitor.actor):
        return Offer(found)
    if not shown.named:
        return Offer((*found, Choice("", _("whoever has the link"))), others=True)
    named = selectors.people_named_at(suspension)
    others = (Choice(m.subject_id, selectors.name_of(m.user)) for m in named if m.subject_id != own)
    return Offer((*found, *others), others=True)


@require_POST
@members_only
def make_link(request: HttpRequest, visitor: Visitor, opaque: str) -> HttpResponse:
    now = timezone.now()
    suspension = selectors.interrupt_of(tenant_ids=[visitor.actor.tenant_id], opaque=opaque)
    if suspension is None:
        raise Http404
    shown = Asked(suspension).present(visitor.actor, now)
    offered = {choice.subject_id: choice for choice in offer(visitor, suspension, shown).choices}
    chosen = offered.get(request.POST.get("approver", ""))
    made = chosen and _make(request, visitor, suspension, chosen, now)
    if made is None:
        # The question has ended, or the person is not to be had: its page says which.
        return redirect(interrupt_url(suspension))
    return page(request, visitor, "inbox/link_made.html", {"made": made})


def _make(
    request: HttpRequest, visitor: Visitor, suspension: Suspension, chosen: Choice, now: datetime
) -> MadeLink | None:
    try:
        link = mint_link(
            actor=visitor.actor,
            run_id=suspension.run_id,
            node_id=suspension.node_id,
            intent=Intent.RESOLVE,
            approver=chosen.subject_id,
            now=now,
        )
    except (AlreadyResolved, NotFound, ValidationFailed):
        return None
    return MadeLink(
        url=link_url(link.token, request=request),
        name=chosen.name,
        ends=moment(link.expires_at, now=now),
        title=suspension.title,
        back=interrupt_url(suspension),
    )
