from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interrupts.contracts.json_text import dump_json
from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.plan import (
    Condition,
    ConnectionPort,
    ExpressionPort,
    Plan,
    PlanSettings,
    StaticPort,
    VariablePort,
    load_plan,
    parse_plan,
)
from interrupts.vocabulary import TriggerRule
from tests.factories import edge, node, workflow


def plan_of(nodes: str, *edges: tuple[str, str], rule: str | None = None) -> Plan:
    """A plan of one-letter nodes, in the order given."""
    return parse_plan(workflow(map(node, nodes), [edge(source, target, rule) for source, target in edges]))


def variable(name: str, kind: str = "string", **members: JsonValue) -> JsonObject:
    return {"name": name, "type": kind, **members}


# --- Reading ----------------------------------------------------------------------------------------------------------


def test_a_node_keeps_its_configuration_and_one_port_of_each_type() -> None:
    inputs: JsonObject = {
        "a": {"type": "static", "value": None},
        "b": {"type": "variable", "variableName": "v"},
        "c": {"type": "connection", "nodeId": "n", "outputKey": "o", "optional": True},
        "d": {"type": "expression", "expression": "1 + 1"},
    }
    read = parse_plan(workflow([node("n", "core.identity", config={"x": 1}, inputs=inputs)])).nodes["n"]
    assert (read.id, read.type_id, read.name, read.config, read.disabled) == (
        "n",
        "core.identity",
        "N",
        {"x": 1},
        False,
    )
    assert read.inputs == {
        "a": StaticPort(None),
        "b": VariablePort("v", optional=False),
        "c": ConnectionPort("n", "o", optional=True),
        "d": ExpressionPort("1 + 1"),
    }


def test_an_edge_keeps_what_it_carries_its_rule_and_its_condition() -> None:
    condition: JsonObject = {"type": "equals", "left": "a.b", "right": None}
    members = edge("a", "b", "any_failed", condition=condition, sourceOutput="o", targetInput="i")
    plan = parse_plan(workflow([node("a"), node("b")], [members]))
    read = plan.edges["a-b"]
    assert (read.source, read.target, read.source_output, read.target_input) == ("a", "b", "o", "i")
    assert read.trigger_rule is TriggerRule.ANY_FAILED
    assert read.condition == Condition(kind="equals", left="a.b", right=None, expression="")


def test_a_condition_without_a_type_is_an_expression() -> None:
    plan = parse_plan(workflow([node("a"), node("b")], [edge("a", "b", condition={"expression": "true"})]))
    condition = plan.edges["a-b"].condition
    assert condition == Condition(kind="expression", left="", right=None, expression="true")


def test_edges_into_and_out_of_a_node_stand_in_definition_order() -> None:
    plan = plan_of("abcd", ("a", "d"), ("c", "d"), ("b", "d"), ("a", "b"))
    assert [e.id for e in plan.incoming["d"]] == ["a-d", "c-d", "b-d"]
    assert [e.id for e in plan.outgoing["a"]] == ["a-d", "a-b"]
    assert plan.incoming["a"] == plan.outgoing["d"] == ()


def test_the_rule_of_a_node_is_that_of_its_edges_and_all_success_without_any() -> None:
    plan = plan_of("ab", ("a", "b"), rule="none_failed")
    assert plan.rule == {"a": TriggerRule.ALL_SUCCESS, "b": TriggerRule.NONE_FAILED}


def test_a_timeout_of_zero_is_no_limit() -> None:
    assert parse_plan(workflow([node("a")], settings={"timeout": 0})).settings == PlanSettings(None, None)
    settings = {"timeout": 5000, "maxLoopbackIterations": 2}
    assert parse_plan(workflow([node("a")], settings=settings)).settings == PlanSettings(5000, 2)


def test_the_configurable_schema_is_kept_as_written() -> None:
    assert parse_plan(workflow([node("a")], configurableSchema={"type": "object"})).configurable_schema == {
        "type": "object"
    }
    assert parse_plan(workflow([node("a")])).configurable_schema is None


def test_a_plan_is_read_from_its_text_once() -> None:
    text = dump_json(workflow([node("a")], workflow_id="read-once"))
    assert load_plan(text) is load_plan(text)
    assert load_plan(text).workflow_id == "read-once"


# --- Order and loops --------------------------------------------------------------------------------------------------


def test_ties_in_the_order_are_broken_by_definition_order() -> None:
    assert plan_of("dcba").order == ("d", "c", "b", "a")
    assert plan_of("dcba", ("a", "d")).order == ("c", "b", "a", "d")


def test_the_edge_that_closes_a_loop_is_the_one_that_leads_back_to_where_the_run_came_from() -> None:
    plan = plan_of("abc", ("c", "b"), ("b", "c"), ("a", "b"))
    assert plan.back_edges == {"c-b"}
    assert plan.order == ("a", "b", "c")
    assert plan.forward_sources == {"a": (), "b": ("a",), "c": ("b",)}


def test_an_edge_from_a_node_to_itself_leads_back() -> None:
    plan = plan_of("ab", ("a", "b"), ("b", "b"))
    assert plan.back_edges == {"b-b"}


def test_two_ways_to_one_node_make_no_loop() -> None:
    assert plan_of("abcd", ("a", "b"), ("a", "c"), ("b", "d"), ("c", "d")).back_edges == frozenset()


def test_two_edges_between_the_same_nodes_are_one_forward_source() -> None:
    document = workflow([node("a"), node("b")], [edge("a", "b"), edge("a", "b", id="again")])
    assert parse_plan(document).forward_sources["b"] == ("a",)


def test_a_chain_of_500_nodes_does_not_meet_the_recursion_limit() -> None:
    names = [f"n{index}" for index in range(500)]
    edges = [edge(first, then) for first, then in pairwise(names)]
    assert parse_plan(workflow(map(node, names), edges)).order == tuple(names)


@st.composite
def graphs(draw: st.DrawFn) -> Plan:
    names = draw(st.permutations([f"n{index}" for index in range(draw(st.integers(1, 9)))]))
    ends = st.tuples(st.sampled_from(names), st.sampled_from(names))
    pairs = draw(st.lists(ends, max_size=20))
    edges = [edge(source, target, id=f"e{index}") for index, (source, target) in enumerate(pairs)]
    return parse_plan(workflow(map(node, names), edges))


@given(graphs())
def test_the_order_holds_every_node_once_and_respects_every_forward_edge(plan: Plan) -> None:
    # That such an order exists is what it means that no loop is left without the back edges.
    place = {node_id: index for index, node_id in enumerate(plan.order)}
    assert sorted(plan.order) == sorted(plan.nodes)
    forward = [e for e in plan.edges.values() if e.id not in plan.back_edges]
    assert all(place[e.source] < place[e.target] for e in forward)


@given(graphs())
def test_a_back_edge_always_closes_a_loop_of_forward_edges(plan: Plan) -> None:
    for back in (plan.edges[edge_id] for edge_id in plan.back_edges):
        reached = {back.target}
        for node_id in plan.order:
            if reached & set(plan.forward_sources[node_id]):
                reached.add(node_id)
        assert back.source in reached


# --- Variables --------------------------------------------------------------------------------------------------------


def test_a_run_starts_with_the_defaults_under_the_inputs_it_was_given() -> None:
    declared = [
        variable("given", defaultValue="no"),
        variable("kept", defaultValue="yes"),
        variable("nothing", "object", defaultValue=None),
        variable("unset"),
    ]
    plan = parse_plan(workflow([node("a")], variables=declared))
    variables = plan.initial_variables({"given": "here", "undeclared": 1})
    assert variables == {"given": "here", "kept": "yes", "nothing": None}


def test_starting_a_run_leaves_the_shared_plan_as_it_was() -> None:
    plan = parse_plan(workflow([node("a")], variables=[variable("v", defaultValue="plan")]))
    plan.initial_variables({})["v"] = "run"
    assert plan.initial_variables({}) == {"v": "plan"}


def test_every_missing_and_mistyped_input_is_named() -> None:
    declared = [
        variable("needed", required=True),
        variable("a/b", "number"),
        variable("free"),
        variable("defaulted", required=True, defaultValue="x"),
    ]
    plan = parse_plan(workflow([node("a")], variables=declared))
    assert plan.input_problems({"a/b": "one", "undeclared": None}) == [
        Problem("/needed", "required", "The input “needed” is required."),
        Problem("/a~1b", "type", "The input “a/b” must be of type number."),
    ]


VALUES: dict[str, list[JsonValue]] = {
    "string": ["", "x"],
    "number": [0, -1, 1.5],
    "boolean": [True, False],
    "object": [{}, {"a": 1}],
    "array": [[], [1]],
    "none of them": [None],
}


@pytest.mark.parametrize("kind", ["string", "number", "boolean", "object", "array"])
def test_an_input_must_be_of_its_declared_type_and_a_boolean_is_no_number(kind: str) -> None:
    plan = parse_plan(workflow([node("a")], variables=[variable("v", kind)]))
    for name, values in VALUES.items():
        problems = [plan.input_problems({"v": value}) for value in values]
        assert [bool(found) for found in problems] == [name != kind] * len(values), name
