"""Finding the place of a fault in a JSON text.

The fast parser knows that a rule was broken but not where. This slow reading, taken only for refused texts, finds the
first place. It is linear in the text whatever the text holds.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass, field

from interrupts.contracts.json_limits import MAX_DIGITS, MalformedJson, forbidden_character, too_deep

# Possessive, and an unclosed string is a token too: otherwise each of its quotes would be read to the end of the text.
_TOKEN = re.compile(r'"(?:[^"\\]++|\\.)*+["\\]?|[\[\]{},:]|[^\s\[\]{},:"]++', re.DOTALL)
_CONSTANTS = frozenset({"NaN", "Infinity", "-Infinity"})
_SHOWN = 80


@dataclass(slots=True)
class _Reader:
    """What has been read so far: the open containers (the names of an object, None for a list) and the last text."""

    max_depth: int
    open: list[set[str] | None] = field(default_factory=list)
    last: tuple[str, int] = ("", 0)

    def fault(self, token: str, offset: int) -> tuple[str, int] | None:
        first = token[0]
        if first == '"':
            self.last = (token, offset)
            return _at(forbidden_character(_text_of(token)), offset)
        if first in "[{":
            self.open.append(set() if first == "{" else None)
            return (too_deep(self.max_depth), offset) if len(self.open) > self.max_depth else None
        if first in "]}":
            if self.open:
                self.open.pop()
            return None
        return self._repeated_name() if first == ":" else _at(number_fault(token), offset)

    def _repeated_name(self) -> tuple[str, int] | None:
        names = self.open[-1] if self.open else None
        if names is None:
            return None
        token, offset = self.last
        name = _text_of(token)
        if name in names:
            return f"The name {json.dumps(name, ensure_ascii=False)[:_SHOWN]} is given twice in one object.", offset
        names.add(name)
        return None


def locate(text: str, *, otherwise: str, max_depth: int) -> MalformedJson:
    """Return the first fault of a text that broke one of our rules, with its place; ``otherwise`` if none is found."""
    reader = _Reader(max_depth)
    for token in _TOKEN.finditer(text):
        fault = reader.fault(token.group(), token.start())
        if fault is not None:
            return malformed_at(fault[0], text, fault[1])
    return MalformedJson(otherwise)


def malformed_at(message: str, text: str, offset: int) -> MalformedJson:
    return MalformedJson(message, text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset))


def number_fault(literal: str) -> str | None:
    """Return what is wrong with a number (or a word in its place), or None."""
    if literal in _CONSTANTS:
        return f"{literal} is not a JSON number."
    if not (literal[0].isdigit() or literal[0] == "-"):
        return None
    if len(literal.lstrip("-")) > MAX_DIGITS:
        return f"A number has more than {MAX_DIGITS} digits."
    if any(mark in literal for mark in ".eE") and math.isinf(_float(literal)):
        return f"The number {literal[:_SHOWN]} is too large."
    return None


def _float(literal: str) -> float:
    try:
        return float(literal)
    except ValueError:
        return 0.0


def _text_of(token: str) -> str:
    if "\\" not in token:
        return token[1:-1]
    try:
        text = json.loads(token)
    except ValueError:
        return token
    return text if isinstance(text, str) else token


def _at(message: str | None, offset: int) -> tuple[str, int] | None:
    return None if message is None else (message, offset)
