"""Ways to a provider and back that are under way. Written by ``interrupts.services.connecting`` alone."""

from __future__ import annotations

from django.db import models

from interrupts.models.suspension import Suspension


class ConnectAttempt(models.Model):
    """Somebody is at a provider to connect the account that an interrupt asks for.

    It is bound to the interrupt, and by it to the run's Subject and to the provider. Of the ``state`` only a digest is
    kept, and of what proves the exchange nothing at all.
    """

    # One way at a time: a new one takes the place of the last, and coming back deletes it.
    suspension = models.OneToOneField(Suspension, on_delete=models.CASCADE, related_name="connect_attempt")
    state_hash = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"on the way until {self.expires_at:%H:%M:%S}"
