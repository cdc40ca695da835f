"""The limits every JSON value keeps, and the error that says one was broken."""

from __future__ import annotations

import re

MAX_BYTES = 1_048_576
MAX_DEPTH = 64
MAX_DIGITS = 1_000

# U+0000 cannot be stored by PostgreSQL, and a lone surrogate cannot be written as UTF-8.
FORBIDDEN_CHARACTER = re.compile("[\x00\ud800-\udfff]")


class MalformedJson(ValueError):
    """The JSON is malformed.

    ``message`` is in plain words; ``line`` and ``column`` count from 1, and are 1, 1 where the fault has no place of
    its own in a text.
    """

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message = message
        self.line = line
        self.column = column


def too_large(limit: int) -> str:
    return f"The JSON is larger than {limit} bytes."


def too_deep(limit: int) -> str:
    return f"Lists and objects are nested deeper than {limit} levels."


def forbidden_character(text: str) -> str | None:
    """Return what is wrong with the characters of a text, or None."""
    found = FORBIDDEN_CHARACTER.search(text)
    if found is None:
        return None
    if found.group() == "\x00":
        return "A text holds the NUL character (U+0000), which cannot be stored."
    return "A text holds half of a surrogate pair, which is no character."
