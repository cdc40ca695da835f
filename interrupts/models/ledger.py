"""Work that must leave a transaction, and outcomes that must be given again."""

from __future__ import annotations

from typing import ClassVar

from django.db import models
from django.db.models import Q

from interrupts.models.fields import JsonText
from interrupts.models.identity import Tenant
from interrupts.models.runs import Run
from interrupts.vocabulary import Topic


class OutboxMessage(models.Model):
    """One thing to do after commit, at least once. Written by ``interrupts.outbox`` alone."""

    topic = models.CharField(max_length=32)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="outbox")
    dedupe_key = models.CharField(max_length=128, unique=True)
    payload = JsonText(default=dict)
    created_at = models.DateTimeField()
    available_at = models.DateTimeField()
    attempts = models.IntegerField(default=0)
    delivered_at = models.DateTimeField(null=True)
    dead_at = models.DateTimeField(null=True)
    last_error = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(name="outbox_topic_known", condition=Q(topic__in=[str(t) for t in Topic])),
        ]
        indexes: ClassVar = [
            # outbox.claim: undelivered messages that are due, oldest first.
            models.Index(
                fields=["available_at", "id"],
                condition=Q(delivered_at__isnull=True, dead_at__isnull=True),
                name="outbox_due",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.topic} for {self.run_id}"


class IdempotencyRecord(models.Model):
    """The outcome of one keyed request (wire contract §10). Written by ``services.idempotency`` alone."""

    tenant = models.ForeignKey(Tenant, on_delete=models.CASCADE, related_name="idempotency_records")
    endpoint = models.CharField(max_length=64)
    key = models.CharField(max_length=128)
    digest = models.CharField(max_length=64)
    outcome = JsonText(null=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            # Two requests with one key at once: the second waits here and is given the first one's outcome.
            models.UniqueConstraint(fields=["tenant", "endpoint", "key"], name="idempotency_key_once"),
        ]
        indexes: ClassVar = [
            # services.idempotency.purge: records past their retention.
            models.Index(fields=["created_at"], name="idempotency_age"),
        ]

    def __str__(self) -> str:
        return f"{self.endpoint} {self.created_at:%Y-%m-%d %H:%M}"
