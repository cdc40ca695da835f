"""Conversations: opened, carried on turn by turn, closed (interrupt.md §Payload; wire contract §23).

That a ``conversationId`` is the tenant's only one is held where the conversation is opened (``conversations``).
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, cast

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.kinds.base import OpenInterrupt, SingleAnswer
from interrupts.problems import validation_failed
from interrupts.vocabulary import InterruptKind


class ConversationStart(SingleAnswer):
    """Takes any answer: opening a conversation asks for none."""

    kind: ClassVar[InterruptKind] = InterruptKind.CONVERSATION_START


class ConversationExchange(SingleAnswer):
    """Takes one turn; with an ``outcomeSchema`` only what satisfies it."""

    kind: ClassVar[InterruptKind] = InterruptKind.CONVERSATION_EXCHANGE

    def parse(self, interrupt: OpenInterrupt, value: JsonValue, *, now: datetime) -> JsonValue:
        schema = cast("JsonObject | None", interrupt.data.get("outcomeSchema"))
        problems = [] if schema is None else validate(compile_schema(schema), value)
        if problems:
            raise validation_failed(problems, base="/resumeValue")
        return value


class ConversationClose(SingleAnswer):
    """Takes any answer: closing a conversation asks for none."""

    kind: ClassVar[InterruptKind] = InterruptKind.CONVERSATION_CLOSE
