"""The graph: every edge between known nodes, one trigger rule into each node, every node reachable."""

from __future__ import annotations

from collections.abc import Iterator

from interrupts.contracts.problems import Problem, to_pointer
from interrupts.engine.definition.draft import Draft, DraftEdge
from interrupts.vocabulary import TriggerRule


def graph_problems(draft: Draft) -> Iterator[Problem]:
    yield from _dangling(draft)
    yield from _mixed_rules(draft)
    yield from _never_started(draft)


def _dangling(draft: Draft) -> Iterator[Problem]:
    for edge in draft.edges:
        for name, node_id in (("sourceNodeId", edge.source), ("targetNodeId", edge.target)):
            if node_id is not None and node_id not in draft.by_id:
                message = f"There is no node “{node_id}” in this workflow."
                yield Problem(to_pointer(["edges", edge.index, name]), "unknown_node", message)


def _mixed_rules(draft: Draft) -> Iterator[Problem]:
    """One rule decides whether a node starts; which of two would count, the protocol does not say (§25 row 40)."""
    first: dict[str, tuple[TriggerRule, DraftEdge]] = {}
    for edge in draft.edges:
        if edge.target is None or edge.rule is None:
            continue
        rule, other = first.setdefault(edge.target, (edge.rule, edge))
        if rule is not edge.rule:
            message = (
                f"All edges into “{edge.target}” must have the same trigger rule: this one has {edge.rule},"
                f" edge “{other.id}” has {rule}."
            )
            yield Problem(to_pointer(["edges", edge.index, "triggerRule"]), "trigger_rule", message)


def _never_started(draft: Draft) -> Iterator[Problem]:
    edges = [edge for edge in draft.edges if edge.source in draft.by_id and edge.target in draft.by_id]
    targets = {edge.target for edge in edges}
    reached = [node_id for node_id in draft.by_id if node_id not in targets]
    if draft.by_id and not reached:
        yield Problem("/nodes", "unreachable", "No node can start first: every node has an edge into it.")
        return
    seen: set[str | None] = set(reached)
    for node_id in reached:
        fresh = [edge.target for edge in edges if edge.source == node_id and edge.target not in seen]
        seen.update(fresh)
        reached.extend(target for target in dict.fromkeys(fresh) if target is not None)
    for node_id, node in draft.by_id.items():
        if node_id not in seen:
            message = f"The node “{node_id}” can never start: no path leads to it from a node without incoming edges."
            yield Problem(to_pointer(["nodes", node.index]), "unreachable", message)
