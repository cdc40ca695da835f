"""The shapes in which answers to questions come (wire contract §14, §25 row 35)."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import cast

import pytest

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import ValidationFailed
from interrupts.kinds.base import OpenInterrupt
from interrupts.kinds.clarification import Clarification, answers_in, question_problems
from interrupts.vocabulary import InterruptKind

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
TWO: JsonObject = {
    "questions": [
        {"id": "colour", "question": "Which colour?", "schema": {"enum": ["blue", "red"]}},
        {"id": "why", "question": "Why?"},
    ]
}


def interrupt(data: JsonObject) -> OpenInterrupt:
    kind = InterruptKind.CLARIFICATION
    return OpenInterrupt("acme/i", "acme", "acme/r", "flow", "ask", kind, data, NOW, None, {})


def refused(data: JsonObject, value: JsonValue) -> list[tuple[str, str]]:
    with pytest.raises(ValidationFailed) as caught:
        Clarification().parse(interrupt(data), value, now=NOW)
    problems = cast("list[dict[str, str]]", caught.value.details["problems"])
    return [(problem["pointer"].removeprefix("/resumeValue"), problem["keyword"]) for problem in problems]


def asking(*ids: str) -> JsonObject:
    return {"questions": [{"id": name, "question": "?"} for name in ids]}


@pytest.mark.parametrize(
    "value",
    [
        {"colour": "blue", "why": None},
        {"answers": {"why": None, "colour": "blue"}},
        {"answers": [{"id": "why", "answer": None}, {"id": "colour", "answer": "blue"}]},
        {"answers": [{"id": "colour", "answer": "blue", "more": 1}, {"id": "why", "answer": None}], "note": "x"},
        {"colour": "blue", "why": None, "answers": {"colour": "purple"}},
    ],
)
def test_each_known_shape_is_kept_as_sent_and_read_as_answers_by_question(value: JsonValue) -> None:
    assert Clarification().parse(interrupt(TWO), value, now=NOW) is value
    assert answers_in(TWO, value) == {"colour": "blue", "why": None}
    assert list(answers_in(TWO, value)) == ["colour", "why"]


@pytest.mark.parametrize(
    ("value", "problems"),
    [
        ("blue", [("", "type"), ("/colour", "required"), ("/why", "required")]),
        (None, [("", "type"), ("/colour", "required"), ("/why", "required")]),
        ({}, [("/colour", "required"), ("/why", "required")]),
        ({"why": 1}, [("/colour", "required")]),
        ({"answers": {"colour": "blue"}}, [("/why", "required")]),
        ({"answers": {"colour": "blue", "why": 1, "who": 1}}, [("/answers/who", "unknown_question")]),
        ({"answers": {"colour": "green", "why": 1}}, [("/answers/colour", "enum")]),
        ({"colour": "green", "why": 1}, [("/colour", "enum")]),
        ({"answers": [{"id": "colour", "answer": "green"}]}, [("/answers/0/answer", "enum"), ("/why", "required")]),
        ({"answers": [{"id": "colour", "answer": "red"}, "why"]}, [("/answers/1", "required"), ("/why", "required")]),
        ({"answers": "blue"}, [("/colour", "required"), ("/why", "required")]),
        (
            {"answers": [{"id": "why", "answer": 1}, {"id": "why", "answer": 2}, {"id": "colour", "answer": "red"}]},
            [("/answers/1/id", "unique")],
        ),
        (
            {"answers": [{"id": 7, "answer": 1}, {"id": "x/~y", "answer": 1}]},
            [("/answers/0", "required"), ("/answers/1/id", "unknown_question"), ("/colour", "required"),
             ("/why", "required")],
        ),
    ],
)  # fmt: skip
def test_what_is_no_answer_is_told_at_its_place(value: JsonValue, problems: list[tuple[str, str]]) -> None:
    assert refused(TWO, value) == problems


def test_a_question_called_answers_is_answered_at_the_top() -> None:
    data = asking("answers")
    for value in ("blue", {"answers": 1}, [1]):
        assert answers_in(data, {"answers": value}) == {"answers": value}


@pytest.mark.parametrize("question_id", ["__proto__", "a/b~c", "constructor", " ", "ä", "0", "x" * 256])
def test_an_id_is_only_a_name(question_id: str) -> None:
    data = asking(question_id)
    assert answers_in(data, {question_id: 1}) == {question_id: 1}
    assert answers_in(data, {"answers": {question_id: 1}}) == {question_id: 1}
    assert len(refused(data, {"other": 1})) == 1


def test_a_nested_problem_is_told_by_the_pointer_into_what_was_sent() -> None:
    schema: JsonObject = {"type": "object", "properties": {"day": {"type": "integer"}}}
    data: JsonObject = {"questions": [{"id": "when", "question": "When?", "schema": schema}]}
    assert refused(data, {"answers": [{"id": "when", "answer": {"day": "Monday"}}]}) == [
        ("/answers/0/answer/day", "type")
    ]


def test_one_answer_that_cannot_be_checked_in_time_ends_the_checking() -> None:
    bomb: JsonObject = {"$ref": "#/$defs/0", "$defs": {"30": {"type": "integer"}}}
    defs = cast("JsonObject", bomb["$defs"])
    defs |= {str(n): {"allOf": [{"$ref": f"#/$defs/{n + 1}"}, {"$ref": f"#/$defs/{n + 1}"}]} for n in range(30)}
    data: JsonObject = {"questions": [{"id": str(n), "question": "?", "schema": bomb} for n in range(50)]}
    assert refused(data, {str(n): 1 for n in range(50)}) == [("/0", "budget")]


def test_ids_are_unique_and_questions_few() -> None:
    assert [(p.pointer, p.keyword) for p in question_problems(asking("a", "b", "a"))] == [("/questions/2/id", "unique")]
    assert list(question_problems(asking(*map(str, range(100))))) == []
    assert [p.keyword for p in question_problems(asking(*map(str, range(101))))] == ["maxItems"]
