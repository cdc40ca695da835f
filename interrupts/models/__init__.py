"""The tables of the host. One writer each; the invariants stand in the database (docs/architecture.md §Tables)."""

from __future__ import annotations

from interrupts.models.connecting import ConnectAttempt
from interrupts.models.conversation import Conversation
from interrupts.models.deliveries import CallbackSecret, Delivery, DeliveryAttempt, Webhook
from interrupts.models.identity import ApiKey, Membership, Tenant
from interrupts.models.ledger import IdempotencyRecord, OutboxMessage
from interrupts.models.runs import Run, RunEvent
from interrupts.models.sightings import Sighting
from interrupts.models.suspension import Suspension, Timer
from interrupts.models.workflow import Workflow

__all__ = [
    "ApiKey",
    "CallbackSecret",
    "ConnectAttempt",
    "Conversation",
    "Delivery",
    "DeliveryAttempt",
    "IdempotencyRecord",
    "Membership",
    "OutboxMessage",
    "Run",
    "RunEvent",
    "Sighting",
    "Suspension",
    "Tenant",
    "Timer",
    "Webhook",
    "Workflow",
]
