"""What is allowed and still likely to be a mistake: reported as warnings, and in nobody's way."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.types import JsonObject
from interrupts.engine.definition.draft import Draft, DraftNode, text_of
from interrupts.engine.nodes import RESERVED
from interrupts.engine.nodes.base import Asked


@dataclass(frozen=True, slots=True)
class AskedAt:
    """What a well-formed node asks, and where in the document the data of it stands."""

    pointer: str
    asked: Asked


def doubts(draft: Draft) -> Iterator[Problem]:
    for node in draft.nodes:
        type_id = text_of(node.item, "typeId")
        if node.type is None and type_id in RESERVED:
            message = f"This host does not offer “{type_id}”: no run of this workflow can start here for now."
            yield Problem(to_pointer(["nodes", node.index, "typeId"]), "node_type_not_offered", message)
        yield from _ways_not_taken(draft, node)


def asked_by(draft: Draft) -> Iterator[AskedAt]:
    """Yield what the nodes ask that have nothing wrong with their configuration."""
    for node in draft.nodes:
        config = _sound_config(node)
        asked = None if node.type is None or config is None else node.type.asks(config)
        if asked is not None:
            yield AskedAt(to_pointer(("nodes", node.index, "config", *asked.path)), asked)


def _ways_not_taken(draft: Draft, node: DraftNode) -> Iterator[Problem]:
    """Where some outcomes lead on and nothing takes the others, those others end there without a word."""
    config = _sound_config(node)
    ways = frozenset[str]() if node.type is None or config is None else node.type.ways(config)
    taken = {text_of(edge.item, "sourceOutput") for edge in draft.edges if edge.source == node.id}
    if None in taken or not ways & taken:
        return
    for way in sorted(ways - taken):
        message = f"No edge takes the outcome “{way}”, while other outcomes lead on: the run just ends there."
        yield Problem(to_pointer(["nodes", node.index]), "outcome_not_routed", message)


def _sound_config(node: DraftNode) -> JsonObject | None:
    if node.type is None or node.config is None or node.misshapen or node.type.check_config(node.config):
        return None
    return node.config
