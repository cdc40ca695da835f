"""Conversations that a node opens: their ids are the tenant's only ones (wire contract §23)."""

from __future__ import annotations

from typing import cast

from interrupts import conversations
from interrupts.engine.nodes.base import Dispatch, Failed, NodeResult, Suspend, Wait
from interrupts.events import RunLog
from interrupts.vocabulary import EventType


def take_conversations(log: RunLog, result: NodeResult) -> Failed | None:
    """Take the ids of the conversations that a result opens, or return why the node fails instead."""
    if isinstance(result, Wait | Dispatch):
        return None
    events = (*result.events, *(result.then if isinstance(result, Suspend) else ()))
    for event in events:
        if event.type is EventType.CONVERSATION_OPENED:
            name = cast("str", event.payload["conversationId"])
            if not conversations.open_conversation(run=log.run, conversation_id=name, now=log.now):
                message = (
                    f"The conversation id “{name}” was used before in this tenant. Each conversation needs its own."
                )
                return Failed("node_config_invalid", message, details={"field": "conversationId"})
    return None
