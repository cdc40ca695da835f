"""Random workflows: small, odd and often cyclic."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

from interrupts.contracts.types import JsonObject
from interrupts.vocabulary import TriggerRule
from tests.factories import edge, gate_node, node, sub_workflow, workflow

RULES = [str(rule) for rule in TriggerRule]


@dataclass(frozen=True, slots=True)
class Graph:
    """A workflow, and the ids of the edges whose condition is false."""

    document: JsonObject
    false_edges: frozenset[str]


def make_node(name: str, kind: str, *, disabled: bool) -> JsonObject:
    match kind:
        case "gate":
            return {**gate_node(name), **({"disabled": True} if disabled else {})}
        case "delay":
            return node(name, "core.delay", config={"ms": 1000}, disabled=disabled)
        case "call":
            return {**sub_workflow(name), **({"disabled": True} if disabled else {})}
        case _:
            return node(name, f"core.{kind}", disabled=disabled)


@st.composite
def graphs(draw: st.DrawFn, *, cyclic: bool, kinds: tuple[str, ...] = ("noop",), most: int = 7) -> Graph:
    """Workflows that registration accepts: one rule into each node, and a way to each from where runs start."""
    names = draw(st.permutations([f"n{index}" for index in range(draw(st.integers(1, most)))]))
    ends = st.tuples(st.sampled_from(names), st.sampled_from(names))
    pairs = draw(st.lists(ends, max_size=2 * len(names)))
    if not cyclic:
        pairs = [(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1]]
    pairs = _reachable(names, pairs)
    rules = {name: draw(st.sampled_from(RULES)) for name in names}
    edges, false_edges = [], set()
    for index, (source, target) in enumerate(pairs):
        condition: JsonObject | None = None
        if draw(st.integers(0, 4)) == 0:
            false_edges.add(f"e{index}")
            condition = {"type": "expression", "expression": "1 == 2"}
        edges.append(edge(source, target, rules[target], condition=condition, id=f"e{index}"))
    nodes = [make_node(name, draw(st.sampled_from(kinds)), disabled=draw(st.integers(0, 9)) == 0) for name in names]
    return Graph(workflow(nodes, edges), frozenset(false_edges))


def _reachable(names: list[str], pairs: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Make the smallest node an entry, and lead from it to whatever no entry leads to."""
    entry = min(names)
    pairs = [pair for pair in pairs if pair[1] != entry]
    reached = {name for name in names if name not in {target for _, target in pairs}}
    for name in names:
        while more := {target for source, target in pairs if source in reached} - reached:
            reached |= more
        if name not in reached:
            pairs.append((entry, name))
            reached.add(name)
    return pairs
