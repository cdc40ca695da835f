"""Custom interrupts: any data, any answer, both kept as they came (interrupt.md §Payload)."""

from __future__ import annotations

from typing import ClassVar

from interrupts.kinds.base import SingleAnswer
from interrupts.vocabulary import InterruptKind


class Custom(SingleAnswer):
    kind: ClassVar[InterruptKind] = InterruptKind.CUSTOM
