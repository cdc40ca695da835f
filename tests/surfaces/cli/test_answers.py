"""Answers written as words: read as the schema says, and never changed into something that was not meant."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interrupts.contracts.types import JsonObject
from interrupts.contracts.validation import compile_schema, validate
from interrupts.errors import NotFound, ValidationFailed
from interrupts.surfaces.cli.answers import read_input

SCHEMA: JsonObject = {
    "type": "object",
    "properties": {
        "approved": {"type": "boolean"},
        "comment": {"type": "string"},
        "count": {"type": "integer"},
        "amount": {"type": "number"},
        "ids": {"type": "array", "items": {"type": "string"}},
        "scores": {"type": "array", "items": {"$ref": "#/$defs/score"}},
        "address": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "zip": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        },
        "lines": {"type": "array", "items": {"properties": {"amount": {"type": "number"}, "for": {"type": "string"}}}},
        "odd.name": {"type": "integer"},
        "grade": {"enum": [1, 2, 3]},
        "whatever": {},
    },
    "$defs": {"score": {"type": "integer"}},
}


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        (["approved=true"], {"approved": True}),
        (["approved=false", "comment=true"], {"approved": False, "comment": "true"}),
        (["comment=a=b"], {"comment": "a=b"}),
        (["comment="], {"comment": ""}),
        (['comment="quoted"'], {"comment": '"quoted"'}),
        (["count=3", "amount=12.50"], {"count": 3, "amount": 12.5}),
        (["ids=A-1"], {"ids": ["A-1"]}),
        (["ids=A-1", "ids=2"], {"ids": ["A-1", "2"]}),
        (['ids=["A-1", "2"]'], {"ids": ["A-1", "2"]}),
        (["scores=1", "scores=2"], {"scores": [1, 2]}),
        (["address.city=Lyon", "address.zip=69001"], {"address": {"city": "Lyon", "zip": 69001}}),
        (["address.zip=null"], {"address": {"zip": None}}),
        (['address={"city": "Lyon"}'], {"address": {"city": "Lyon"}}),
        (
            ["lines.0.amount=1.5", "lines.0.for=ink", "lines.1.amount=2"],
            {"lines": [{"amount": 1.5, "for": "ink"}, {"amount": 2}]},
        ),
        (["odd.name=7"], {"odd.name": 7}),
        (["/odd.name=7", "/address/city=Lyon"], {"odd.name": 7, "address": {"city": "Lyon"}}),
        (["grade=2"], {"grade": 2}),
        (["whatever=2", "unknown=yes", "other=[1]"], {"whatever": 2, "unknown": "yes", "other": [1]}),
        (["comment:=null", "count:=1.0"], {"comment": None, "count": 1.0}),
        (["é.ü=ß"], {"é": {"ü": "ß"}}),
    ],
)
def test_words_are_read_as_the_schema_says(words: list[str], answer: Any) -> None:
    assert read_input(words, SCHEMA) == answer


@pytest.mark.parametrize(
    ("word", "pointer"),
    [
        ("approved=maybe", "/approved"),
        ("approved=True", "/approved"),
        ("count=1.5", "/count"),
        ("count=NaN", "/count"),
        ("amount=1e400", "/amount"),
        ("amount=true", "/amount"),
        ("scores=x", "/scores/0"),
        ("address=Lyon", "/address"),
        ("grade=two", "/grade"),
    ],
)
def test_what_cannot_be_read_as_its_type_is_left_for_validation_to_name(word: str, pointer: str) -> None:
    problems = validate(compile_schema(SCHEMA), read_input([word], SCHEMA))
    assert [problem.pointer for problem in problems] == [pointer]


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["approved"], "approved: there is no such file."),
        (["approved=true", "answer.json"], "'answer.json' is not key=value. Give one file,"),
        (["=true"], "'=true' is not key=value."),
        (
            ["approved=true", "approved=false"],
            "'approved=false': “approved” was given before, and takes one value only.",
        ),
        (["comment=a", "comment.b=c"], "'comment.b=c': what this leads into was given a value of its own before."),
        (["lines.1.amount=1"], "'lines.1.amount=1': the items of a list are numbered from 0, one after the other."),
        (["ids.0=a", "ids.x=b"], "'ids.x=b': the items of a list are numbered from 0, one after the other."),
        (["ids.0=a", "ids.0=b"], "'ids.0=b': this item was given before."),
        (["comment:={"], "'comment:={': what follows ':=' is not JSON."),
        ([".".join("a" * 100) + "=1"], f"{('.'.join('a' * 100) + '=1')[:80]!r}: this leads deeper than 64 levels."),
        (["comment=" + "x" * 1_100_000], "The input cannot be sent: The JSON is larger than 1048576 bytes."),
        (["whatever=" + "[" * 63 + "]" * 63, "a.b:=" + "[" * 63 + "]" * 63], "The input cannot be sent: "),
    ],
)
def test_words_that_make_no_answer_are_told_in_one_line(words: list[str], told: str) -> None:
    with pytest.raises((ValidationFailed, NotFound)) as refused:
        read_input(words, SCHEMA)
    assert refused.value.message.startswith(told)
    assert len(refused.value.message) < 300


def test_one_word_without_an_equals_sign_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "answer.json"
    path.write_text('{"approved": true}')
    assert read_input([str(path)], SCHEMA) == {"approved": True}


@pytest.mark.parametrize(
    "schema",
    [
        True,
        {},
        {"$ref": "#"},
        {"$ref": "#/nowhere"},
        {"$ref": "https://example.org/x"},
        {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}},
        {"properties": {"a": {"items": [], "type": 7, "enum": 3, "required": {}}}, "anyOf": {}, "required": "a"},
    ],
)
def test_a_schema_that_says_nothing_leaves_words_as_json_or_text(schema: Any) -> None:
    assert read_input(["a=1", "b=x"], schema) == {"a": 1, "b": "x"}


@given(
    st.dictionaries(st.from_regex(r"\A[a-z]{1,8}\Z"), st.text(st.characters(codec="utf-8", exclude_characters="\0")))
)
def test_text_is_never_changed(members: dict[str, str]) -> None:
    schema: JsonObject = {"additionalProperties": False, "properties": {name: {"type": "string"} for name in members}}
    words = [f"{name}={text}" for name, text in members.items()]
    if words:
        assert read_input(words, schema) == members
