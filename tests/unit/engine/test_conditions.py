from __future__ import annotations

import pytest

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.conditions import MAX_MATCHED, ConditionError, condition_holds, look_up
from interrupts.engine.plan import PlanEdge, parse_plan
from tests.factories import edge, node, workflow

SCOPE: JsonObject = {
    "inputs": {"amount": 40},
    "variables": {"limit": 100, "action": "from variables"},
    "nodes": {"a": {"status": "completed", "outputs": {}}},
    "output": {
        "action": "refine",
        "inputs": {"amount": "shadowed"},
        "list": [1, True, {"a": [1.0]}],
        "text": "release 4.2",
        "one": 1,
        "yes": True,
        "zero": 0,
        "empty": "",
        "nothing": None,
    },
}


def with_condition(**condition: JsonValue) -> PlanEdge:
    return parse_plan(workflow([node("a"), node("b")], [edge("a", "b", condition=condition)])).edges["a-b"]


def holds(kind: str, left: str, right: JsonValue = None) -> bool:
    return condition_holds(with_condition(type=kind, left=left, right=right), SCOPE)


def test_an_edge_without_a_condition_is_always_taken() -> None:
    plan = parse_plan(workflow([node("a"), node("b")], [edge("a", "b")]))
    assert condition_holds(plan.edges["a-b"], SCOPE)


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("action", "refine"),
        ("variables.action", "from variables"),
        ("inputs.amount", "shadowed"),
        ("variables.limit", 100),
        ("nodes.a.status", "completed"),
        ("output.action", "refine"),
        ("list.2.a.0", 1.0),
        ("list.3", None),
        ("list.-1", None),
        ("list.one", None),
        ("list." + "9" * 5000, None),
        ("action.deeper", None),
        ("nowhere", None),
        ("", None),
    ],
)
def test_a_path_is_looked_up_in_the_sources_outputs_and_then_in_the_scope(path: str, value: JsonValue) -> None:
    assert look_up(path, SCOPE) == value


@pytest.mark.parametrize(
    ("left", "right", "equal"),
    [
        ("action", "refine", True),
        ("action", "Refine", False),
        ("one", 1.0, True),
        ("one", True, False),
        ("yes", True, True),
        ("yes", 1, False),
        ("zero", False, False),
        ("nothing", None, True),
        ("nowhere", None, True),
        ("empty", None, False),
        ("list", [1.0, True, {"a": [1]}], True),
        ("list", [1, 1, {"a": [1]}], False),
    ],
)
def test_equality_is_that_of_json(left: str, right: JsonValue, equal: bool) -> None:
    assert holds("equals", left, right) is equal
    assert holds("notEquals", left, right) is not equal


@pytest.mark.parametrize(
    ("left", "right", "contained"),
    [
        ("text", "4.2", True),
        ("text", "", True),
        ("text", 4.2, False),
        ("list", 1.0, True),
        ("list", {"a": [1]}, True),
        ("list", None, False),
        ("inputs", "amount", True),
        ("inputs", "shadowed", False),
        ("one", 1, False),
        ("nowhere", "x", False),
    ],
)
def test_texts_contain_texts_lists_items_and_objects_members(left: str, right: JsonValue, contained: bool) -> None:
    assert holds("contains", left, right) is contained


@pytest.mark.parametrize(
    ("left", "pattern", "found"),
    [
        ("text", r"\d+\.\d+$", True),
        ("text", "^4", False),
        ("one", "1", False),
        ("nowhere", ".*", False),
    ],
)
def test_a_pattern_is_searched_for_in_texts_only(left: str, pattern: str, found: bool) -> None:
    assert holds("regex", left, pattern) is found


@pytest.mark.parametrize("left", ["action", "one", "yes", "list", "inputs"])
def test_what_is_there_and_not_empty_is_truthy(left: str) -> None:
    assert (holds("truthy", left), holds("falsy", left)) == (True, False)


@pytest.mark.parametrize("left", ["zero", "empty", "nothing", "nowhere", "nodes.a.outputs"])
def test_null_false_zero_and_empty_are_falsy(left: str) -> None:
    assert (holds("truthy", left), holds("falsy", left)) == (False, True)


def test_an_expression_sees_the_sources_outputs_and_the_run() -> None:
    text = 'output.action == "refine" && inputs.amount < variables.limit && nodes.a.status == "completed"'
    assert condition_holds(with_condition(type="expression", expression=text), SCOPE)
    assert not condition_holds(with_condition(expression='output.action == "accept"'), SCOPE)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("output.missing == 1", "The expression looks at “missing”, which is not there."),
        ("1 + 1", "The expression must give true or false."),
        ("null", "The expression must give true or false."),
    ],
)
def test_a_condition_that_cannot_be_decided_is_an_error_and_never_a_guess(expression: str, reason: str) -> None:
    with pytest.raises(ConditionError) as caught:
        condition_holds(with_condition(type="expression", expression=expression), SCOPE)
    assert caught.value.edge_id == "a-b"
    assert caught.value.message == f"The condition of the edge “a-b” cannot be decided. {reason}"


def test_a_text_too_long_to_match_in_bounded_time_is_an_error() -> None:
    scope: JsonObject = {**SCOPE, "output": {"long": "a" * (MAX_MATCHED + 1)}}
    with pytest.raises(ConditionError, match="more than 10000 characters"):
        condition_holds(with_condition(type="regex", left="long", right="(a+)+b"), scope)


def test_a_pattern_made_to_backtrack_is_decided_at_once() -> None:
    scope: JsonObject = {**SCOPE, "output": {"long": "a" * MAX_MATCHED}}
    assert not condition_holds(with_condition(type="regex", left="long", right="^(a+)+b$"), scope)
