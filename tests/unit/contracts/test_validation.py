"""What validation says: one problem a person can put right, at its place, in our words."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.validation import SchemaRefused, compile_schema, validate

DRAFT_07 = "http://json-schema.org/draft-07/schema#"
ASKED = " of the kind that is asked for"
DRAFT_04 = "http://json-schema.org/draft-04/schema#"


def problems(schema: Any, value: Any) -> list[tuple[str, str, str]]:
    found = validate(compile_schema(schema), value)
    return [(problem.pointer, problem.keyword, problem.message) for problem in found]


def keywords(schema: Any, value: Any) -> list[tuple[str, str]]:
    return [(pointer, keyword) for pointer, keyword, _ in problems(schema, value)]


def test_each_missing_member_is_a_problem_at_the_member() -> None:
    schema = {"properties": {"a": {"required": ["x", "y", "z"]}}}
    assert problems(schema, {"a": {"y": 1}}) == [
        ("/a/x", "required", "This is required."),
        ("/a/z", "required", "This is required."),
    ]


def test_a_member_that_another_one_asks_for_is_a_problem_at_the_member() -> None:
    message = "This is required when card is given."
    assert problems({"dependentRequired": {"card": ["name"]}}, {"card": 1}) == [("/name", "dependentRequired", message)]
    legacy = {"$schema": DRAFT_07, "dependencies": {"card": ["name"], "b": {"required": ["c"]}}}
    assert problems(legacy, {"card": 1, "b": 1}) == [
        ("/c", "required", "This is required."),
        ("/name", "dependencies", message),
    ]


def test_each_unknown_member_is_a_problem_at_itself() -> None:
    schema = {"properties": {"a": {}}, "patternProperties": {"^x-": {}}, "additionalProperties": False}
    assert problems(schema, {"a": 1, "x-1": 1, "b/c": 1, "~": 1}) == [
        ("/b~1c", "additionalProperties", "This member is not known here."),
        ("/~0", "additionalProperties", "This member is not known here."),
    ]


def test_unevaluated_members_and_items_are_problems_at_themselves() -> None:
    schema = {
        "allOf": [{"properties": {"a": True}}],
        "patternProperties": {"^x-": {}},
        "properties": {"list": {"prefixItems": [True], "unevaluatedItems": False}},
        "unevaluatedProperties": False,
    }
    assert keywords(schema, {"a": 1, "x-b": 1, "list": [1, 2, 3], "c": 1}) == [
        ("/c", "unevaluatedProperties"),
        ("/list/1", "unevaluatedItems"),
        ("/list/2", "unevaluatedItems"),
    ]


def test_a_false_schema_is_a_problem_at_the_place_it_forbids() -> None:
    schema = {"properties": {"a": False}, "items": False, "prefixItems": [True, False]}
    assert problems(schema, {"a": 1}) == [("/a", "false", "Nothing is allowed here.")]
    assert keywords(schema, [1, 2, 3]) == [("/1", "false"), ("/2", "false")]
    assert problems(False, 1) == [("", "false", "Nothing is allowed here.")]
    assert problems({"$ref": "#/$defs/no", "$defs": {"no": False}}, 1) == [("", "false", "Nothing is allowed here.")]
    assert problems(True, 1) == []


def test_a_choice_reports_the_branch_that_comes_closest() -> None:
    schema = {
        "oneOf": [
            {"properties": {"kind": {"const": "card"}, "number": {"type": "string"}}, "required": ["kind", "number"]},
            {"properties": {"kind": {"const": "cash"}, "amount": {"minimum": 1}}, "required": ["kind", "amount"]},
            {"type": "string"},
        ]
    }
    assert problems(schema, {"kind": "cash", "amount": 0}) == [
        ("/amount", "minimum", "0 is too small: at least 1 is allowed.")
    ]
    assert keywords(schema, {"kind": "card"}) == [("/number", "required")]


def test_a_choice_without_a_closest_branch_is_a_problem_itself() -> None:
    schema = {"properties": {"a": {"anyOf": [{"required": ["x"]}, {"required": ["y"]}]}}}
    assert problems(schema, {"a": {}}) == [("/a", "anyOf", "This matches none of the forms that are allowed here.")]


def test_a_choice_of_types_or_of_constants_says_what_there_is_to_choose() -> None:
    assert problems({"oneOf": [{"type": "string"}, {"type": ["null", "integer"]}]}, []) == [
        ("", "type", "This must be text or nothing (null) or a whole number.")
    ]
    assert problems({"anyOf": [{"const": "a"}, {"const": "b"}, {"enum": ["c", 1]}]}, "z") == [
        ("", "enum", 'This must be one of: "a", "b", "c", 1.')
    ]


def test_two_matching_branches_are_named() -> None:
    assert problems({"oneOf": [{"type": "null"}, {"minimum": 1}, {"minimum": 2}]}, 3) == [
        ("", "oneOf", "This matches more than one of the forms that are allowed here: number 2 and 3.")
    ]


def test_nested_choices_are_reported_with_their_whole_pointer() -> None:
    inner = {"anyOf": [{"type": "object", "properties": {"n": {"type": "integer"}}}, {"type": "null"}]}
    schema = {"items": {"oneOf": [{"type": "object", "properties": {"v": inner}}, {"type": "string"}]}}
    assert keywords(schema, [{"v": {"n": "x"}}]) == [("/0/v/n", "type")]


def test_equal_items_are_named_by_their_numbers() -> None:
    assert problems({"uniqueItems": True}, [1, True, {"a": [1, 2]}, {"a": [1.0, 2]}]) == [
        ("", "uniqueItems", "Items 3 and 4 of this list are the same.")
    ]


def test_a_name_that_is_not_allowed_is_a_problem_at_the_member() -> None:
    schema = {"propertyNames": {"maxLength": 2}}
    assert problems(schema, {"abc": 1, "ab": 1}) == [
        ("/abc", "propertyNames", "This name is not allowed here. This must have at most 2 characters.")
    ]


def test_conditions_report_what_they_ask_for() -> None:
    schema = {"if": {"properties": {"a": {"const": 1}}}, "then": {"required": ["b"]}, "else": {"required": ["c"]}}
    assert keywords(schema, {"a": 1}) == [("/b", "required")]
    assert keywords(schema, {"a": 2}) == [("/c", "required")]


@pytest.mark.parametrize(
    ("schema", "value", "message"),
    [
        ({"type": "object"}, 1, "This must be an object."),
        ({"type": ["string", "null"]}, 1, "This must be text or nothing (null)."),
        ({"enum": ["a", None, {"b": 1}]}, 1, 'This must be one of: "a", null, {"b": 1}.'),
        ({"enum": list(range(12))}, 99, "This must be one of: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 2 more."),
        ({"const": True}, 1, "This must be true."),
        ({"minLength": 1}, "", "This must have at least 1 character."),
        ({"maxLength": 2}, "abc", "This must have at most 2 characters."),
        ({"minimum": 2}, 1.5, "1.5 is too small: at least 2 is allowed."),
        ({"maximum": 2}, 3, "3 is too large: at most 2 is allowed."),
        ({"exclusiveMinimum": 2}, 2, "2 is too small: it must be more than 2."),
        ({"exclusiveMaximum": 2}, 2, "2 is too large: it must be less than 2."),
        ({"multipleOf": 0.1}, 0.25, "0.25 is not a multiple of 0.1."),
        ({"minItems": 2}, [], "This list must have at least 2 items."),
        ({"maxItems": 1}, [1, 2], "This list must have at most 1 item."),
        ({"minProperties": 1}, {}, "This object must have at least 1 member."),
        ({"maxProperties": 0}, {"a": 1}, "This object must have at most 0 members."),
        ({"contains": {"const": 1}}, [2], "This list lacks an item of the kind that is asked for."),
        ({"contains": {"const": 1}, "minContains": 2}, [1], f"This list must have at least 2 items{ASKED}."),
        ({"contains": {"const": 1}, "maxContains": 1}, [1, 1], f"This list must have at most 1 item{ASKED}."),
        ({"not": {"type": "null"}}, None, "This value is one of those that are not allowed here."),
        ({"pattern": "^a"}, "b", '"b" does not match the pattern ^a.'),
        ({"format": "date"}, "2031-13-01", '"2031-13-01" is not a date, such as 2031-05-17.'),
        ({"format": "email"}, "x", '"x" is not an e-mail address.'),
        ({"$schema": DRAFT_04, "minimum": 1, "exclusiveMinimum": True}, 1, "1 is too small: it must be more than 1."),
        ({"$schema": DRAFT_07, "items": [{}], "additionalItems": False}, [1, 2], "This item is one too many."),
    ],
)  # fmt: skip
def test_every_keyword_has_words_of_its_own(schema: Any, value: Any, message: str) -> None:
    assert [found for _, _, found in problems(schema, value)] == [message]


def test_long_values_are_shown_short() -> None:
    [(_, _, message)] = problems({"pattern": "^b"}, "a" * 500)
    assert message == '"' + "a" * 78 + "… does not match the pattern ^b."
    [(_, _, message)] = problems({"const": ["x" * 200]}, 1)
    assert len(message) < 110


def test_numbers_are_compared_as_they_are_written() -> None:
    assert problems({"multipleOf": 0.1}, 0.3) == []
    assert problems({"multipleOf": 0.01}, 4.35) == []
    assert problems({"multipleOf": 1e-300}, 1e300) == []
    assert problems({"const": 1}, 1.0) == []
    assert keywords({"const": 1}, True) == [("", "const")]
    assert keywords({"enum": [0, "false"]}, False) == [("", "enum")]
    assert keywords({"maximum": 1.5}, 10**400) == [("", "maximum")]


def test_patterns_are_read_as_ecmascript() -> None:
    assert problems({"pattern": "^\\p{Letter}+$"}, "é") == []
    assert keywords({"pattern": "^\\d$"}, "٣") == [("", "pattern")]
    assert problems({"pattern": "^(?!no)"}, "yes") == []


def test_formats_are_asserted_in_every_dialect_and_unknown_ones_are_remarks() -> None:
    for dialect in (DRAFT_04, DRAFT_07, "https://json-schema.org/draft/2020-12/schema"):
        assert keywords({"$schema": dialect, "format": "ipv4"}, "1.2.3") == [("", "format")]
    assert problems({"format": "shoe-size"}, "x") == []
    assert problems({"format": "date"}, 5) == []


def test_references_inside_the_document_are_followed() -> None:
    schema = {
        "$defs": {"node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "n": {"$ref": "#count"}}},
                  "count": {"$anchor": "count", "type": "integer"}},
        "$ref": "#/$defs/node",
    }  # fmt: skip
    assert keywords(schema, {"next": {"next": {"n": "x"}}}) == [("/next/next/n", "type")]
    assert keywords({"properties": {"a": {"$ref": "#"}}, "type": "object"}, {"a": {"a": 1}}) == [("/a/a", "type")]


def test_a_reference_to_the_root_keeps_the_bounded_keywords() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "properties": {"again": {"$ref": "#"}, "text": {"pattern": "^(a+)+$"}},
    }
    assert keywords(schema, {"again": {"again": {"text": "a" * 60 + "!"}}}) == [("/again/again/text", "pattern")]


def test_problems_come_sorted_without_repeats_and_at_most_a_hundred() -> None:
    schema: Any = {"allOf": [{"items": {"type": "string"}}, {"items": {"type": "string"}}]}
    found = validate(compile_schema(schema), list(range(300)))
    assert len(found) == 100
    assert found == sorted(set(found))
    assert validate(compile_schema(schema), list(range(300))) == found


def test_a_compiled_schema_is_cached_and_untouched_by_later_changes() -> None:
    schema: dict[str, Any] = {"type": "object", "required": ["a"]}
    compiled = compile_schema(schema)
    assert compile_schema({"required": ["a"], "type": "object"}) is compiled
    schema["required"].append("b")
    assert [problem.pointer for problem in validate(compiled, {})] == ["/a"]
    assert compile_schema(schema) is not compiled


def test_a_refused_schema_is_not_compiled() -> None:
    with pytest.raises(SchemaRefused) as caught:
        compile_schema({"type": 5})
    words = 'This must be one of: "array", "boolean", "integer", "null", "number", "object", "string".'
    assert caught.value.problems == [Problem("/type", "enum", words)]
    assert str(caught.value) == f"/type: {words}"


def test_pointers_are_escaped() -> None:
    assert to_pointer(["a/b", "~", 0, ""]) == "/a~1b/~0/0/"
    assert to_pointer([]) == ""
