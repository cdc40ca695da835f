"""Schemas made to hurt, over the machine surface: refused with their place, or bounded when an answer meets them."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.models import Workflow
from tests.factories import node, one_gate, one_interrupt, workflow
from tests.surfaces.rest.api import Api, wire

SECONDS = 5.0


def as_resume_schema(schema: Any) -> tuple[JsonObject, str]:
    return one_gate(resumeSchema=schema), "/nodes/0/config/resumeSchema"


def as_outcome_schema(schema: Any) -> tuple[JsonObject, str]:
    data = {"conversationId": "c", "prompt": "Well?", "outcomeSchema": schema}
    return one_interrupt("conversation.exchange", data), "/nodes/0/config/data/outcomeSchema"


def as_outcome_schema_of_a_gate(schema: Any) -> tuple[JsonObject, str]:
    gate = node("ask", "core.conversationGate", config={"outcomeSchema": schema})
    return workflow([gate]), "/nodes/0/config/outcomeSchema"


def as_schema_of_a_question(schema: Any) -> tuple[JsonObject, str]:
    data: JsonObject = {"questions": [{"id": "q", "question": "Well?", "schema": schema}]}
    return one_interrupt("clarification", data), "/nodes/0/config/data/questions/0/schema"


def as_configurable_schema(schema: Any) -> tuple[JsonObject, str]:
    return {**one_gate(), "configurableSchema": schema}, "/configurableSchema"


PLACES = (
    as_resume_schema,
    as_outcome_schema,
    as_outcome_schema_of_a_gate,
    as_schema_of_a_question,
    as_configurable_schema,
)
REFUSED: dict[str, JsonObject] = {
    "remote": {"$ref": "https://schemas.example.com/a.json"},
    "file": {"$ref": "file:///etc/passwd"},
    "another dialect": {"$schema": "https://schemas.example.com/dialect"},
    "endless recursion": {"allOf": [{"$ref": "#"}]},
    "a circle": {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"},
    "leads nowhere": {"$ref": "#/$defs/nothing"},
    "no pattern": {"pattern": "("},
    "a long pattern": {"pattern": "a" * 5_000},
    "too many": {"properties": {f"p{i}": {"type": "string"} for i in range(5_000)}},
    "no schema": {"type": "strange"},
}


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("name", REFUSED)
def test_a_schema_that_could_hurt_is_refused_at_registration_wherever_it_stands(
    api: Api, place: Any, name: str
) -> None:
    document, pointer = place(REFUSED[name])
    refused = api.post("/host/wopsite/workflows", document).refused(400, "validation_error")
    assert refused["problems"][0]["pointer"].startswith(pointer)
    assert not Workflow.objects.exists()


def test_a_schema_nested_too_deep_is_refused_in_time(api: Api) -> None:
    nested = '{"not":' * 10_000 + "{}" + "}" * 10_000
    document = json.dumps(one_gate(resumeSchema="HERE")).replace('"HERE"', nested)
    start = time.thread_time()
    api.send("POST", "/host/wopsite/workflows", document.encode()).refused(400, "validation_error")
    assert time.thread_time() - start < SECONDS


def doubling(levels: int) -> JsonObject:
    steps: Any = {
        f"d{i}": {"anyOf": [{"$ref": f"#/$defs/d{i + 1}"}, {"not": {"$ref": f"#/$defs/d{i + 1}"}}]}
        for i in range(levels)
    }
    steps[f"d{levels}"] = {"type": "string"}
    return {"$defs": steps, "$ref": "#/$defs/d0", "unevaluatedProperties": False}


HEAVY: dict[str, tuple[JsonObject, Any]] = {
    "doubling": (doubling(25), {"action": "accept"}),
    "catastrophic": ({"properties": {"feedback": {"pattern": "^(?:(?!b)(a|aa|aaa))+c"}}}, {"feedback": "a" * 9_000}),
    "large enum": (
        {"properties": {"x": {"items": {"enum": [f"v{i}" for i in range(10_000)]}}}},
        {"x": ["other"] * 500},
    ),
}


@pytest.mark.parametrize("name", HEAVY)
def test_an_answer_to_a_heavy_schema_is_refused_in_time_and_the_gate_stays_open(api: Api, name: str) -> None:
    schema, more = HEAVY[name]
    assert api.post("/host/wopsite/workflows", one_gate(resumeSchema=schema)).status == 201
    run_id = str(api.post("/runs", {"workflowId": "flow"}).body["runId"])
    start = time.thread_time()
    answer = {"resumeValue": {"action": "accept", **more}}
    api.post(f"/runs/{wire(run_id)}/interrupts/gate", answer).refused(400, "validation_error")
    assert time.thread_time() - start < SECONDS
    assert api.get(f"/runs/{wire(run_id)}").body["status"] == "waiting-approval"
