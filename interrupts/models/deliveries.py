"""What is sent to receivers outside: who asked for it, each delivery, and each attempt at one (wire contract §17, §18).

Secrets are kept readable: every delivery is signed with one anew.
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar

from django.db import models
from django.db.models import Q

from interrupts.models.fields import JsonText
from interrupts.models.identity import Tenant
from interrupts.models.runs import Run, RunEvent
from interrupts.vocabulary import DeliveryOutcome


class CallbackSecret(models.Model):
    """What a tenant's callbacks are signed with, from a time on. Written by ``services.callbacks`` alone."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="callback_secrets")
    secret = models.CharField(max_length=128, editable=False)
    active_from = models.DateTimeField()
    created_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [
            # services.callbacks.signing_secret: the newest of a tenant that is active.
            models.Index(fields=["tenant", "-active_from", "-id"], name="callback_secret_newest"),
        ]

    def __str__(self) -> str:
        return f"secret of {self.tenant_id} from {self.active_from:%Y-%m-%d %H:%M}"


class Webhook(models.Model):
    """A subscription to a tenant's run events. Written by ``services.webhooks`` alone."""

    id = models.CharField(primary_key=True, max_length=257)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="webhooks")
    url = models.CharField(max_length=2048)
    events = JsonText()
    tags = JsonText(default=list)
    secret = models.CharField(max_length=512, editable=False)
    is_secret_generated = models.BooleanField(help_text="The host made it, and may give it again to the same request.")
    previous_secret = models.CharField(max_length=512, blank=True, editable=False)
    previous_secret_expires_at = models.DateTimeField(null=True)
    is_standard = models.BooleanField(help_text="Deliveries carry the signature of standard-webhooks-1 as well.")
    created_by = models.CharField(max_length=256)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(
                name="webhook_previous_secret_expires",
                condition=Q(previous_secret="", previous_secret_expires_at__isnull=True)
                | (~Q(previous_secret="") & Q(previous_secret_expires_at__isnull=False)),
            ),
        ]
        indexes: ClassVar = [
            # deliveries.publish: the live subscriptions of a tenant, at each append to a log.
            models.Index(fields=["tenant"], condition=Q(ended_at__isnull=True), name="webhook_live"),
        ]

    def __str__(self) -> str:
        return self.url

    def wants(self, event_type: str, tags: list[str]) -> bool:
        """Return whether a run's event is to be sent here; tags filter by overlap with the run's."""
        return event_type in self.events and (not self.tags or not set(self.tags).isdisjoint(tags))


class Delivery(models.Model):
    """One event for one receiver, to be handed over at least once. Written by ``interrupts.deliveries`` alone.

    With a webhook it is one of its deliveries; without one it is a notice to the run's ``callback_url``.
    """

    id = models.CharField(primary_key=True, max_length=257)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="deliveries")
    event = models.ForeignKey(RunEvent, on_delete=models.PROTECT, related_name="deliveries")
    webhook = models.ForeignKey(Webhook, on_delete=models.PROTECT, null=True, related_name="deliveries")
    receiver = models.CharField(
        max_length=512, help_text="Who may be slow together: one webhook, or one callback host."
    )
    attempts_made = models.IntegerField(default=0)
    attempts_before = models.IntegerField(default=0, help_text="Attempts made before it was last sent again by hand.")
    due_at = models.DateTimeField()
    leased_until = models.DateTimeField(null=True, help_text="An attempt is under way until then, or its worker died.")
    outcome = models.CharField(max_length=16, null=True)  # noqa: DJ001 - NULL is "still to be made"
    last_status = models.IntegerField(null=True)
    last_error = models.TextField(blank=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name_plural = "deliveries"
        constraints: ClassVar = [
            # However often an append is published, an event is for one receiver once.
            models.UniqueConstraint(fields=["event", "webhook"], name="delivery_once_per_webhook"),
            models.UniqueConstraint(
                fields=["event"], condition=Q(webhook__isnull=True), name="delivery_one_callback_per_event"
            ),
            models.CheckConstraint(
                name="delivery_ended_iff_outcome",
                condition=Q(outcome__isnull=True, ended_at__isnull=True)
                | Q(
                    outcome__isnull=False,
                    outcome__in=[str(o) for o in DeliveryOutcome],
                    ended_at__isnull=False,
                    leased_until__isnull=True,
                ),
            ),
        ]
        indexes: ClassVar = [
            # deliveries.claim: what is to be sent, oldest first.
            models.Index(fields=["due_at", "event"], condition=Q(outcome__isnull=True), name="delivery_due"),
            # deliveries.claim: receivers with attempts under way.
            models.Index(
                fields=["receiver"],
                condition=Q(outcome__isnull=True, leased_until__isnull=False),
                name="delivery_under_way",
            ),
            # services.webhooks.dead_letters: those of one webhook, newest first.
            models.Index(
                fields=["webhook", "-ended_at", "-id"], condition=Q(outcome="dead"), name="delivery_dead_letters"
            ),
            # deliveries.purge: ended ones past their retention.
            models.Index(fields=["ended_at"], condition=Q(outcome__isnull=False), name="delivery_age"),
        ]

    def __str__(self) -> str:
        return self.id

    def state(self, now: datetime) -> str:
        """Return ``under way``, ``waiting``, or how it ended."""
        if self.outcome is not None:
            return self.outcome
        return "under way" if self.leased_until is not None and self.leased_until > now else "waiting"


class DeliveryAttempt(models.Model):
    """One try at a delivery, recorded before it starts: without an end its worker died or is still at it."""

    delivery = models.ForeignKey(Delivery, on_delete=models.CASCADE, related_name="attempts")
    number = models.IntegerField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    status = models.IntegerField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            # Two workers that took one delivery at once: the later one fails instead of sending under the same number.
            models.UniqueConstraint(fields=["delivery", "number"], name="attempt_number_once"),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number}"
