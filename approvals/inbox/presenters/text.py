"""Text that came from elsewhere, made honest for the eye."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

_KEPT: Final = "\n\t"
_JOINERS: Final = "\u200c\u200d"
# Letters that are drawn as nothing, though Unicode does not call them format characters.
_FILLERS: Final = "\u115f\u1160\u2800\u3164\uffa0"
_SUSPECTS: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u08e2\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e"
    "\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\U000e0000-\U000e007f]"
)


def visible(text: str) -> str:
    """Return the text with every invisible and every direction-changing character written out, as in ⟨U+202E⟩.

    Line breaks and tabs stay. Zero-width joiners stay where a script or an emoji needs them: between two characters
    that are not ASCII.
    """
    return _SUSPECTS.sub(_mark, text.replace("\r\n", "\n").replace("\r", "\n"))


def one_line(text: str, *, limit: int = 200) -> str:
    """Return the visible text on one line, cut at ``limit`` characters with an ellipsis."""
    line = " ".join(visible(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def _mark(found: re.Match[str]) -> str:
    character = found[0]
    if character in _KEPT or (character in _JOINERS and _joins(found)):
        return character
    if character not in _FILLERS and unicodedata.category(character) not in {"Cc", "Cf", "Zl", "Zp", "Cn"}:
        return character
    return f"⟨U+{ord(character):04X}⟩"


def _joins(found: re.Match[str]) -> bool:
    text, start, end = found.string, found.start(), found.end()
    return start > 0 and end < len(text) and not text[start - 1].isascii() and not text[end].isascii()
