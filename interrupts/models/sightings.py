"""Which processes of this installation were last seen, on whatever machine."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _

from interrupts.models.fields import JsonText
from interrupts.vocabulary import Sighted


class Sighting(models.Model):
    """When one worker or beat last gave a sign of life, or when the timers were last swept.

    Written by ``interrupts.sightings`` alone.
    """

    what = models.CharField(max_length=16)
    name = models.CharField(max_length=255)
    queues = JsonText(default=list, help_text=_("The queues that a worker takes work from."))
    seen_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            # However many processes report at once, each has one row.
            models.UniqueConstraint(fields=["what", "name"], name="sighting_once"),
            models.CheckConstraint(name="sighting_of_something_known", condition=Q(what__in=[str(w) for w in Sighted])),
        ]

    def __str__(self) -> str:
        return f"{self.what} {self.name}".strip()
