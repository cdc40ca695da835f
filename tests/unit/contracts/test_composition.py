"""Schemas put into other schemas mean there what they mean alone."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.contracts.admission import check_schema
from interrupts.contracts.composition import closed_object, embedded, embedding_problems
from interrupts.contracts.dialects import DIALECTS, DRAFT_04, DRAFT_2019_09, DRAFT_2020_12, dialect_of
from interrupts.contracts.types import JsonObject, JsonSchema
from interrupts.contracts.validation import compile_schema, validate

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
TREE: JsonObject = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "inner": {"$ref": "#"}},
    "additionalProperties": False,
}
# Each schema with a value that it takes and one that it does not.
REFERRING: list[tuple[JsonObject, Any, Any]] = [
    ({"$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}, 1, "1"),
    ({"properties": {"a": {"$ref": "#/$defs/n"}}, "$defs": {"n": {"minimum": 3}}}, {"a": 3}, {"a": 2}),
    ({"$schema": DRAFT_07, "$ref": "#/definitions/n", "definitions": {"n": {"type": "integer"}}}, 1, "1"),
    (
        {"$schema": DRAFT_07, "items": {"$ref": "#/definitions/n"}, "definitions": {"n": {"type": "integer"}}},
        [1],
        ["1"],
    ),
    ({"$schema": DRAFT_04.uri, "items": {"$ref": "#/definitions/n"}, "definitions": {"n": {"minimum": 3}}}, [3], [2]),
    ({"$id": "https://acme.example/n", "$ref": "#/$defs/n", "$defs": {"n": {"type": "integer"}}}, 1, "1"),
    ({"$id": "urn:acme:n", "$ref": "urn:acme:n#/$defs/n", "$defs": {"n": {"minimum": 3}}}, 3, 2),
    ({"$id": "tree.json", "$ref": "tree.json#/$defs/n", "$defs": {"n": {"minimum": 3}}}, 3, 2),
    ({"$ref": "#n", "$defs": {"n": {"$anchor": "n", "type": "integer"}}}, 1, "1"),
    ({"$ref": "inner", "$defs": {"n": {"$id": "inner", "type": "integer"}}}, 1, "1"),
    (TREE, {"name": "a", "inner": {"inner": {"name": "b"}}}, {"inner": {"inner": {"name": 1}}}),
    ({"$schema": DRAFT_07, **TREE}, {"inner": {"name": "b"}}, {"inner": {"more": 1}}),
    ({"$schema": DRAFT_2019_09.uri, "items": {"$recursiveRef": "#"}, "type": "array"}, [[]], [1]),
    ({"$schema": DRAFT_07, "dependencies": {"a": ["b"], "c": {"minProperties": 2}}}, {"a": 1, "b": 1}, {"a": 1}),
    ({"type": "string", "maxLength": 2}, "ab", "abc"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "good", "bad"), REFERRING, ids=lambda value: str(value)[:50])
def test_references_of_a_schema_inside_another_lead_where_they_led_alone(
    schema: JsonObject, good: Any, bad: Any
) -> None:
    alone = compile_schema(schema)
    assert (validate(alone, good), bool(validate(alone, bad))) == ([], True)
    dialect = dialect_of(schema)
    members: dict[str, JsonSchema] = {"outcome": {"enum": ["a"]}, "payload": embedded(schema, into=dialect)}
    outer = closed_object(members, dialect=dialect)
    assert check_schema(outer) == []
    inside = compile_schema(outer)
    assert validate(inside, {"outcome": "a", "payload": good}) == []
    told = validate(inside, {"outcome": "a", "payload": bad})
    assert told == [type(p)(f"/payload{p.pointer}", p.keyword, p.message) for p in validate(alone, bad)]


def test_a_closed_object_asks_for_each_of_its_members_and_for_no_other() -> None:
    schema = closed_object({"a": {"type": "string"}}, dialect=DRAFT_2020_12)
    assert schema == {
        "type": "object",
        "properties": {"a": {"type": "string"}},
        "additionalProperties": False,
        "required": ["a"],
    }
    assert "required" not in closed_object({}, dialect=DRAFT_2020_12)


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=lambda dialect: dialect.name)
def test_a_schema_of_another_dialect_is_no_rule_at_all(dialect: Any) -> None:
    others = [uri for uri in DIALECTS if uri != dialect.uri]
    assert [embedded({"$schema": uri, "type": "string"}, into=dialect) for uri in others] == [{}] * len(others)


def test_a_root_that_names_itself_by_an_anchor_alone_cannot_be_moved() -> None:
    (problem,) = embedding_problems({"$schema": DRAFT_07, "$id": "#root", "items": {"$ref": "#root"}})
    assert (problem.pointer, problem.keyword) == ("/$id", "$id")
    assert embedding_problems({"$id": "https://acme.example/n"}) == []
