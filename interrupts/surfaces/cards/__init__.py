"""Every code that the product can say, explained: of refusals, of runs that failed, and of what a check finds."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Final

from interrupts.surfaces.cards import access, requests, runs, settings, workflows
from interrupts.surfaces.cards.card import Card

__all__ = ["CARDS", "GROUPS", "Card", "nearest"]

GROUPS: Final = {
    "Not in this form, not now, not here": requests.CARDS,
    "Not with this credential": access.CARDS,
    "How a run stands, and why one failed": runs.CARDS,
    "What is found in a workflow": workflows.CARDS,
    "Settings of the host": settings.CARDS,
}
CARDS: Final = {card.code: card for cards in GROUPS.values() for card in cards}


def nearest(code: str) -> list[str]:
    """Return the codes that ``code`` may be a misspelling of, the likeliest first; at most three."""
    spelled = {known.lower(): known for known in CARDS}
    wanted = "_".join(code.lower().split()).replace("-", "_")
    within = [known for known in spelled if wanted and wanted in known]
    close = [*get_close_matches(wanted, spelled, n=3, cutoff=0.6), *within]
    return [spelled[known] for known in dict.fromkeys(close)][:3]
