"""Cards of what a check of a workflow finds, from the catalogue of the checks themselves."""

from __future__ import annotations

from typing import Final

from interrupts.engine.definition.catalogue import CATALOGUE
from interrupts.engine.definition.diagnostics import Severity
from interrupts.surfaces.cards.card import Card

_WEIGHTS: Final = {
    Severity.ERROR: "An error: the workflow cannot be registered with it.",
    Severity.WARNING: "A warning: the workflow can be registered, and is likely to have a mistake.",
}
CARDS: Final = tuple(
    Card(
        code=known.code,
        meaning=f"{known.title}. {known.meaning}",
        example=known.example,
        advice=known.advice,
        weight=_WEIGHTS[known.severity],
    )
    for known in CATALOGUE.values()
)
