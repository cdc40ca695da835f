"""Decisions an agent was not sure enough of: a person looks at them (interrupt.md §Payload, wire contract §23)."""

from __future__ import annotations

from typing import ClassVar

from interrupts.kinds.base import SingleAnswer
from interrupts.vocabulary import InterruptKind


class LowConfidence(SingleAnswer):
    """Takes any answer: what it means is between the workflow and its operators."""

    kind: ClassVar[InterruptKind] = InterruptKind.LOW_CONFIDENCE
