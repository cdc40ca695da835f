from __future__ import annotations

import pytest

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.plan import PlanEdge, PlanNode, parse_plan
from interrupts.engine.values import PortError, resolve_inputs
from tests.factories import edge, node, workflow

SCOPE: JsonObject = {
    "inputs": {"amount": 40},
    "variables": {"limit": 100, "nothing": None},
    "nodes": {
        "done": {"status": "completed", "outputs": {"answer": 42, "nothing": None}},
        "failed": {"status": "failed", "outputs": {}},
    },
}


def taking(**inputs: JsonValue) -> PlanNode:
    return parse_plan(workflow([node("n", inputs=inputs)])).nodes["n"]


def arriving(source: str, target_input: str, source_output: str | None = None) -> PlanEdge:
    document = edge(source, "n", targetInput=target_input)
    if source_output is not None:
        document["sourceOutput"] = source_output
    return parse_plan(workflow([node(source), node("n")], [document])).edges[f"{source}-n"]


def variable(name: str, *, optional: bool = False) -> JsonObject:
    return {"type": "variable", "variableName": name, "optional": optional}


def connection(node_id: str, output: str, *, optional: bool = False) -> JsonObject:
    return {"type": "connection", "nodeId": node_id, "outputKey": output, "optional": optional}


def test_each_type_of_port_is_resolved() -> None:
    taken = taking(
        fixed={"type": "static", "value": [1, {"a": None}]},
        limit=variable("limit"),
        answer=connection("done", "answer"),
        sum={"type": "expression", "expression": "inputs.amount + nodes.done.outputs.answer"},
    )
    assert resolve_inputs(taken, SCOPE) == {"fixed": [1, {"a": None}], "limit": 100, "answer": 42, "sum": 82}


def test_null_is_a_value_and_not_an_absence() -> None:
    taken = taking(v=variable("nothing"), c=connection("done", "nothing"))
    assert resolve_inputs(taken, SCOPE) == {"v": None, "c": None}


def test_an_optional_port_is_left_out_when_there_is_nothing() -> None:
    taken = taking(
        v=variable("unset", optional=True),
        c=connection("done", "unset", optional=True),
        f=connection("failed", "answer", optional=True),
        never=connection("never-ran", "answer", optional=True),
    )
    assert resolve_inputs(taken, SCOPE) == {}


@pytest.mark.parametrize(
    ("port", "message"),
    [
        (variable("unset"), "The input “p” has no value: the variable “unset” is not set."),
        (connection("done", "x"), "The input “p” has no value: the node “done” has no output “x”."),
        (connection("never-ran", "x"), "The input “p” has no value: the node “never-ran” has no output “x”."),
        (
            {"type": "expression", "expression": "variables.unset"},
            "The input “p” has no value: The expression looks at “unset”, which is not there.",
        ),
    ],
)
def test_a_port_that_needs_what_is_not_there_fails_its_node(port: JsonObject, message: str) -> None:
    with pytest.raises(PortError) as caught:
        resolve_inputs(taking(p=port), SCOPE)
    assert (caught.value.port, caught.value.message, caught.value.code) == ("p", message, "node_config_invalid")


def test_an_edge_carries_one_output_of_its_source_or_all_of_them() -> None:
    delivered = [arriving("done", "one", "answer"), arriving("done", "all")]
    assert resolve_inputs(taking(), SCOPE, delivered) == {"one": 42, "all": {"answer": 42, "nothing": None}}


def test_a_port_with_a_value_of_its_own_is_not_filled_by_an_edge() -> None:
    taken = taking(p={"type": "static", "value": "own"})
    assert resolve_inputs(taken, SCOPE, [arriving("done", "p", "answer")]) == {"p": "own"}


def test_an_edge_fills_an_optional_port_that_found_nothing() -> None:
    taken = taking(p=variable("unset", optional=True))
    assert resolve_inputs(taken, SCOPE, [arriving("done", "p", "answer")]) == {"p": 42}


def test_of_two_edges_into_one_port_the_later_that_brings_something_counts() -> None:
    done, failed, whole = arriving("done", "p", "answer"), arriving("failed", "p", "answer"), arriving("done", "p")
    assert resolve_inputs(taking(), SCOPE, [whole, done]) == {"p": 42}
    assert resolve_inputs(taking(), SCOPE, [done, failed]) == {"p": 42}


def test_an_edge_without_a_target_input_carries_nothing() -> None:
    plain = parse_plan(workflow([node("done"), node("n")], [edge("done", "n")])).edges["done-n"]
    assert resolve_inputs(taking(), SCOPE, [plain]) == {}
