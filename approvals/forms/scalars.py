"""What a person types for a number, a date or a time, and the JSON value that it means."""

from __future__ import annotations

import re
from datetime import date
from typing import Final

from interrupts.contracts.json_text import MalformedJson, parse_json

MAX_NUMBER: Final = 1_000
_NUMBER: Final = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_WITH_COMMA: Final = re.compile(r"[+-]?[0-9]*,[0-9]+", re.ASCII)
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", re.ASCII)


class NotANumber(ValueError):
    """A text is no number; ``code`` says what is the matter."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


def read_number(text: str) -> int | float:
    """Return the number that a text spells: JSON's own spelling, and a leading ``+``, ``.5`` and ``5.`` as well.

    Raises :class:`NotANumber`. A comma is never guessed at.
    """
    typed = text.strip(" \r\n\t")
    if len(typed) > MAX_NUMBER or not _NUMBER.fullmatch(typed):
        raise NotANumber("comma" if _WITH_COMMA.fullmatch(typed[:MAX_NUMBER]) else "number")
    try:
        value = parse_json(_as_json(typed))
    except MalformedJson as error:
        raise NotANumber("number") from error
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise NotANumber("number")
    return value


def is_date(text: str) -> bool:
    if not _DATE.fullmatch(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _as_json(typed: str) -> str:
    sign, digits = ("-", typed[1:]) if typed[0] == "-" else ("", typed.removeprefix("+"))
    mantissa, mark, exponent = re.fullmatch(r"([^eE]*)([eE]?)(.*)", digits).groups()  # type: ignore[union-attr]
    whole, point, fraction = mantissa.partition(".")
    whole = whole.lstrip("0") or "0"
    return f"{sign}{whole}{f'.{fraction}' if point and fraction else ''}{mark}{exponent}"
