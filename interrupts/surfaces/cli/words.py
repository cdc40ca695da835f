"""Words for a terminal: text that cannot drive it, durations, and values on one line."""

from __future__ import annotations

import json
import re
import shlex
from datetime import datetime, timedelta
from typing import Final

from interrupts.contracts.types import JsonValue

# What would move the cursor, change colours, turn the direction of writing or not be seen: never from another's text.
_COMMANDS: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")
_UNITS: Final = (("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1))


def plain(text: str) -> str:
    """Return the text with everything shown that a terminal would obey; line breaks and tabs stay."""
    return _COMMANDS.sub(lambda found: f"\\u{ord(found.group()):04x}", text.replace("\r\n", "\n"))


def on_one_line(value: JsonValue, *, width: int = 100) -> str:
    """Return a value as one line of at most ``width`` characters: text as it is, everything else as JSON."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    line = " ".join(plain(text).split())
    return line if len(line) <= width else f"{line[: width - 1]}…"


def shell_word(value: JsonValue) -> str:
    """Return a text as one word for a shell, which runs nothing of it when somebody pastes it."""
    return shlex.quote(on_one_line(value))


def in_json(value: JsonValue) -> str:
    """Return the JSON of a value for people and programs alike, without anything that a terminal would obey."""
    text = json.dumps(value, ensure_ascii=False, indent=2)
    return _COMMANDS.sub(lambda found: f"\\u{ord(found.group()):04x}", text)


def from_now(moment: datetime, now: datetime) -> str:
    """Return how far away a moment is, in its largest unit: “in 3 hours”, “2 days ago”."""
    away = abs(moment - now)
    words = next((_count(away, name, size) for name, size in _UNITS if away >= timedelta(seconds=size)), "a moment")
    return f"in {words}" if moment > now else f"{words} ago"


def _count(away: timedelta, name: str, size: int) -> str:
    count = int(away.total_seconds() // size)
    return f"{count} {name}" if count == 1 else f"{count} {name}s"
