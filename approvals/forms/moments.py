"""A date and time, or a time of day, in the parts that a person fills in (RFC 3339, section 5.6)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Final

from approvals.forms.scalars import is_date
from approvals.forms.shapes import Kind


class Part(StrEnum):
    """The parts, in the order in which they are filled in. An offset left blank is that of UTC, written ``Z``."""

    DATE = "date"
    TIME = "time"
    OFFSET = "offset"


PARTS: Final[Mapping[Kind, tuple[Part, ...]]] = {Kind.DATE_TIME: tuple(Part), Kind.TIME: (Part.TIME, Part.OFFSET)}
# Those in use anywhere, from west to east; that of UTC is blank.
OFFSETS: Final = (
    *("-12:00", "-11:00", "-10:00", "-09:30", "-09:00", "-08:00", "-07:00", "-06:00", "-05:00", "-04:00", "-03:30"),
    *("-03:00", "-02:30", "-02:00", "-01:00", "+01:00", "+02:00", "+03:00", "+03:30", "+04:00", "+04:30"),
    *("+05:00", "+05:30", "+05:45", "+06:00", "+06:30", "+07:00", "+08:00", "+08:45", "+09:00", "+09:30", "+10:00"),
    *("+10:30", "+11:00", "+12:00", "+12:45", "+13:00", "+13:45", "+14:00"),
)
_TIME: Final = re.compile(r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]+)?)?", re.ASCII)
_OFFSET: Final = re.compile(r"[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]", re.ASCII)
_WRITTEN: Final = re.compile(r"(?:([0-9-]+)T)?([0-9:.]+)(Z|[+-][0-9:]+)", re.ASCII)
_LONGEST_FRACTION: Final = 3


class NotAMoment(ValueError):
    """The parts mean no date and time; ``part`` is the first one that is missing, or is not what it should be."""

    def __init__(self, part: Part) -> None:
        super().__init__(part)
        self.part = part


def joined(kind: Kind, texts: Sequence[str]) -> str:
    """Return the date and time, or time, that its parts mean. Raises :class:`NotAMoment`."""
    typed = {part: text.strip() for part, text in zip(PARTS[kind], texts, strict=True)}
    for part, text in typed.items():
        if not is_readable(part, text):
            raise NotAMoment(part)
    day = f"{typed[Part.DATE]}T" if Part.DATE in typed else ""
    seconds = "" if typed[Part.TIME].count(":") > 1 else ":00"
    return f"{day}{typed[Part.TIME]}{seconds}{typed[Part.OFFSET] or 'Z'}"


def split(kind: Kind, text: str) -> tuple[str, ...] | None:
    """Return the parts that mean exactly this text; None when no parts do."""
    written = _WRITTEN.fullmatch(text)
    if written is None:
        return None
    day, time, offset = written.groups(default="")
    found = {Part.DATE: day, Part.TIME: time, Part.OFFSET: "" if offset == "Z" else offset}
    texts = tuple(found[part] for part in PARTS[kind])
    try:
        return texts if joined(kind, texts) == text else None
    except NotAMoment:
        return None


def is_readable(part: Part, text: str) -> bool:
    """Tell whether a part is what it should be; only an offset may be blank."""
    match part:
        case Part.DATE:
            return is_date(text)
        case Part.TIME:
            return _TIME.fullmatch(text) is not None
        case _:
            return text == "" or _OFFSET.fullmatch(text) is not None


def is_native(part: Part, text: str) -> bool:
    """Tell whether a browser's own input for a date or a time can hold a text: any other would be lost in it."""
    return text == "" or (is_readable(part, text) and len(text.partition(".")[2]) <= _LONGEST_FRACTION)
