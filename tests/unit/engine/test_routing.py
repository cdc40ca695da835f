"""What runs next, by example; ``tests/properties/test_routing.py`` covers graphs at large."""

from __future__ import annotations

from itertools import pairwise

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.engine.plan import Plan, PlanEdge, parse_plan
from interrupts.engine.routing import Finish, Idle, Skip, Start, Step, is_routed, next_step, rule_admits
from interrupts.run_state import Event, RunState
from interrupts.vocabulary import NodeStatus, TriggerRule
from tests.factories import edge, node, workflow

C, F, S = NodeStatus.COMPLETED, NodeStatus.FAILED, NodeStatus.SKIPPED


class Walk:
    """A run told by hand: ``settle`` starts what is next and ends it."""

    def __init__(self, document: JsonObject, *, false_edges: frozenset[str] = frozenset()) -> None:
        self.plan: Plan = parse_plan(document)
        self.false_edges = false_edges
        self.state = RunState()
        self.say("run.started", inputs={})

    def say(self, event_type: str, node_id: str = "", **payload: object) -> None:
        event = Event(self.state.last_sequence + 1, event_type, node_id, payload, "")
        self.state = self.state.apply(event)

    def holds(self, edge: PlanEdge) -> bool:
        return edge.id not in self.false_edges

    @property
    def next(self) -> Step:
        return next_step(self.plan, self.state, self.holds)

    def begin(self) -> str:
        step = self.next
        assert isinstance(step, Start), step
        self.say("node.started", step.node_id)
        return step.node_id

    def complete(self, node_id: str, **outputs: object) -> None:
        self.say("node.completed", node_id, outputs=outputs)

    def fail(self, node_id: str) -> None:
        self.say("node.failed", node_id, error={"code": "internal_error", "message": "m"})

    def skip(self) -> str:
        step = self.next
        assert isinstance(step, Skip), step
        self.say("node.skipped", step.node_id, reason=step.reason)
        return step.node_id


def delivered(step: Step) -> list[str]:
    assert isinstance(step, Start), step
    return [edge.id for edge in step.delivered]


@pytest.mark.parametrize(
    ("rule", "fires_for"),
    [
        ("all_success", {(C, C)}),
        ("any_success", {(C, C), (C, F), (C, S)}),
        ("all_complete", {(C, C), (C, F), (C, S), (F, F), (F, S), (S, S)}),
        ("none_failed", {(C, C), (C, S), (S, S)}),
        ("any_failed", {(C, F), (F, F), (F, S)}),
    ],
)
def test_each_rule_fires_for_exactly_these_pairs_of_sources(
    rule: str, fires_for: set[tuple[NodeStatus, NodeStatus]]
) -> None:
    pairs = [(C, C), (C, F), (C, S), (F, F), (F, S), (S, S)]
    assert {pair for pair in pairs if rule_admits(TriggerRule(rule), pair)} == fires_for


@pytest.mark.parametrize("rule", ["all_success", "any_success", "none_failed"])
def test_a_failed_gate_never_satisfies_these_rules_alone(rule: str) -> None:
    assert not rule_admits(TriggerRule(rule), [F])


def test_a_node_without_incoming_edges_starts_with_the_run() -> None:
    walk = Walk(workflow([node("a"), node("b")]))
    assert walk.next == Start("a", ())
    walk.say("node.started", "a")
    assert walk.next == Start("b", ())


def test_the_next_node_waits_for_its_source() -> None:
    walk = Walk(workflow([node("a"), node("b")], [edge("a", "b")]))
    walk.begin()
    assert walk.next == Idle()
    walk.complete("a")
    assert delivered(walk.next) == ["a-b"]


def test_a_join_waits_for_every_source_even_where_one_would_do() -> None:
    """Early firing is allowed and not done: it would depend on timing (wire contract §25 row 41)."""
    edges = [edge("a", "c", "any_success"), edge("b", "c", "any_success")]
    walk = Walk(workflow([node("a"), node("b"), node("c")], edges))
    walk.begin()
    walk.begin()
    walk.complete("a")
    assert walk.next == Idle()
    walk.fail("b")
    assert delivered(walk.next) == ["a-c", "b-c"]


def test_a_skip_is_handed_down_with_its_reason() -> None:
    walk = Walk(workflow([node("a"), node("b"), node("c")], [edge("a", "b"), edge("b", "c")]))
    walk.fail(walk.begin())
    assert walk.next == Skip("b", "trigger rule all_success not satisfied")
    walk.skip()
    assert walk.skip() == "c"
    assert walk.next == Finish({})


def test_a_disabled_node_is_skipped() -> None:
    walk = Walk(workflow([node("a", disabled=True), node("b")], [edge("a", "b", "all_complete")]))
    assert walk.next == Skip("a", "disabled")
    walk.skip()
    assert walk.next == Start("b", ())


def test_a_false_condition_makes_its_source_a_skipped_one() -> None:
    edges = [edge("a", "b"), edge("a", "c", "all_complete"), edge("a", "d", "none_failed")]
    document = workflow([node("a"), node("b"), node("c"), node("d")], edges)
    walk = Walk(document, false_edges=frozenset({"a-b", "a-c", "a-d"}))
    walk.complete(walk.begin())
    assert walk.skip() == "b"
    assert walk.next == Start("c", ())
    walk.complete(walk.begin())
    assert walk.next == Start("d", ())


def test_two_edges_between_two_nodes_are_judged_each_on_its_own() -> None:
    edges = [edge("a", "b", "any_success", id="e1"), edge("a", "b", "any_success", id="e2")]
    walk = Walk(workflow([node("a"), node("b")], edges), false_edges=frozenset({"e1"}))
    walk.complete(walk.begin())
    assert delivered(walk.next) == ["e2"]


@pytest.mark.parametrize(
    ("rule", "routed"),
    [
        ("all_success", False),
        ("any_success", False),
        ("none_failed", False),
        ("all_complete", True),
        ("any_failed", True),
    ],
)
def test_a_failure_is_routed_only_over_an_edge_that_admits_it(rule: str, *, routed: bool) -> None:
    plan = parse_plan(workflow([node("a"), node("b")], [edge("a", "b", rule)]))
    assert is_routed(plan, "a", lambda _: True) is routed
    assert is_routed(plan, "a", lambda _: False) is False


def test_a_failure_of_a_sink_is_not_routed() -> None:
    assert is_routed(parse_plan(workflow([node("a")])), "a", lambda _: True) is False


def test_the_outputs_of_a_run_are_those_of_its_completed_sinks_in_order() -> None:
    nodes = [node("a"), node("b"), node("c"), node("d", disabled=True)]
    walk = Walk(workflow(nodes, [edge("a", "b"), edge("a", "c"), edge("a", "d")]))
    walk.complete(walk.begin(), lost=1)
    walk.complete(walk.begin(), x=1, y=1)
    walk.complete(walk.begin(), y=2)
    walk.skip()
    assert walk.next == Finish({"x": 1, "y": 2})


# --- Loops ------------------------------------------------------------------------------------------------------------

# What is drafted is looked at, and drafted again while the gate fails; the edge back is taken only then.
LOOP = workflow(
    [node("start"), node("draft"), node("gate"), node("publish")],
    [
        edge("start", "draft", "any_success"),
        edge("draft", "gate"),
        edge("gate", "publish"),
        edge("gate", "draft", "any_success", id="again"),
    ],
)


def at_the_gate() -> Walk:
    walk = Walk(LOOP)
    walk.complete(walk.begin())
    walk.complete(walk.begin())
    assert walk.begin() == "gate"
    return walk


def test_the_entry_of_a_loop_does_not_wait_for_the_edge_that_leads_back() -> None:
    walk = Walk(LOOP)
    assert walk.plan.back_edges == {"again"}
    walk.complete(walk.begin())
    assert walk.next == Start("draft", (walk.plan.edges["start-draft"],))


def test_a_back_edge_that_delivers_reopens_its_target_and_all_that_follows() -> None:
    walk = at_the_gate()
    walk.complete("gate")
    assert walk.next == Start("draft", (walk.plan.edges["again"],), is_reopened=True)
    walk.complete(walk.begin())
    assert walk.begin() == "gate"
    walk.false_edges = frozenset({"again"})
    walk.complete("gate")
    assert walk.begin() == "publish"
    walk.complete("publish", done=True)
    assert walk.next == Finish({"done": True})


def test_an_edge_back_goes_before_what_comes_after_the_loop() -> None:
    walk = at_the_gate()
    walk.complete("gate")
    assert walk.begin() == "draft"
    assert "publish" not in walk.state.nodes


def test_a_back_edge_whose_rule_is_not_met_reopens_nothing() -> None:
    walk = at_the_gate()
    walk.fail("gate")
    assert walk.skip() == "publish"
    assert walk.next == Finish({})


def test_a_false_condition_on_a_back_edge_reopens_nothing() -> None:
    walk = at_the_gate()
    walk.false_edges = frozenset({"again"})
    walk.complete("gate")
    walk.complete(walk.begin())
    assert walk.next == Finish({})


def test_a_skipped_source_never_reopens_whatever_the_rule_says() -> None:
    edges = [edge("s", "a", "all_complete"), edge("a", "b"), edge("b", "a", "all_complete")]
    walk = Walk(workflow([node("s"), node("a"), node("b", disabled=True)], edges))
    walk.complete(walk.begin())
    walk.complete(walk.begin())
    assert walk.skip() == "b"
    assert walk.next == Finish({})


def test_a_disabled_node_is_not_reopened() -> None:
    edges = [edge("s", "a", "all_complete"), edge("a", "b", "all_complete"), edge("b", "a", "all_complete")]
    walk = Walk(workflow([node("s"), node("a", disabled=True), node("b")], edges))
    walk.complete(walk.begin())
    assert walk.skip() == "a"
    walk.complete(walk.begin())
    assert walk.next == Finish({})


def test_a_loop_does_not_go_round_twice_for_one_settling() -> None:
    walk = at_the_gate()
    walk.complete("gate")
    walk.complete(walk.begin())
    walk.say("node.started", "gate")
    assert walk.next == Idle()


def test_a_node_can_lead_back_to_itself() -> None:
    walk = Walk(workflow([node("s"), node("a")], [edge("s", "a", "any_success"), edge("a", "a", "any_success")]))
    walk.complete(walk.begin())
    walk.complete(walk.begin())
    assert walk.next == Start("a", (walk.plan.edges["a-a"],), is_reopened=True)


def test_a_node_that_waits_beside_a_loop_is_asked_anew_only_once_it_was_answered() -> None:
    nodes = [node("s"), node("a"), node("w"), node("b")]
    edges = [edge("s", "a", "any_success"), edge("a", "w"), edge("a", "b"), edge("b", "a", "any_success")]
    walk = Walk(workflow(nodes, edges))
    walk.complete(walk.begin())
    walk.complete(walk.begin())
    assert walk.begin() == "w"
    walk.complete(walk.begin())
    assert walk.begin() == "a"
    walk.complete("a")
    assert walk.begin() == "b"
    walk.false_edges = frozenset({"b-a"})
    walk.complete("b")
    assert walk.next == Idle()
    walk.complete("w")
    assert walk.begin() == "w"


def test_nothing_behind_a_reopened_node_is_reopened_before_its_turn() -> None:
    """Two edges lead back at once; the outer loop goes first, and the inner one is then part of its new round."""
    names = ["s", "a", "b", "c", "d"]
    forth = [edge(a, b, "any_success") for a, b in pairwise(names)]
    back = [edge("d", "a", "any_success"), edge("d", "c", "any_success")]
    walk = Walk(workflow([node(name) for name in names], forth + back))
    for _ in names:
        walk.complete(walk.begin())
    assert walk.begin() == "a"
    assert walk.next == Idle()
    walk.complete("a")
    assert walk.begin() == "b"
