"""Conversations: opened, carried on turn by turn, closed (interrupt.md §Payload; wire contract §23).

That a ``conversationId`` is the tenant's only one is held where the conversation is opened (``conversations``).
"""

from __future__ import annotations

from datetime import datetime
from typing import ClassVar, cast

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.kinds.base import Contract, OpenInterrupt, SingleAnswer, submission
from interrupts.problems import validation_failed
from interrupts.vocabulary import InterruptKind


class ConversationStart(SingleAnswer):
    """Takes any answer: opening a conversation asks for none."""

    kind: ClassVar[InterruptKind] = InterruptKind.CONVERSATION_START


class ConversationExchange(SingleAnswer):
    """Takes one turn; with an ``outcomeSchema`` only what satisfies it."""

    kind: ClassVar[InterruptKind] = InterruptKind.CONVERSATION_EXCHANGE

    def derived(self, interrupt: OpenInterrupt) -> Contract:
        """The schema of the turn; one for answers as a whole is looked at besides."""
        schema = _outcome_schema(interrupt)
        return super().derived(interrupt) if schema is None else submission(self, schema, typed=True)

    def parse(self, interrupt: OpenInterrupt, value: JsonValue, *, now: datetime) -> JsonValue:
        schema = _outcome_schema(interrupt)
        problems = [] if schema is None else validate(compile_schema(schema), value)
        if problems:
            raise validation_failed(problems, base="/resumeValue")
        return value


class ConversationClose(SingleAnswer):
    """Takes any answer: closing a conversation asks for none."""

    kind: ClassVar[InterruptKind] = InterruptKind.CONVERSATION_CLOSE


def _outcome_schema(interrupt: OpenInterrupt) -> JsonObject | None:
    return cast("JsonObject | None", interrupt.data.get("outcomeSchema"))
