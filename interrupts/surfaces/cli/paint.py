"""Colour: for a person at a terminal who has not switched it off (https://no-color.org), and for nobody else."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Paint:
    """Marks text for a terminal; without colour every method returns its text as it is."""

    has_colour: bool = False

    def strong(self, text: str) -> str:
        return self._mark("1", text)

    def faint(self, text: str) -> str:
        return self._mark("2", text)

    def good(self, text: str) -> str:
        return self._mark("32", text)

    def bad(self, text: str) -> str:
        return self._mark("31", text)

    def caution(self, text: str) -> str:
        return self._mark("33", text)

    def _mark(self, code: str, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.has_colour and text else text


def paint_for(stream: Any, *, wanted: bool | None = None) -> Paint:
    """Return the paint for a stream. ``wanted`` is what the person said with an option, which outweighs the rest."""
    if wanted is not None:
        return Paint(wanted)
    is_dumb = os.environ.get("TERM") == "dumb"
    return Paint(stream.isatty() and not os.environ.get("NO_COLOR") and not is_dumb)
