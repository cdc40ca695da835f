"""Times in words. The server names the zone it writes in; a script may rewrite them in the reader's own."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.dateformat import format as format_date
from django.utils.timesince import timesince
from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from interrupts.events import isoformat

_SOON = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Moment:
    """One time: for machines (``iso``), in full with its zone (``text``), and from now (``distance``, "5 minutes")."""

    iso: str
    text: str
    distance: str


@dataclass(frozen=True, slots=True)
class Due:
    """A deadline. ``words`` says how long there is; ``is_soon``: less than an hour; ``is_over``: it has passed."""

    at: Moment
    words: str
    is_soon: bool
    is_over: bool


def moment(at: datetime, *, now: datetime) -> Moment:
    return Moment(iso=isoformat(at), text=format_date(localtime(at), "j M Y, H:i T"), distance=distance(at, now))


def due(deadline: datetime | None, *, now: datetime) -> Due | None:
    """Return None for an interrupt without a deadline."""
    if deadline is None:
        return None
    left = deadline - now
    is_over = left <= timedelta(0)
    words = _("time is up") if is_over else _("due in %(time)s") % {"time": distance(deadline, now)}
    return Due(moment(deadline, now=now), words, left < _SOON, is_over)


def distance(at: datetime, now: datetime) -> str:
    """Return the time between the two in its largest unit, as in "20 minutes"."""
    first, second = sorted((at, now))
    if second - first < timedelta(minutes=1):
        return _("less than a minute")
    return timesince(first, second, depth=1)
