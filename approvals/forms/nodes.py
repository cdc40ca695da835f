"""The planned form: a tree of inputs, each with what was posted for it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from approvals.forms.merging import Condition
from approvals.forms.moments import PARTS
from approvals.forms.shapes import Kind, Shape
from interrupts.contracts.types import JsonObject, JsonSchema

MAX_NODES: Final = 1_500


class Presence(StrEnum):
    """What an explicit control says of a value that no other input can say."""

    VALUE = "value"
    NULL = "null"
    EMPTY = "empty"


@dataclass(frozen=True, slots=True)
class Node:
    """One input or group.

    ``id`` is its id in the page, ``at`` its place in the form, ``title`` what the page calls it, ``name`` the property
    or the number of the row that it stands for. ``texts`` is what was posted. ``presence`` is what its explicit control
    says, and ``controls`` which explicit controls are drawn. ``schema`` is its own, for judging a branch.
    """

    id: str
    at: str
    kind: Kind
    shape: Shape
    schema: JsonSchema
    title: str = ""
    name: str = ""
    required: bool = True
    texts: tuple[str, ...] = ()
    presence: str = ""
    controls: frozenset[Presence] = frozenset()
    children: tuple[Node, ...] = ()
    chosen: int | None = None
    key: str = ""
    row_key: str = ""
    is_property: bool = False
    is_extra: bool = False
    is_row: bool = False
    is_full: bool = False
    is_too_much: bool = False
    condition: Condition | None = None

    @property
    def text(self) -> str:
        """What was typed or chosen. An offset without a time is nothing yet."""
        if self.parts:
            return " ".join(self.parts).strip() if any(text.strip() for text in self.parts[:-1]) else ""
        return self.texts[-1] if self.texts else ""

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of a date and time, or of a time; none where it is written as one text."""
        count = len(PARTS.get(self.kind, ()))
        is_one_text = len(self.texts) == 1 and self.texts[0].strip()
        return () if is_one_text else (*self.texts, *[""] * count)[:count]

    @property
    def notes(self) -> JsonObject:
        """Title, description and the like."""
        return self.shape.schema

    @property
    def is_read_only(self) -> bool:
        """Whether it is only shown; what is required has to be written all the same."""
        return self.notes.get("readOnly") is True and not self.required

    def walk(self) -> Iterator[Node]:
        """Yield the node and everything in it, in document order."""
        yield self
        for child in self.children:
            yield from child.walk()
