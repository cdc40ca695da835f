"""The parts of a document, and the whole: plain JSON, as registration takes it."""

from __future__ import annotations

import json
from datetime import date, timedelta
from enum import StrEnum
from typing import cast

import pytest

from interrupts.authoring import (
    AuthoringError,
    Schema,
    edge,
    from_expression,
    from_output,
    from_variable,
    interrupt,
    literal,
    node,
    variable,
    workflow,
)
from interrupts.contracts.types import JsonObject
from interrupts.engine.definition import check_definition


class Verdict(StrEnum):
    GOOD = "good"
    BAD = "bad"


def test_an_interrupt_says_what_is_asked_and_what_may_be_answered() -> None:
    asked = interrupt(
        "review",
        kind="text_review",
        title="Is this good?",
        request={"/text": from_variable("text"), "/rules": literal(["short"]), "/n": from_expression("1 + 1")},
        request_schema={"type": "object", "required": ["text"]},
        resume={"/why": "why"},
        resume_schema={"type": "object", "properties": {"why": {"type": "string"}}},
        outcomes=[*Verdict],
        timeout=timedelta(minutes=5),
    )
    assert asked == {
        "id": "review",
        "typeId": "vendor.wopsite.interrupt",
        "name": "Is this good?",
        "config": {
            "kind": "text_review",
            "outcomes": ["good", "bad"],
            "title": "Is this good?",
            "request": [
                {"target": "/text", "from": {"type": "variable", "variableName": "text"}},
                {"target": "/rules", "value": ["short"]},
                {"target": "/n", "from": {"type": "expression", "expression": "1 + 1"}},
            ],
            "resume": [{"source": "/why", "target": "why"}],
            "request_schema": {"type": "object", "required": ["text"]},
            "resume_schema": {"type": "object", "properties": {"why": {"type": "string"}}},
            "timeoutMs": 300_000,
        },
        "inputs": {},
    }
    assert type(asked["config"]["outcomes"][0]) is str


def test_an_interrupt_without_schemas_leaves_them_out() -> None:
    assert interrupt("ask", kind="anything")["config"] == {"kind": "anything", "outcomes": ["submitted"]}


def test_a_request_takes_sources_and_nothing_else() -> None:
    with pytest.raises(AuthoringError, match=r"literal\(…\)") as refused:
        interrupt("ask", kind="anything", request={"/hint": {"hint": "Be kind."}})
    assert [problem.pointer for problem in refused.value.problems] == ["/config/request/~1hint"]


def test_everything_wrong_with_an_interrupt_is_told_at_once_with_its_node_and_place() -> None:
    with pytest.raises(AuthoringError) as refused:
        interrupt(
            "ask",
            kind="anything",
            request={"/hint": {"hint": "Be kind."}},
            request_schema={"type": "object", "properties": {"a": {"type": "text"}}},
            resume_schema=cast("Schema", int),
        )
    what, *told = str(refused.value).splitlines()
    assert what == "The node “ask” cannot be stored."
    assert [line.strip().partition(": ")[0] for line in told] == [
        "/config/request/~1hint",
        "/config/request_schema/properties/a/type",
        "/config/resume_schema",
    ]
    assert "this is <class 'int'>" in told[-1]


def test_an_edge_by_outcome_is_plain_and_has_an_id_of_its_own() -> None:
    followed = edge("review", "pay", outcome=Verdict.GOOD, rule="any_success", label="fine")
    assert followed == {
        "id": "review-good-pay",
        "sourceNodeId": "review",
        "targetNodeId": "pay",
        "sourceOutput": "good",
        "triggerRule": "any_success",
        "label": "fine",
    }
    assert type(followed["sourceOutput"]) is str


def test_a_default_of_a_variable_must_be_json() -> None:
    assert variable("verdict", "string", default=Verdict.BAD, sensitive=True, description="How it was.") == {
        "name": "verdict",
        "type": "string",
        "defaultValue": "bad",
        "description": "How it was.",
        "sensitive": True,
    }
    with pytest.raises(AuthoringError, match="The variable “day” cannot be stored"):
        variable("day", "string", default=date(2026, 3, 2))


def test_a_workflow_is_what_registration_takes() -> None:
    document = workflow(
        "chain",
        name="A chain",
        version="1",
        description="One after the other.",
        variables=[variable("amount", "number", default=1)],
        nodes=[
            node("first", "core.identity", inputs={"amount": from_variable("amount")}),
            node("then", "core.identity", name="Then", inputs={"amount": from_output("first", "amount")}),
        ],
        edges=[edge("first", "then", condition={"type": "truthy", "left": "amount"})],
        settings={"timeout": 1000},
    )
    assert check_definition(document) == []
    assert json.loads(json.dumps(document)) == document
    assert [each["position"] for each in document["nodes"]] == [{"x": 0, "y": 0}, {"x": 240, "y": 0}]
    assert (document["description"], document["settings"]) == ("One after the other.", {"timeout": 1000})


def test_every_mistake_of_a_workflow_is_told_at_once_by_its_place() -> None:
    with pytest.raises(AuthoringError) as refused:
        workflow(
            "Wrong!",
            name="Wrong",
            version="1",
            nodes=[node("a", "core.nothing"), node("b", "core.identity", inputs={"x": from_variable("missing")})],
            edges=[edge("a", "c")],
        )
    pointers = [problem.pointer for problem in refused.value.problems]
    assert pointers == ["/edges/0/targetNodeId", "/id", "/nodes/0/typeId", "/nodes/1/inputs/x/variableName"]
    assert str(refused.value).startswith("The workflow “Wrong!” cannot be registered.\n  /edges/0/targetNodeId: ")


def test_a_mistake_inside_an_interrupt_hides_no_other_one() -> None:
    asked = interrupt(
        "ask",
        kind="anything",
        outcomes=["outcome"],
        request={"no pointer": from_variable("missing"), "/b": from_output("nowhere", "x")},
        resume={"~": "unheard"},
    )
    asked["config"]["resume_schema"] = {"type": "object", "properties": 5}
    with pytest.raises(AuthoringError) as refused:
        workflow("hiding", name="Hiding", version="1", nodes=[asked])
    assert [problem.pointer.removeprefix("/nodes/0/config/") for problem in refused.value.problems] == [
        "outcomes/0",
        "request/0/from/variableName",
        "request/0/target",
        "request/1/from/nodeId",
        "resume/0/source",
        "resume/0/target",
        "resume_schema/properties",
    ]


def test_a_document_written_by_hand_may_have_parts_that_were_not() -> None:
    by_hand: JsonObject = {"id": "ask", "typeId": "core.noop", "name": "Ask", "config": {}, "inputs": {}}
    by_hand["position"] = {"x": 7, "y": 8}
    document = workflow("mixed", name="Mixed", version="1", nodes=[by_hand, node("end")], edges=[edge("ask", "end")])
    assert [each["position"]["x"] for each in document["nodes"]] == [7, 240]
