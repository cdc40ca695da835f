"""What a card says about one code."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Card:
    """A code explained to somebody who meets it for the first time: what it means, an example, and what to do.

    ``weight`` is for what is found in a workflow: whether it keeps the workflow from being registered.
    """

    code: str
    meaning: str
    example: str
    advice: str
    weight: str = ""
