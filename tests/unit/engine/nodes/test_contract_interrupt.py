"""``vendor.wopsite.interrupt``: the core model, and what of it is found wrong before anything runs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from interrupts.contracts.admission import check_schema
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.engine.nodes.base import Completed, Failed, Suspend
from interrupts.engine.nodes.contract_interrupt import ContractInterrupt
from interrupts.vocabulary import InterruptKind
from tests.unit.engine.nodes.contexts import context, resolution

NODE = ContractInterrupt()
ANY: JsonObject = {"type": "object", "additionalProperties": True}
DRAFT_07 = "http://json-schema.org/draft-07/schema#"
REVIEW: JsonObject = {
    "type": "object",
    "properties": {"approved": {"type": "boolean"}, "ids": {"type": "array", "items": {"type": "string"}}},
    "required": ["approved"],
    "additionalProperties": False,
}


def asked(config: JsonObject, **inputs: Any) -> Suspend:
    given = {f"request{name}": value for name, value in inputs.items()}
    result = NODE.execute(replace(context({"kind": "issue_review", **config}), inputs=given))
    assert isinstance(result, Suspend)
    return result


def failed(config: JsonObject, **inputs: Any) -> Failed:
    given = {f"request{name}": value for name, value in inputs.items()}
    result = NODE.execute(replace(context({"kind": "issue_review", **config}), inputs=given))
    assert isinstance(result, Failed)
    return result


def answered(config: JsonObject, outcome: str, payload: JsonValue, variables: JsonObject | None = None) -> Completed:
    ctx = replace(context({"kind": "issue_review", **config}), variables=variables or {})
    given = resolution(InterruptKind.CUSTOM, resume_value={"outcome": outcome, "payload": payload})
    result = NODE.resume(ctx, given)
    assert isinstance(result, Completed)
    return result


def problems(**config: JsonValue) -> list[tuple[str, str]]:
    full: JsonObject = {"kind": "issue_review", **config}
    assert validate(compile_schema(NODE.config_schema), full) == []
    return [(problem.pointer, problem.keyword) for problem in NODE.check_config(full)]


def bound(target: str) -> JsonObject:
    return {"target": target, "from": {"type": "variable", "variableName": "v"}}


def literal(target: str, value: JsonValue) -> JsonObject:
    return {"target": target, "value": value}


# --- The core model ---------------------------------------------------------------------------------------------------


def test_a_node_without_schemas_is_untyped_and_takes_any_object() -> None:
    suspend = asked({})
    contract = suspend.contract
    assert contract is not None
    assert (contract.kind, contract.outcomes, contract.typed) == ("issue_review", ("submitted",), False)
    assert (contract.request_schema, contract.resume_schema) == (ANY, ANY)
    assert (suspend.kind, suspend.data) == (InterruptKind.CUSTOM, {"customKind": "issue_review", "payload": {}})


def test_a_node_with_schemas_is_typed_and_carries_them_as_they_were_written() -> None:
    request: JsonObject = {"type": "object", "required": ["report"]}
    suspend = asked({
        "request_schema": request, "resume_schema": REVIEW, "outcomes": ["submitted", "cancelled"],
        "request": [literal("/report", "# R")], "title": "Look at it", "timeoutMs": 5000.0,
    })  # fmt: skip
    contract = suspend.contract
    assert contract is not None
    assert (contract.request_schema, contract.resume_schema, contract.typed) == (request, REVIEW, True)
    assert contract.outcomes == ("submitted", "cancelled")
    assert (suspend.title, suspend.timeout_ms) == ("Look at it", 5000)
    assert suspend.resume_schema == {
        "type": "object",
        "required": ["outcome", "payload"],
        "properties": {"outcome": {"enum": ["submitted", "cancelled"]}, "payload": REVIEW},
        "additionalProperties": False,
    }


@pytest.mark.parametrize(
    "schema",
    [
        {"type": "object", "properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"type": "integer"}}},
        {
            "$schema": DRAFT_07,
            "type": "object",
            "properties": {"a": {"$ref": "#/definitions/n"}},
            "definitions": {"n": {"type": "integer"}},
        },
        {
            "$id": "https://acme.example/answer",
            "type": "object",
            "properties": {"a": {"$ref": "/answer#/$defs/n"}},
            "$defs": {"n": {"type": "integer"}},
        },
        {"$ref": "#/$defs/A", "$defs": {"A": {"type": "object", "properties": {"a": {"type": "integer"}}}}},
    ],
)
def test_references_in_the_resume_schema_keep_their_meaning_on_the_wire(schema: JsonObject) -> None:
    assert problems(resume_schema=schema) == []
    wire = asked({"resume_schema": schema}).resume_schema
    assert wire is not None
    assert check_schema(wire) == []
    compiled = compile_schema(wire)
    assert validate(compiled, {"outcome": "submitted", "payload": {"a": 1}}) == []
    (problem,) = validate(compiled, {"outcome": "submitted", "payload": {"a": "1"}})
    assert problem.pointer == "/payload/a"


# --- Request bindings -------------------------------------------------------------------------------------------------


def test_the_payload_is_put_together_in_the_order_of_the_bindings() -> None:
    request: list[JsonValue] = [
        literal("/meta", {"by": "robot"}),
        bound("/report/text"),
        literal("/meta/at", None),
        literal("/a~1b/~0", [1]),
    ]
    suspend = asked({"request": request}, **{"/report/text": "# R"})
    payload = {"meta": {"by": "robot", "at": None}, "report": {"text": "# R"}, "a/b": {"~": [1]}}
    assert suspend.data["payload"] == payload
    assert request[0] == literal("/meta", {"by": "robot"})


def test_one_binding_may_give_the_whole_payload() -> None:
    assert asked({"request": [bound("")]}, **{"": {"x": 1}}).data["payload"] == {"x": 1}


def test_an_optional_value_that_is_not_there_is_left_out() -> None:
    assert asked({"request": [bound("/a"), literal("/b", 1)]}).data["payload"] == {"b": 1}


def test_a_payload_that_breaks_the_request_schema_fails_with_every_problem() -> None:
    schema: JsonObject = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n", "m"]}
    failure = failed({"request_schema": schema, "request": [bound("/n")]}, **{"/n": "one"})
    assert failure.code == "validation_error"
    assert failure.details is not None
    assert failure.details["kind"] == "issue_review"
    told: Any = failure.details["problems"]
    assert [(problem["pointer"], problem["keyword"]) for problem in told] == [("/m", "required"), ("/n", "type")]


def test_a_value_in_the_way_of_a_binding_fails_the_node_at_its_place() -> None:
    failure = failed({"request": [bound("/a"), literal("/a/b", 1)]}, **{"/a": "a text"})
    told: Any = (failure.details or {})["problems"]
    assert (failure.code, told[0]["pointer"]) == ("validation_error", "/a/b")


# --- Resume bindings --------------------------------------------------------------------------------------------------


def test_an_answer_is_put_out_under_its_outcome_and_written_into_variables() -> None:
    config: JsonObject = {
        "outcomes": ["submitted", "cancelled"],
        "resume": [
            {"source": "/approved", "target": "approved"},
            {"source": "/ids/1", "target": "second"},
            {"source": "/ids/7", "target": "untouched"},
            {"source": "", "target": "all"},
        ],
    }
    payload: JsonObject = {"approved": True, "ids": ["a", "b"]}
    result = answered(config, "cancelled", payload, {"approved": False, "untouched": 1})
    assert result.outputs == {"outcome": "cancelled", "payload": payload, "cancelled": payload}
    assert [event.payload for event in result.events] == [
        {"name": "approved", "next": True, "nodeId": "step", "previous": False},
        {"name": "second", "next": "b", "nodeId": "step"},
        {"name": "all", "next": payload, "nodeId": "step"},
    ]


def test_a_passed_deadline_fails_the_node() -> None:
    result = NODE.resume(context({"kind": "k", "timeoutMs": 5}), resolution(InterruptKind.CUSTOM, reason="timeout"))
    assert isinstance(result, Failed)
    assert (result.code, result.details) == ("interrupt_expired", {"kind": "custom", "timeoutMs": 5})


# --- Static validation ------------------------------------------------------------------------------------------------


def test_a_sound_configuration_has_no_problems() -> None:
    assert problems() == []
    assert problems(resume_schema=REVIEW, request=[bound("/a")], resume=[{"source": "/ids/0", "target": "v"}]) == []


@pytest.mark.parametrize("name", ["request_schema", "resume_schema"])
@pytest.mark.parametrize(
    ("schema", "pointer", "keyword"),
    [
        ({"type": "text"}, "/type", "enum"),
        ({"$schema": "https://acme.example/mine"}, "/$schema", "$schema"),
        ({"$ref": "https://acme.example/mine"}, "/$ref", "$ref"),
        ({"$ref": "#"}, "/$ref", "$ref"),
        ({"type": "object", "properties": {"a": {"pattern": "("}}}, "/properties/a/pattern", "pattern"),
        ({"type": "array"}, "/type", "not_an_object"),
        ({}, "/type", "not_an_object"),
        ({"type": ["object", "null"]}, "/type", "not_an_object"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"type": "string"}}}, "/type", "not_an_object"),
    ],
)
def test_a_schema_must_be_valid_and_describe_objects(name: str, schema: JsonObject, pointer: str, keyword: str) -> None:
    assert (f"/{name}{pointer}", keyword) in problems(**{name: schema})


def test_a_schema_may_say_by_reference_or_in_part_that_it_describes_objects() -> None:
    assert problems(resume_schema={"$ref": "#/$defs/a", "$defs": {"a": REVIEW}}) == []
    assert problems(resume_schema={"allOf": [REVIEW, {"minProperties": 1}]}) == []


def test_no_answer_may_be_asked_for_a_credential() -> None:
    schema: JsonObject = {"type": "object", "properties": {"password": {"type": "string"}}}
    assert problems(resume_schema=schema) == [("/resume_schema/properties/password", "credential_solicited")]
    assert problems(title="What is your password?") == [("/title", "credential_solicited")]


def test_a_resume_schema_as_deep_as_may_be_is_refused_where_the_answer_makes_it_deeper() -> None:
    deep: Any = {}
    for _ in range(15):
        deep = {"properties": {"a": deep}}
    assert check_schema({"type": "object", **deep}) == []
    assert problems(resume_schema={"type": "object", **deep}) == [("/resume_schema", "json")]


def test_a_schema_that_names_its_root_by_an_anchor_alone_is_refused() -> None:
    schema: JsonObject = {"$schema": DRAFT_07, "$id": "#me", "type": "object", "properties": {"a": {"$ref": "#me"}}}
    assert problems(resume_schema=schema) == [("/resume_schema/$id", "$id")]


@pytest.mark.parametrize("outcome", ["outcome", "payload"])
def test_an_outcome_cannot_have_the_name_of_what_is_always_put_out(outcome: str) -> None:
    assert problems(outcomes=["ok", outcome]) == [("/outcomes/1", "reserved")]


@pytest.mark.parametrize("pointer", ["a", "a/b", "/~", "/~2", "/a~", "#/a", "/" + "a/" * 249 + "~"])
def test_a_target_or_source_that_is_no_pointer_is_refused(pointer: str) -> None:
    assert problems(request=[bound(pointer)]) == [("/request/0/target", "pointer")]
    assert problems(resume=[{"source": pointer, "target": "v"}]) == [("/resume/0/source", "pointer")]


@pytest.mark.parametrize("pointer", ["/other", "/approved/deep", "/ids/first", "/ids/0/deep"])
def test_a_place_that_the_schema_closes_is_no_place_for_a_binding(pointer: str) -> None:
    assert problems(request_schema=REVIEW, request=[bound(pointer)]) == [("/request/0/target", "unknown_path")]
    resume: JsonValue = [{"source": pointer, "target": "v"}]
    assert problems(resume_schema=REVIEW, resume=resume) == [("/resume/0/source", "unknown_path")]


def test_a_place_that_only_a_combination_tells_of_is_taken_on_trust() -> None:
    schema: JsonObject = {"type": "object", "additionalProperties": False, "patternProperties": {"^x": True}}
    assert problems(request_schema=schema, request=[bound("/xyz")]) == []


def test_a_binding_has_one_source() -> None:
    neither: JsonObject = {"target": "/a"}
    assert problems(request=[neither, {**bound("/b"), "value": 1}]) == [
        ("/request/0", "oneOf"),
        ("/request/1", "oneOf"),
    ]


def test_the_source_of_a_binding_is_written_as_the_value_of_an_input() -> None:
    assert problems(request=[{"target": "/a", "from": {"type": "variable"}}]) == [
        ("/request/0/from/variableName", "required")
    ]
    assert problems(request=[{"target": "/a", "from": {"type": "secret"}}]) != []


def test_a_binding_must_not_replace_what_another_has_put() -> None:
    assert problems(request=[bound("/a/b"), bound("/a")]) == [("/request/1/target", "binding_way")]
    assert problems(request=[bound("/a"), bound("/a")]) == [("/request/1/target", "binding_way")]
    resume: JsonValue = [{"source": "/a", "target": "v"}, {"source": "/b", "target": "v"}]
    assert problems(resume=resume) == [("/resume/1/target", "unique")]
