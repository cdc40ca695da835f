"""The ids of conversations: the only writer of Conversation (interrupt.md §Payload, conversation.start)."""

from __future__ import annotations

from datetime import datetime

from interrupts.models import Conversation, Run, Tenant


def open_conversation(*, run: Run, conversation_id: str, now: datetime) -> bool:
    """Take an id for the tenant, for good. Returns False when a conversation has it already.

    Of two runs of a tenant that open conversations at once, the later one waits here until the earlier one commits.
    Waiting at the id alone, two runs that open two of them in opposite order would wait for each other.
    """
    Tenant.objects.select_for_update(no_key=True).get(pk=run.tenant_id)
    row = Conversation(tenant_id=run.tenant_id, conversation_id=conversation_id, run=run, opened_at=now)
    Conversation.objects.bulk_create([row], ignore_conflicts=True)
    # bulk_create does not tell what it ignored, and a run may not open one id twice either.
    return Conversation.objects.filter(pk=row.pk).exists()
