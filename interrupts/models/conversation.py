"""Which ids conversations have taken. Written by ``interrupts.conversations`` alone."""

from __future__ import annotations

import uuid
from typing import ClassVar

from django.db import models

from interrupts.models.identity import Tenant
from interrupts.models.runs import Run


class Conversation(models.Model):
    """One conversation of a tenant and the run that opened it; its turns are in the logs of runs."""

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="conversations")
    conversation_id = models.CharField(max_length=256)
    run = models.ForeignKey(Run, on_delete=models.PROTECT, related_name="conversations")
    opened_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            # interrupt.md §Payload: conversation.start's conversationId is unique in the tenant.
            models.UniqueConstraint(fields=["tenant", "conversation_id"], name="conversation_id_once"),
        ]

    def __str__(self) -> str:
        return self.conversation_id
