from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.definition import MAX_BYTES, MAX_EDGES, MAX_NODES, check_definition
from interrupts.engine.plan import parse_plan
from tests.factories import edge, gate_node, node, workflow

SAMPLES = sorted((Path(__file__).parents[3] / "interrupts" / "samples").glob("*.json"))
KNOWN_TYPES = (
    "core.approvalGate, core.clarificationGate, core.conversationGate, core.delay, core.fail, core.identity,"
    " core.interrupt, core.noop, core.subWorkflow, vendor.wopsite.interrupt"
)


def problems_of(document: JsonValue) -> list[Problem]:
    return check_definition(document)


def found(document: JsonValue) -> list[tuple[str, str]]:
    return [(problem.pointer, problem.keyword) for problem in problems_of(document)]


def only_problem(document: JsonValue) -> Problem:
    [problem] = problems_of(document)
    return problem


def two(*edges: JsonObject, second: JsonObject | None = None, **members: Any) -> JsonObject:
    return workflow([node("a"), second or node("b")], edges, **members)


def with_input(port: JsonValue, *others: JsonObject, **members: Any) -> JsonObject:
    return workflow([node("a", "core.identity", inputs={"p": port}), *others], **members)


def with_condition(**condition: JsonValue) -> JsonObject:
    return two(edge("a", "b", condition=condition))


# --- All at once ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_the_samples_are_valid_and_readable(path: Path) -> None:
    document = json.loads(path.read_text("utf-8"))
    assert problems_of(document) == []
    assert parse_plan(document).workflow_id == document["id"] == path.stem


def test_there_are_samples() -> None:
    assert [path.stem for path in SAMPLES] == [
        "article-review",
        "expense-approval",
        "issue-review",
        "release-gate",
        "small-purchase",
    ]


def test_every_mistake_is_listed_at_its_place_in_one_answer() -> None:
    document = workflow(
        [
            node("start", "core.noop", inputs={"p": {"type": "variable", "variableName": "nowhere"}}),
            node("start", "core.noop"),
            node("spaced id", "core.unheardOf"),
            gate_node("gate", approversList=["ann"], requiredApprovals=2, misspelt=True),
            gate_node("gate-2", approversList=["ann"], requiredApprovals=2, resumeSchema={"type": "text"}),
            node("wait", "core.delay", inputs={"ms": {"type": "static", "value": 5}}),
            node("ask", "core.interrupt", config={"kind": "custom", "data": {"customKind": "sms"}}),
            node("echo", "core.identity", inputs={
                "a": {"type": "connection", "nodeId": "ghost", "outputKey": "x"},
                "b": {"type": "connection", "nodeId": "gate", "outputKey": "x"},
                "c": {"type": "expression", "expression": "1 +"},
            }),
            node("loop"),
        ],
        [
            edge("start", "gate"),
            edge("gate", "ghost", id="dangling"),
            edge("wait", "gate", "any_failed"),
            edge("start", "echo", condition={"type": "equals", "left": "x"}, id="dangling"),
            edge("start", "ask", condition={"type": "regex", "left": "x", "right": "("}, targetInput="x"),
            edge("wait", "gate-2", sourceOutput="x"),
            edge("loop", "loop"),
        ],
        workflow_id="Not An Id",
        variables=[{"name": "v", "type": "number", "defaultValue": True}, {"name": "v", "type": "text"}],
        settings={"timeout": -1, "compensation": {"mode": "auto"}},
        configurableSchema={"type": "text"},
        unknown=1,
    )  # fmt: skip
    assert found(document) == [
        ("/configurableSchema/type", "enum"),
        ("/edges/1/targetNodeId", "unknown_node"),
        ("/edges/2/triggerRule", "trigger_rule"),
        ("/edges/3/condition/right", "required"),
        ("/edges/3/id", "unique"),
        ("/edges/4/condition/right", "regex"),
        ("/edges/4/targetInput", "unknown_port"),
        ("/edges/5/sourceOutput", "unknown_output"),
        ("/id", "pattern"),
        ("/nodes/0/inputs/p/variableName", "unknown_variable"),
        ("/nodes/1/id", "unique"),
        ("/nodes/2/id", "pattern"),
        ("/nodes/2/typeId", "unknown_type"),
        ("/nodes/3/config/misspelt", "additionalProperties"),
        ("/nodes/4/config/requiredApprovals", "quorum"),
        ("/nodes/4/config/resumeSchema/type", "enum"),
        ("/nodes/5/inputs/ms", "unknown_port"),
        ("/nodes/7/inputs/a/nodeId", "unknown_node"),
        ("/nodes/7/inputs/b/outputKey", "unknown_output"),
        ("/nodes/7/inputs/c/expression", "expression"),
        ("/nodes/8", "unreachable"),
        ("/settings/compensation", "capability_required"),
        ("/settings/timeout", "minimum"),
        ("/unknown", "additionalProperties"),
        ("/variables/0/defaultValue", "type"),
        ("/variables/1/name", "unique"),
        ("/variables/1/type", "enum"),
    ]


def test_every_problem_is_a_sentence() -> None:
    document = workflow([node("a", "core.x"), node("a")], [edge("a", "b")], settings={"compensation": {}})
    messages = [problem.message for problem in problems_of(document)]
    assert messages
    assert all(message[0].isupper() and message.endswith(".") for message in messages)


# --- Documents that are hardly any ------------------------------------------------------------------------------------


@pytest.mark.parametrize("document", [None, 1, "x", [], True])
def test_what_is_no_object_is_told_so(document: JsonValue) -> None:
    problem = only_problem(document)
    assert (problem.pointer, problem.keyword) == ("", "type")


def test_an_empty_object_is_told_all_that_it_lacks() -> None:
    lacking = ["edges", "id", "metadata", "name", "nodes", "settings", "triggers", "variables", "version"]
    assert found({}) == [(f"/{name}", "required") for name in lacking]


@pytest.mark.parametrize("junk", [None, 7, "x", {}, [None], [7], [[]], [{}], [{"id": 7, "config": [], "inputs": 7}]])
def test_junk_in_place_of_a_list_is_a_problem_and_never_an_exception(junk: JsonValue) -> None:
    for name in ("nodes", "edges", "variables", "triggers"):
        assert found({**two(), name: junk}) != []


@pytest.mark.parametrize("junk", [None, 7, "x", [], {}, {"type": 7}, {"type": "expression"}, {"type": "connection"}])
def test_junk_in_a_port_or_a_condition_is_a_problem_and_never_an_exception(junk: JsonValue) -> None:
    assert found(with_input(junk)) != []
    assert found(two({**edge("a", "b"), "condition": junk})) != []


def test_a_document_over_a_bound_is_told_only_that() -> None:
    large = two(description="x" * MAX_BYTES, unknown=1)
    assert found(large) == [("", "size")]
    nodes = [node(f"n{index}") for index in range(MAX_NODES + 1)]
    edges = [edge("n0", "n1", id=f"e{index}") for index in range(MAX_EDGES + 1)]
    assert found(workflow(nodes)) == [("/nodes", "maxItems")]
    assert only_problem(two(*edges)) == Problem(
        "/edges", "maxItems", "A workflow may have at most 2000 edges; this one has 2001."
    )


@pytest.mark.timeout(60)
def test_the_largest_document_is_checked_without_running_out_of_budget() -> None:
    nodes = [node(f"n{index}") for index in range(MAX_NODES)]
    ends = [(index % (MAX_NODES - 1), index % (MAX_NODES - 1) + 1) for index in range(MAX_EDGES)]
    edges = [edge(f"n{a}", f"n{b}", id=f"e{index}") for index, (a, b) in enumerate(ends)]
    assert problems_of(workflow(nodes, edges)) == []


# --- Names ------------------------------------------------------------------------------------------------------------


def test_a_repeated_id_names_the_first_of_that_id() -> None:
    assert only_problem(workflow([node("a"), node("b"), node("a")])) == Problem(
        "/nodes/2/id", "unique", "The id “a” is already that of node number 1."
    )


@pytest.mark.parametrize("node_id", ["a b", "a/b", "ä", "a\n", "x" * 129])
def test_a_node_id_must_fit_the_protocols_grammar(node_id: str) -> None:
    assert found(workflow([node(node_id)])) == [("/nodes/0/id", "pattern")]


@pytest.mark.parametrize("node_id", ["a", "A.b_c~d:e-1", "x" * 128])
def test_a_node_id_of_the_protocols_grammar_is_accepted(node_id: str) -> None:
    assert found(workflow([node(node_id)])) == []


# --- The graph --------------------------------------------------------------------------------------------------------


def test_an_edge_to_nowhere_is_reported_at_each_end() -> None:
    assert found(two(edge("x", "y"))) == [
        ("/edges/0/sourceNodeId", "unknown_node"),
        ("/edges/0/targetNodeId", "unknown_node"),
    ]


def test_different_rules_into_one_node_are_refused_naming_both_edges() -> None:
    document = workflow(map(node, "abc"), [edge("a", "c"), edge("b", "c", "any_failed")])
    message = "All edges into “c” must have the same trigger rule: this one has any_failed, edge “a-c” has all_success."
    assert only_problem(document) == Problem("/edges/1/triggerRule", "trigger_rule", message)


def test_the_default_rule_written_out_is_the_same_rule() -> None:
    assert found(workflow(map(node, "abc"), [edge("a", "c"), edge("b", "c", "all_success")])) == []


def test_a_workflow_in_which_nothing_can_start_first_is_told_so_once() -> None:
    assert only_problem(two(edge("a", "b"), edge("b", "a"))) == Problem(
        "/nodes", "unreachable", "No node can start first: every node has an edge into it."
    )


def test_a_loop_that_no_path_leads_into_is_reported_node_by_node() -> None:
    document = workflow(map(node, "abcd"), [edge("a", "b"), edge("c", "d"), edge("d", "c")])
    assert found(document) == [("/nodes/2", "unreachable"), ("/nodes/3", "unreachable")]


# --- Types, configuration, ports --------------------------------------------------------------------------------------


def test_an_unknown_type_is_told_which_there_are() -> None:
    message = f"There is no node type “core.unheardOf” here. There are: {KNOWN_TYPES}."
    assert only_problem(workflow([node("a", "core.unheardOf")])) == Problem("/nodes/0/typeId", "unknown_type", message)


@pytest.mark.parametrize("type_id", ["core.httpFetch", "core.dispatch", "conformance.oauth.use"])
def test_a_type_that_the_protocol_reserves_is_not_unknown_and_may_be_registered(type_id: str) -> None:
    assert problems_of(workflow([node("a", type_id, config={"workflowId": "child"})])) == []


def test_a_port_must_be_one_that_the_type_takes() -> None:
    static: JsonObject = {"type": "static", "value": 1}
    delay = workflow([node("a", "core.delay", inputs={"ms": static, "delayMs": static})])
    message = "This node type does not take the input “ms”. It takes: delayMs."
    assert only_problem(delay) == Problem("/nodes/0/inputs/ms", "unknown_port", message)
    assert found(with_input(static)) == []


def test_a_connection_needs_a_node_and_an_output_of_its_type() -> None:
    def connected(node_id: str, output: str) -> JsonObject:
        return with_input({"type": "connection", "nodeId": node_id, "outputKey": output}, gate_node("g"), node("n"))

    assert found(connected("ghost", "x")) == [("/nodes/0/inputs/p/nodeId", "unknown_node")]
    assert only_problem(connected("n", "x")).message == "The node “n” has no output “x”. It has none."
    assert only_problem(connected("g", "x")).message == (
        "The node “g” has no output “x”. It has: action, artifactData, decision, feedback, refineFeedback, resumeValue."
    )
    assert found(connected("g", "decision")) == []
    assert found(connected("a", "whatever identity was given")) == []


def test_an_expression_of_a_port_cannot_look_at_the_output_of_an_edge() -> None:
    message = "Only the condition of an edge can look at “output”; name the node, as in nodes.review.outputs."
    problem = only_problem(with_input({"type": "expression", "expression": "output.x"}))
    assert problem == Problem("/nodes/0/inputs/p/expression", "expression", message)
    assert found(with_input({"type": "expression", "expression": "'output.x'"})) == []


# --- Edges ------------------------------------------------------------------------------------------------------------


def test_what_an_edge_carries_must_exist_at_both_ends() -> None:
    carrying = edge("a", "b", sourceOutput="x", targetInput="y")
    assert found(two(carrying, second=node("b", "core.delay"))) == [
        ("/edges/0/sourceOutput", "unknown_output"),
        ("/edges/0/targetInput", "unknown_port"),
    ]
    fitting = workflow([node("a", "core.identity"), node("b", "core.delay")], [{**carrying, "targetInput": "delayMs"}])
    assert found(fitting) == []


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ({"type": "expression", "expression": "output.x == 1"}, []),
        ({"expression": "true"}, []),
        ({"type": "truthy", "left": "x"}, []),
        ({"type": "equals", "left": "x", "right": None}, []),
        ({"type": "regex", "left": "x", "right": "^a+$"}, []),
        ({}, [("type", "required")]),
        ({"left": "x", "right": 1}, [("type", "required")]),
        ({"type": "expression"}, [("expression", "required")]),
        ({"type": "expression", "expression": ""}, [("expression", "required")]),
        ({"type": "expression", "expression": "x =="}, [("expression", "expression")]),
        ({"type": "expression", "expression": "[1].all(x, true)"}, [("expression", "expression")]),
        ({"type": "falsy"}, [("left", "required")]),
        ({"type": "contains"}, [("left", "required"), ("right", "required")]),
        ({"type": "equals", "left": "", "right": ""}, [("left", "required")]),
        ({"type": "regex", "left": "x", "right": 7}, [("right", "regex")]),
        ({"type": "regex", "left": "x", "right": "["}, [("right", "regex")]),
        ({"type": "regex", "left": "x", "right": "a" * 1001}, [("right", "regex")]),
        ({"type": "sometimes", "left": "x"}, [("type", "enum")]),
    ],
)
def test_a_condition_must_be_one_that_can_be_decided(condition: JsonObject, expected: list[tuple[str, str]]) -> None:
    assert found(with_condition(**condition)) == [(f"/edges/0/condition/{name}", code) for name, code in expected]


# --- Variables and settings -------------------------------------------------------------------------------------------


def test_a_default_must_be_of_its_variables_type() -> None:
    assert found(two(variables=[{"name": "v", "type": "number", "defaultValue": 1}])) == []
    assert only_problem(two(variables=[{"name": "v", "type": "number", "defaultValue": "1"}])) == Problem(
        "/variables/0/defaultValue", "type", "The default must be of the variable's type, number."
    )


def test_compensation_is_a_capability_that_this_host_lacks() -> None:
    assert found(two(settings={"compensation": {}})) == [("/settings/compensation", "capability_required")]


def test_a_configurable_schema_passes_the_same_gate_as_any_schema() -> None:
    assert found(two(configurableSchema={"type": "object", "properties": {"a": {"type": "string"}}})) == []
    assert found(two(configurableSchema={"$ref": "https://elsewhere.example/schema"})) != []


def test_a_version_longer_than_its_column_is_refused_on_every_database() -> None:
    assert problems_of(workflow([node("a")], version="1" * 128)) == []
    assert found(workflow([node("a")], version="1" * 129)) == [("/version", "maxLength")]
