"""Signs of life of workers and beat: the only writer of Sighting. Whoever has been silent for long counts as gone."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Final

from interrupts.models import Sighting
from interrupts.vocabulary import Sighted

# How often a process says that it lives, and for how long it may be silent before others say that it does not.
EVERY: Final = timedelta(seconds=10)
LOST_AFTER: Final = timedelta(seconds=60)
RETENTION: Final = timedelta(days=1)


def note(what: Sighted, *, name: str, now: datetime, queues: Sequence[str] = ()) -> None:
    """Record that it was seen just now."""
    Sighting.objects.update_or_create(
        what=str(what), name=name[:255], defaults={"queues": list(queues), "seen_at": now}
    )


def forget(what: Sighted, *, name: str) -> None:
    """Take a process out that has said goodbye."""
    Sighting.objects.filter(what=str(what), name=name[:255]).delete()


def seen(what: Sighted, *, now: datetime) -> list[Sighting]:
    """Return those seen lately, by name."""
    return list(Sighting.objects.filter(what=str(what), seen_at__gt=now - LOST_AFTER).order_by("name"))


def last(what: Sighted) -> datetime | None:
    """Return when one was last seen, however long ago."""
    return Sighting.objects.filter(what=str(what)).order_by("-seen_at").values_list("seen_at", flat=True).first()


def purge(*, now: datetime) -> int:
    """Delete what was last seen long ago, and return how many."""
    deleted, _ = Sighting.objects.filter(seen_at__lt=now - RETENTION).delete()
    return deleted
