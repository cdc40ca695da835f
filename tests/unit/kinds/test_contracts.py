"""What each kind promises to whoever answers: outcomes, and the schema of the payload beside them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from interrupts.contracts.admission import check_schema
from interrupts.contracts.json_text import dump_json
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.errors import ValidationFailed
from interrupts.kinds import registry
from interrupts.kinds.base import Contract, Kind, OpenInterrupt
from interrupts.kinds.credential import Credential
from interrupts.vocabulary import InterruptKind
from tests.offers import Accounts

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
DRAFT_07 = "http://json-schema.org/draft-07/schema#"
ANY: JsonObject = {"type": "object", "additionalProperties": True}
GATE: JsonObject = {"artifactId": "a", "artifactType": "t", "title": "Go?", "actions": ["accept", "reject", "ask"]}


def asked(kind: InterruptKind, data: JsonObject, schema: JsonObject | None = None) -> tuple[Kind, OpenInterrupt]:
    served = Credential(Accounts()) if kind is InterruptKind.CREDENTIAL else registry.get(kind)
    owner: JsonObject = {"tenant": "acme"}
    return served, OpenInterrupt("acme/i", "acme", "acme/r", "flow", "ask", kind, data, NOW, None, owner, schema)


def contract(kind: InterruptKind, data: JsonObject, schema: JsonObject | None = None) -> Contract:
    served, interrupt = asked(kind, data, schema)
    found = served.contract(interrupt)
    assert check_schema(found.resume_schema) == check_schema(found.request_schema) == []
    assert validate(compile_schema(found.request_schema), served.shown(interrupt)) == []
    assert Contract.from_json(found.to_json()) == found
    return found


def pointers(kind: InterruptKind, data: JsonObject, outcome: str, payload: JsonValue) -> list[str]:
    served, interrupt = asked(kind, data)
    with pytest.raises(ValidationFailed) as caught:
        served.answer(interrupt, outcome, payload)
    told: Any = caught.value.details["problems"]
    return [problem["pointer"] for problem in told]


def test_an_approval_offers_the_actions_of_its_gate_and_takes_what_they_carry() -> None:
    found = contract(InterruptKind.APPROVAL, GATE)
    assert (found.kind, found.outcomes, found.typed) == ("approval", ("accept", "reject", "ask"), True)
    schema = compile_schema(found.resume_schema)
    good: list[JsonValue] = [{}, {"feedback": "Fine."}, {"question": "Why?"}]
    assert [validate(schema, value) for value in good] == [[], [], []]
    bad: list[JsonValue] = [[], {"feedback": 1}, {"action": "accept"}]
    assert all(validate(schema, value) for value in bad)
    members: Any = found.resume_schema["properties"]
    assert set(members) == {"feedback", "decidedAt"}
    every: Any = contract(InterruptKind.APPROVAL, {**GATE, "actions": ["refine", "edit-accept"]}).resume_schema
    assert {"refineFeedback", "editedArtifactData"} < set(every["properties"])


def test_what_a_gates_own_schema_asks_is_part_of_its_contract() -> None:
    schema: JsonObject = {
        "type": "object",
        "properties": {"action": {"enum": ["accept"]}, "risk": {"$ref": "#/$defs/risk"}},
        "required": ["action", "risk"],
        "$defs": {"risk": {"enum": ["low", "high"]}},
    }
    compiled = compile_schema(contract(InterruptKind.APPROVAL, GATE, schema).resume_schema)
    assert validate(compiled, {"risk": "low", "feedback": "Fine."}) == []
    assert [problem.pointer for problem in validate(compiled, {"feedback": 1})] == ["/feedback", "/risk"]
    assert [problem.pointer for problem in validate(compiled, {"risk": "none"})] == ["/risk"]


@pytest.mark.parametrize(
    "schema",
    [
        {"if": {"properties": {"action": {"const": "reject"}}}, "then": {"required": ["feedback"]}},
        {"$schema": "http://json-schema.org/draft-04/schema#", "required": ["risk"]},
        {"type": "object", "properties": {"action": {"$ref": "#/properties/b"}, "b": {"$ref": "#/properties/action"}}},
    ],
)
def test_a_gates_own_schema_that_cannot_be_told_apart_from_the_action_is_left_to_the_answer(schema: JsonObject) -> None:
    told = contract(InterruptKind.APPROVAL, GATE, schema).resume_schema
    assert told == contract(InterruptKind.APPROVAL, GATE).resume_schema


def test_an_approval_is_answered_with_its_outcome_as_the_action() -> None:
    served, interrupt = asked(InterruptKind.APPROVAL, GATE)
    assert served.answer(interrupt, "reject", {"feedback": "No."}) == {"action": "reject", "feedback": "No."}
    assert served.place(interrupt, "/action") == "/outcome"
    assert served.place(interrupt, "/refineFeedback/scope") == "/payload/refineFeedback/scope"


def test_a_clarification_asks_for_a_member_a_question() -> None:
    questions: list[JsonValue] = [
        {"id": "when", "question": "When?", "schema": {"$ref": "#/$defs/day", "$defs": {"day": {"type": "string"}}}},
        {"id": "who", "question": "Who?"},
        {"id": "how many", "question": "How many?", "schema": {"type": "integer", "title": "Number"}},
    ]
    found = contract(InterruptKind.CLARIFICATION, {"questions": questions})
    assert (found.outcomes, found.typed) == (("submitted",), True)
    properties: Any = found.resume_schema["properties"]
    assert list(properties) == ["when", "who", "how many"]
    assert (properties["who"], properties["how many"]["title"]) == ({"title": "Who?"}, "Number")
    given: JsonObject = {"when": "Monday", "who": None, "how many": 2}
    served, interrupt = asked(InterruptKind.CLARIFICATION, {"questions": questions})
    assert served.answer(interrupt, "submitted", given) == given
    assert served.parse(interrupt, given, now=NOW) == given
    assert pointers(InterruptKind.CLARIFICATION, {"questions": questions}, "submitted", {"when": 1, "who": 1}) == [
        "/payload/how many",
        "/payload/when",
    ]


def test_a_question_in_another_dialect_is_bound_by_its_own_schema_only_when_it_is_answered() -> None:
    questions: list[JsonValue] = [
        {"id": "a", "question": "A?", "schema": {"$schema": DRAFT_07, "type": "string"}},
        {"id": "b", "question": "B?", "schema": {"type": "integer"}},
    ]
    found = contract(InterruptKind.CLARIFICATION, {"questions": questions})
    assert validate(compile_schema(found.resume_schema), {"a": "x", "b": "no number"}) == []
    served, interrupt = asked(InterruptKind.CLARIFICATION, {"questions": questions})
    with pytest.raises(ValidationFailed):
        served.parse(interrupt, served.answer(interrupt, "submitted", {"a": "x", "b": "no number"}), now=NOW)


def test_an_external_event_asks_for_what_correlates_and_for_its_schema() -> None:
    data: JsonObject = {"eventType": "paid", "correlation": {"order": 7}}
    found = contract(InterruptKind.EXTERNAL_EVENT, data, {"required": ["amount"]})
    schema = compile_schema(found.resume_schema)
    assert validate(schema, {"order": 7.0, "amount": 1}) == []
    assert [p.pointer for p in validate(schema, {"order": 8})] == ["/amount", "/order"]


def test_what_is_too_deep_to_be_a_schema_is_told_as_any_object() -> None:
    deep: Any = "x"
    for _ in range(40):
        deep = [deep]
    found = contract(InterruptKind.EXTERNAL_EVENT, {"eventType": "paid", "correlation": {"order": deep}})
    assert (found.resume_schema, found.typed) == (ANY, False)


@pytest.mark.parametrize(
    ("kind", "data"),
    [
        (InterruptKind.CUSTOM, {"customKind": "sms"}),
        (InterruptKind.LOW_CONFIDENCE, {"agentId": "a", "threshold": 0.7, "observed": 0.5}),
        (InterruptKind.CONVERSATION_START, {"conversationId": "c"}),
        (InterruptKind.CONVERSATION_EXCHANGE, {"conversationId": "c", "prompt": "?"}),
        (InterruptKind.CONVERSATION_CLOSE, {"conversationId": "c"}),
    ],
)
def test_without_a_schema_any_object_is_an_answer_and_the_contract_is_untyped(
    kind: InterruptKind, data: JsonObject
) -> None:
    found = contract(kind, data)
    assert (found.outcomes, found.resume_schema, found.typed) == (("submitted",), ANY, False)
    declared = contract(kind, data, {"type": "integer"})
    assert (declared.resume_schema, declared.typed) == ({"type": "integer"}, True)


def test_what_a_kind_asks_has_the_schema_of_the_protocol_and_a_custom_interrupt_asks_anything() -> None:
    gate = contract(InterruptKind.APPROVAL, GATE).request_schema
    assert (gate["required"], gate["additionalProperties"]) == (
        ["artifactId", "artifactType", "title", "actions"],
        False,
    )
    unsure = contract(InterruptKind.LOW_CONFIDENCE, {"agentId": "a", "threshold": 0.7, "observed": 0.5}).request_schema
    assert "$ref" not in dump_json(unsure)
    assert contract(InterruptKind.CUSTOM, {"customKind": "sms"}).request_schema == ANY


def test_a_custom_interrupt_goes_by_its_own_name() -> None:
    served, interrupt = asked(InterruptKind.CUSTOM, {"customKind": "sms", "payload": [1]})
    assert (served.contract(interrupt).kind, served.shown(interrupt)) == ("sms", [1])


def test_a_turn_of_a_conversation_is_bound_by_its_outcome_schema() -> None:
    data: JsonObject = {"conversationId": "c", "prompt": "?", "outcomeSchema": {"type": "string"}}
    found = contract(InterruptKind.CONVERSATION_EXCHANGE, data)
    assert (found.resume_schema, found.typed) == ({"type": "string"}, True)


def test_a_credential_takes_an_outcome_and_an_empty_payload() -> None:
    data: JsonObject = {"provider": "p", "scopes": [], "reason": "missing", "connectUrl": "https://wop.example/"}
    found = contract(InterruptKind.CREDENTIAL, data)
    assert found.outcomes == ("authorized", "declined")
    served, interrupt = asked(InterruptKind.CREDENTIAL, data)
    assert served.answer(interrupt, "declined", {}) == {"outcome": "declined"}
    assert pointers(InterruptKind.CREDENTIAL, data, "declined", {"password": "x"}) == ["/payload/password"]


@pytest.mark.parametrize("outcome", ["", "approve", "accept ", "ACCEPT", "x" * 1000])
def test_an_outcome_that_was_not_declared_is_refused_at_the_outcome(outcome: str) -> None:
    assert pointers(InterruptKind.APPROVAL, GATE, outcome, {}) == ["/outcome"]
