"""The gate for schemas that people write: every reason, by a pointer into the schema."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from interrupts.contracts.admission import check_schema
from interrupts.contracts.problems import Problem
from interrupts.contracts.validation import SchemaRefused, compile_schema, validate

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
DRAFT_2019 = "https://json-schema.org/draft/2019-09/schema"
DRAFT_2020 = "https://json-schema.org/draft/2020-12/schema"
CIRCLE = "This refers back to itself without ever getting to a smaller value."


def pointers(schema: Any) -> list[str]:
    return [problem.pointer for problem in check_schema(schema)]


@pytest.mark.parametrize(
    "schema",
    [
        True,
        False,
        {},
        {"$schema": "http://json-schema.org/draft-04/schema#", "id": "urn:a", "minimum": 1, "exclusiveMinimum": True},
        {"$schema": "http://json-schema.org/draft-06/schema#", "contains": {"const": 1}},
        {"$schema": DRAFT_07.removesuffix("#"), "items": [{"type": "string"}], "additionalItems": False},
        {"$schema": DRAFT_2019, "$recursiveAnchor": True, "items": {"$recursiveRef": "#"}},
        {"$schema": DRAFT_2020, "$dynamicAnchor": "n", "items": {"$dynamicRef": "#n"}},
        {"$id": "https://example.org/a", "$defs": {"b": {"$id": "b", "type": "string"}}, "items": {"$ref": "b"}},
        {"pattern": "^\\p{Letter}+$", "patternProperties": {"^(?!x-)": {}, "^(a+)+$": {}}},
        {"properties": {"$ref": {"type": "string"}, "pattern": {"type": "string"}, "$schema": {"type": "string"}}},
        {"const": {"$ref": "http://example.org/", "pattern": "("}, "default": {"$schema": "x"}},
        {"examples": [{"type": 5}], "enum": [{"$ref": "#/none"}]},
        {"x-anything": {"type": 5}, "unknown": [1]},
        {"properties": {"a": {"$ref": "#/properties/b"}, "b": {"$ref": "#/$defs/c"}}, "$defs": {"c": {"type": "null"}}},
    ],
)  # fmt: skip
def test_sound_schemas_of_all_five_dialects_pass(schema: Any) -> None:
    assert check_schema(schema) == []


@pytest.mark.parametrize("schema", [None, 1, "x", []])
def test_what_is_no_object_and_no_boolean_is_no_schema(schema: Any) -> None:
    assert check_schema(schema) == [Problem("", "type", "A schema is an object, or true or false.")]


def test_the_text_of_a_schema_keeps_the_rules_of_json() -> None:
    assert check_schema({"minimum": float("nan")}) == [Problem("", "json", "NaN is not a JSON number.")]
    assert [p.keyword for p in check_schema({"title": "\x00"})] == ["json"]
    assert [p.keyword for p in check_schema({"title": "\ud800"})] == ["json"]
    with pytest.raises(SchemaRefused, match="surrogate"):
        compile_schema({"title": "\ud800"})


def test_size_depth_and_number_of_schemas_are_limited() -> None:
    assert check_schema({"title": "é" * 131_000}) == []
    assert check_schema({"title": "é" * 131_100}) == [Problem("", "json", "The schema is larger than 262144 bytes.")]
    assert check_schema(json.loads('{"not":' * 31 + "{}" + "}" * 31)) == []
    too_deep = json.loads('{"not":' * 32 + "{}" + "}" * 32)
    assert check_schema(too_deep) == [Problem("", "json", "Lists and objects are nested deeper than 32 levels.")]
    with pytest.raises(SchemaRefused, match="nested deeper than 32 levels"):
        compile_schema(too_deep)
    assert check_schema({"properties": {str(i): {} for i in range(4_999)}}) == []
    too_many = [Problem("", "json", "The schema holds more than 5000 schemas.")]
    assert check_schema({"properties": {str(i): {} for i in range(5_000)}}) == too_many


def test_only_the_five_dialects_are_known() -> None:
    for named in ("https://example.org/dialect", "http://json-schema.org/draft-03/schema#", 5, None):
        assert pointers({"$schema": named}) == ["/$schema"]
    [problem] = check_schema({"$schema": "x"})
    assert problem.message.startswith(
        "This dialect is not known here. Known are: http://json-schema.org/draft-04/schema,"
    )


def test_own_vocabularies_and_foreign_dialects_inside_are_refused() -> None:
    schema: Any = {"$vocabulary": {}, "items": {"$vocabulary": {}}, "properties": {"a": {"$schema": DRAFT_07}}}
    assert pointers(schema) == ["/$vocabulary", "/items/$vocabulary", "/properties/a/$schema"]


def test_the_meta_schema_is_checked_with_every_problem_at_its_place() -> None:
    schema: Any = {"type": "strnig", "properties": {"a/b": {"minLength": -1, "required": "x"}}, "items": [1]}
    found = [(problem.pointer, problem.keyword) for problem in check_schema(schema)]
    assert found == [
        ("/items", "type"),
        ("/properties/a~1b/minLength", "minimum"),
        ("/properties/a~1b/required", "type"),
        ("/type", "enum"),
    ]


@pytest.mark.parametrize(
    "reference",
    [
        "http://example.org/a.json", "file:///etc/hosts", "other.json", "#/$defs/none", "#none", "#/allOf/x", "#/%",
        "http://[",
    ],
)  # fmt: skip
def test_a_reference_that_leaves_the_document_or_leads_nowhere_is_refused(reference: str) -> None:
    assert check_schema({"allOf": [True], "properties": {"a": {"$ref": reference}}}) == [
        Problem(
            "/properties/a/$ref",
            "$ref",
            f'"{reference}" leads nowhere inside this document, and nothing outside it is ever fetched.',
        )
    ]


def test_a_reference_to_data_is_refused() -> None:
    assert check_schema({"title": "x", "items": {"$ref": "#/title"}}) == [
        Problem("/items/$ref", "$ref", '"#/title" does not lead to a schema.')
    ]


def test_the_meta_schemas_are_outside_the_document_too() -> None:
    assert pointers({"$ref": DRAFT_07}) == ["/$ref"]


def test_identifiers_that_are_no_uri_are_refused() -> None:
    assert pointers({"properties": {"a": {"$id": "http://[", "items": {"$id": "b"}}}}) == ["/properties/a/items"]


@pytest.mark.parametrize(
    ("schema", "where"),
    [
        ({"$ref": "#"}, ["/$ref"]),
        ({"allOf": [{"anyOf": [{"$ref": "#"}]}]}, ["/allOf/0/anyOf/0/$ref"]),
        ({"properties": {"a": {"$ref": "#/properties/a"}}}, ["/properties/a/$ref"]),
        ({"$defs": {"a": {"not": {"$ref": "#/$defs/b"}}, "b": {"if": {"$ref": "#/$defs/a"}}}}, ["/$defs/a/not/$ref"]),
        ({"dependentSchemas": {"a": {"oneOf": [{"$ref": "#"}]}}}, ["/dependentSchemas/a/oneOf/0/$ref"]),
        ({"$dynamicAnchor": "x", "then": {"$dynamicRef": "#x"}}, ["/then/$dynamicRef"]),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}, ["/$defs/b/$ref"]),
    ],
)
def test_a_circle_without_progress_is_refused(schema: Any, where: list[str]) -> None:
    found = check_schema(schema)
    assert [problem.message for problem in found] == [CIRCLE]
    assert len(found) == len(where)


def test_a_circle_with_progress_passes() -> None:
    tree: Any = {
        "$defs": {"n": {"allOf": [{"properties": {"c": {"items": {"$ref": "#/$defs/n"}}}}]}},
        "$ref": "#/$defs/n",
    }
    assert check_schema(tree) == []
    assert [p.pointer for p in validate(compile_schema({**tree, "type": "object"}), [])] == [""]


def test_patterns_must_compile_and_be_short() -> None:
    schema: Any = {
        "pattern": "(",
        "patternProperties": {"[": True, "^ok$": {"pattern": "a" * 1_001}},
        "items": {"pattern": "(a{1,1000}){1,1000}"},
        "not": {"pattern": "(?=a)((a{1,1000}){1,1000})"},
    }
    assert pointers(schema) == [
        "/items/pattern",
        "/not/pattern",
        "/pattern",
        "/patternProperties/[",
        "/patternProperties/^ok$/pattern",
    ]


def test_what_only_a_reference_reaches_is_checked_like_the_rest() -> None:
    hidden: Any = {"$ref": "#/x/y", "x": {"y": {"minLength": "a"}}}
    assert check_schema(hidden) == [Problem("/x/y/minLength", "type", "This must be a whole number.")]
    assert pointers({"$ref": "#/x/y", "x": {"y": {"items": {"pattern": "("}}}}) == ["/x/y/items/pattern"]
    assert pointers({"$ref": "#/x/y", "x": {"y": {"$vocabulary": {}}}}) == ["/x/y/$vocabulary"]
    assert pointers({"$ref": "#/x", "x": {"$ref": "#/y/z", "y": 1}, "y": {"z": {"type": 1}}}) == ["/y/z/type"]


@pytest.mark.parametrize(
    ("dialect", "keyword"), [(DRAFT_07, "$defs"), (DRAFT_2020, "x"), (DRAFT_07, "dependentSchemas")]
)
def test_a_place_that_the_dialect_has_no_schemas_in_is_checked_when_referred_to(dialect: str, keyword: str) -> None:
    schema = {"$schema": dialect, "items": {"$ref": f"#/{keyword}/a"}, keyword: {"a": {"type": "x"}}}
    assert pointers(schema) == [f"/{keyword}/a/type"]


def test_keywords_of_a_later_dialect_mean_nothing() -> None:
    schema: Any = {"$schema": DRAFT_2019, "prefixItems": 5, "unevaluatedItems": False}
    assert [p.pointer for p in validate(compile_schema(schema), [1])] == ["/0"]
    assert validate(compile_schema({"$schema": DRAFT_07, "prefixItems": [False], "minContains": "x"}), [1]) == []


def test_both_forms_of_dependencies_may_stand_side_by_side() -> None:
    schema: Any = {"$schema": DRAFT_07, "dependencies": {"a": {"required": ["b"]}, "c": ["d"]}}
    assert [p.pointer for p in validate(compile_schema(schema), {"a": 1, "c": 1})] == ["/b", "/d"]


def test_schemas_that_take_another_engine_minutes_are_admitted_in_a_moment() -> None:
    def level(number: int) -> dict[str, Any]:
        next_ = {"$ref": f"#/$defs/d{number + 1}"}
        return {"anyOf": [next_, {"properties": {"a": next_}}, {"unevaluatedProperties": False, **next_}]}

    schema: Any = {"$defs": {f"d{i}": level(i) for i in range(30)} | {"d30": {}}, "$ref": "#/$defs/d0"}
    start = time.thread_time()
    assert check_schema(schema) == []
    large: Any = {"properties": {f"p{i}": {"type": "string", "title": 3} for i in range(4_900)}}
    assert len(check_schema(large)) == 100
    assert time.thread_time() - start < 8.0
