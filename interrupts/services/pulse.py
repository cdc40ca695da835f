"""Signs of life, given seldom enough to cost nothing, and never the cause of an end."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from datetime import datetime

from django.db import DatabaseError
from django.utils import timezone

from interrupts import sightings
from interrupts.vocabulary import Sighted

logger = logging.getLogger(__name__)


class Pulse:
    """The signs of life of one process, at most one in ``sightings.EVERY``."""

    def __init__(self, what: Sighted) -> None:
        self._what = what
        self._name = ""
        self._queues: Sequence[str] = ()
        self._last: datetime | None = None

    def start(self, name: str, queues: Sequence[str] = ()) -> None:
        """Say who lives here, with a first sign at once."""
        self._name, self._queues, self._last = name, queues, None
        self.beat()

    def beat(self) -> None:
        now = timezone.now()
        if self._last is not None and self._last <= now < self._last + sightings.EVERY:
            return
        self._last = now
        try:
            sightings.note(self._what, name=self._name, queues=self._queues, now=now)
        except DatabaseError:
            logger.warning("no sign of life could be left: the database cannot be used")

    def end(self) -> None:
        """Leave in good order: the others need not wait to see that nobody is here."""
        try:
            sightings.forget(self._what, name=self._name)
        except DatabaseError:
            logger.warning("no goodbye could be left: the database cannot be used")
