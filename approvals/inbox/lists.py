"""The three lists of the inbox: what each holds, a page of it, and how many there are."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from django.db.models import QuerySet
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from approvals import selectors
from approvals.eligibility import rights_held
from approvals.inbox.cursors import decode_ended, decode_open, encode_ended, encode_open
from approvals.inbox.presenters.rows import Reader, Row, present_rows
from approvals.selectors import COUNT_LIMIT, EndedPosition, OpenPosition
from interrupts.actor import Actor
from interrupts.models import Suspension

PAGE_SIZE: Final = 25

Words = str | Promise


@dataclass(frozen=True, slots=True)
class Tab:
    """One list: its URL name, its title, and what to say when there is nothing in it."""

    name: str
    title: Words
    empty_title: Words
    empty_text: Words


WAITING: Final = Tab(
    "waiting",
    _("Waiting for me"),
    _("Nothing waits for you"),
    _("When a run needs your answer, it is listed here."),
)
ALL_OPEN: Final = Tab(
    "all_open",
    _("All open"),
    _("Nothing is open"),
    _("No run of this tenant waits for an answer now."),
)
HISTORY: Final = Tab(
    "history",
    _("History"),
    _("Nothing has ended yet"),
    _("What you answered, or could have answered, is listed here once it is over."),
)
TABS: Final = (WAITING, ALL_OPEN, HISTORY)


@dataclass(frozen=True, slots=True)
class Listing:
    """One page of a list. ``total`` counts all the rows it reaches, up to a limit beyond which it is not exact."""

    tab: Tab
    rows: list[Row]
    total: int
    is_total_exact: bool
    is_first_page: bool
    next_cursor: str


def waiting(*, actor: Actor, cursor: str | None, now: datetime) -> Listing:
    """What the actor may answer and has not answered. Raises BadCursor."""
    reader = Reader(actor, rights_held(actor=actor), now)
    return _open_listing(WAITING, selectors.waiting_for(actor=actor, held=reader.held, now=now), cursor, reader)


def all_open(*, actor: Actor, cursor: str | None, now: datetime) -> Listing:
    """What is open in the tenant, whoever may answer it. Raises BadCursor."""
    reader = Reader(actor, rights_held(actor=actor), now)
    return _open_listing(ALL_OPEN, selectors.open_in(tenant_id=actor.tenant_id, now=now), cursor, reader)


def history(*, actor: Actor, cursor: str | None, now: datetime) -> Listing:
    """What has ended and the actor answered, or could have answered. Raises BadCursor."""
    reader = Reader(actor, rights_held(actor=actor), now)
    parts = selectors.ended_for(actor=actor, held=reader.held)
    after = decode_ended(cursor) if cursor else None
    found = selectors.ended_page(parts, after=after, limit=PAGE_SIZE + 1)
    more = len(found) > PAGE_SIZE and found[PAGE_SIZE - 1]
    following = encode_ended(EndedPosition(more.resolved_at, more.pk)) if more and more.resolved_at else ""
    return _listing(HISTORY, parts, found[:PAGE_SIZE], cursor, following, reader)


def _open_listing(tab: Tab, rows: QuerySet[Suspension], cursor: str | None, reader: Reader) -> Listing:
    after = decode_open(cursor) if cursor else None
    found = selectors.open_page(rows, after=after, limit=PAGE_SIZE + 1)
    more = len(found) > PAGE_SIZE and found[PAGE_SIZE - 1]
    following = encode_open(OpenPosition(more.deadline, more.opened_at, more.pk)) if more else ""
    return _listing(tab, [rows], found[:PAGE_SIZE], cursor, following, reader)


def _listing(
    tab: Tab,
    parts: list[QuerySet[Suspension]],
    shown: list[Suspension],
    cursor: str | None,
    following: str,
    reader: Reader,
) -> Listing:
    # A first page that is not full holds everything there is: no need to count it again.
    total = selectors.count_up_to(*parts) if cursor or following else len(shown)
    return Listing(
        tab=tab,
        rows=present_rows(shown, reader=reader),
        total=min(total, COUNT_LIMIT),
        is_total_exact=total <= COUNT_LIMIT,
        is_first_page=not cursor,
        next_cursor=following,
    )
