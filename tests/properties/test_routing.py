"""Routing against the reference interpreter: the same story for any graph and any fate of its nodes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interrupts.engine.plan import parse_plan
from interrupts.engine.routing import Finish, Idle, Skip, Start, is_routed, next_step
from interrupts.run_state import Event, RunState
from tests.properties.graphs import Graph, graphs
from tests.properties.legality import assert_legal
from tests.properties.reference import COMPLETED, FAILED, WAITING, Reference

# Generous, since hundreds of graphs are run and the machine may be busy.
pytestmark = pytest.mark.timeout(300)
MOST_EXECUTIONS = 40
Fate = Callable[[str, int], str]

fates = st.dictionaries(
    st.tuples(st.sampled_from([f"n{index}" for index in range(7)]), st.integers(1, 3)),
    st.sampled_from([COMPLETED, FAILED, WAITING]),
    max_size=12,
)


class Engine:
    """The real routing on a real state, with a log in memory and nodes that do as they are told."""

    def __init__(self, graph: Graph, fate: Fate) -> None:
        self.plan = parse_plan(graph.document)
        self.false_edges = graph.false_edges
        self.fate = fate
        self.events: list[Event] = []
        self.state = RunState()
        self._append("run.started")

    def _append(self, event_type: str, node_id: str = "") -> None:
        payload = {"inputs": {}, "outputs": {}, "error": {"code": "internal_error", "message": "m"}}
        self.events.append(Event(len(self.events), event_type, node_id, payload, ""))
        self.state = self.state.apply(self.events[-1])

    @property
    def log(self) -> list[str]:
        return [f"{event.type} {event.node_id}".strip() for event in self.events]

    def _holds(self, edge: object) -> bool:
        return getattr(edge, "id", None) not in self.false_edges

    def run(self) -> None:
        while not self.state.is_terminal:
            match next_step(self.plan, self.state, self._holds):
                case Start(node_id):
                    if self.state.executions >= MOST_EXECUTIONS:
                        self._append("cap.breached", node_id)
                        self._fail()
                        return
                    self._append("node.started", node_id)
                    result = self.fate(node_id, self.state.nodes[node_id].visits)
                    if result != WAITING:
                        self.settle(node_id, result)
                case Skip(node_id, _):
                    self._append("node.skipped", node_id)
                case Idle():
                    return
                case Finish():
                    self._append("run.completed")

    def settle(self, node_id: str, result: str) -> None:
        self._append(f"node.{result}", node_id)
        if result == FAILED and not is_routed(self.plan, node_id, self._holds):
            self._fail()

    def _fail(self) -> None:
        for node_id in [name for name, node in self.state.nodes.items() if node.is_active]:
            self._append("node.cancelled", node_id)
        self._append("run.failed")


def tell_both(data: st.DataObject, graph: Graph, planned: dict[tuple[str, int], str]) -> Engine:
    """Run both to the end, answering what waits in the same order, and return the engine once they agree."""

    def fate(name: str, visit: int) -> str:
        return planned.get((name, visit), COMPLETED)

    engine = Engine(graph, fate)
    reference = Reference(graph.document, fate, lambda edge: edge not in graph.false_edges, MOST_EXECUTIONS)
    engine.run()
    reference.run()
    while not reference.is_over:
        assert engine.log == reference.log
        assert reference.waiting, "a run that has not ended waits for something"
        name = data.draw(st.sampled_from(sorted(reference.waiting)))
        result = data.draw(st.sampled_from([COMPLETED, FAILED]))
        for told in (engine, reference):
            told.settle(name, result)
            told.run()
    assert engine.log == reference.log
    assert engine.state.is_terminal
    return engine


@settings(max_examples=400)
@given(st.data(), graphs(cyclic=False), fates)
def test_an_acyclic_run_goes_as_the_reference_says(
    data: st.DataObject, graph: Graph, planned: dict[tuple[str, int], str]
) -> None:
    engine = tell_both(data, graph, planned)
    assert_legal(engine.events)
    assert all(node.visits <= 1 for node in engine.state.nodes.values())


@settings(max_examples=600)
@given(st.data(), graphs(cyclic=True), fates)
def test_a_cyclic_run_goes_as_the_reference_says(
    data: st.DataObject, graph: Graph, planned: dict[tuple[str, int], str]
) -> None:
    engine = tell_both(data, graph, planned)
    assert_legal(engine.events)


@settings(max_examples=300)
@given(graphs(cyclic=True))
def test_a_run_in_which_nothing_fails_gives_every_node_its_turn(graph: Graph) -> None:
    """Without a failure and within its limit a run visits or skips every node: none is forgotten."""
    engine = Engine(graph, lambda _name, _visit: COMPLETED)
    engine.run()
    if engine.state.executions < MOST_EXECUTIONS:
        assert set(engine.state.nodes) == set(engine.plan.nodes)


@given(graphs(cyclic=True))
def test_without_its_back_edges_a_graph_has_no_loop(graph: Graph) -> None:
    plan = parse_plan(graph.document)
    rank = {name: index for index, name in enumerate(plan.order)}
    assert sorted(plan.order) == sorted(plan.nodes)
    for edge in plan.edges.values():
        if edge.id not in plan.back_edges:
            assert rank[edge.source] < rank[edge.target]


@given(graphs(cyclic=False))
def test_a_graph_without_loops_has_no_back_edges(graph: Graph) -> None:
    assert parse_plan(graph.document).back_edges == frozenset()
