"""Custom interrupts: any data, any answer, both kept as they came (interrupt.md §Payload)."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar, cast

from interrupts.contracts.composition import ANY_OBJECT
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.kinds.base import Contract, OpenInterrupt, SingleAnswer
from interrupts.vocabulary import InterruptKind


class Custom(SingleAnswer):
    """Known to people and clients by its own name, ``customKind``; what it shows is ``payload``."""

    kind: ClassVar[InterruptKind] = InterruptKind.CUSTOM

    @property
    def request_schema(self) -> JsonObject:
        return ANY_OBJECT

    def derived(self, interrupt: OpenInterrupt) -> Contract:
        return replace(super().derived(interrupt), kind=cast("str", interrupt.data["customKind"]))

    def shown(self, interrupt: OpenInterrupt) -> JsonValue:
        return interrupt.data.get("payload", {})
