"""Clarifications: questions, each with an answer that fits it (interrupt.md §Payload; wire contract §14)."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import ClassVar, Final, cast

from interrupts.contracts.composition import closed_object, embedded
from interrupts.contracts.dialects import DRAFT_2020_12, Dialect, dialect_of
from interrupts.contracts.problems import UNCHECKED, Problem, to_pointer
from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.kinds.base import Contract, OpenInterrupt, SingleAnswer, submission
from interrupts.problems import validation_failed
from interrupts.vocabulary import InterruptKind

# Each answer is validated on its own: the bound keeps the work for one request small.
MAX_QUESTIONS: Final = 100

# Where each answer was found in the value, and the answer.
_Found = dict[str, tuple[str, JsonValue]]


class Clarification(SingleAnswer):
    """Takes the three shapes in which answers are sent; every question needs its answer."""

    kind: ClassVar[InterruptKind] = InterruptKind.CLARIFICATION

    def derived(self, interrupt: OpenInterrupt) -> Contract:
        """An object with a member for each question, which the question's own schema binds."""
        questions = _questions(interrupt.data)
        dialect = _dialect(questions)
        members = {cast("str", question["id"]): _member(question, dialect) for question in questions}
        return submission(self, closed_object(members, dialect=dialect), typed=True)

    def parse(self, interrupt: OpenInterrupt, value: JsonValue, *, now: datetime) -> JsonValue:
        questions = _questions(interrupt.data)
        found, problems = _find(questions, value)
        for question in questions:
            problems += _answer_problems(question, found)
            if problems and problems[-1].keyword in UNCHECKED:
                break  # One answer that takes too long to check is enough: the run is locked meanwhile.
        if problems:
            raise validation_failed(sorted(problems), base="/resumeValue")
        return value


def answers_in(data: JsonObject, value: JsonValue) -> JsonObject:
    """Return a valid answer to the questions in ``data`` as ``{questionId: answer}``, in the order of the questions."""
    questions = _questions(data)
    found, _problems = _find(questions, value)
    return {question_id: found[question_id][1] for question_id in _ids(questions)}


def question_problems(data: JsonObject) -> Iterator[Problem]:
    """Yield what no schema says of a clarification's data: pointers start at the data."""
    ids = _ids(_questions(data))
    if len(ids) > MAX_QUESTIONS:
        yield Problem("/questions", "maxItems", f"One clarification may ask at most {MAX_QUESTIONS} questions.")
    for index, question_id in enumerate(ids):
        if question_id in ids[:index]:
            message = f"Another question has the id “{question_id}” already."
            yield Problem(to_pointer(["questions", index, "id"]), "unique", message)


def _find(questions: list[JsonObject], value: JsonValue) -> tuple[_Found, list[Problem]]:
    """Find the answers: ``{q1: …}`` when it has a member for every question, else inside ``answers``."""
    ids = _ids(questions)
    if not isinstance(value, dict):
        return {}, [Problem("", "type", "The answers must be an object: a member for each question.")]
    inner = value.get("answers")
    if all(question_id in value for question_id in ids) or not isinstance(inner, dict | list):
        return {name: (to_pointer([name]), value[name]) for name in ids if name in value}, []
    if isinstance(inner, dict):
        strange = [name for name in inner if name not in ids]
        found = {name: (to_pointer(["answers", name]), answer) for name, answer in inner.items()}
        return found, [_unasked(to_pointer(["answers", name]), name) for name in strange]
    return _find_in_list(ids, inner)


def _find_in_list(ids: list[str], items: list[JsonValue]) -> tuple[_Found, list[Problem]]:
    found: _Found = {}
    problems: list[Problem] = []
    for index, item in enumerate(items):
        at = to_pointer(["answers", index])
        if not isinstance(item, dict) or not isinstance(item.get("id"), str) or "answer" not in item:
            problems.append(Problem(at, "required", "An answer in a list has an “id” and an “answer”."))
            continue
        name = cast("str", item["id"])
        if name not in ids:
            problems.append(_unasked(f"{at}/id", name))
        elif name in found:
            problems.append(Problem(f"{at}/id", "unique", f"The question “{name}” is answered twice."))
        found[name] = (f"{at}/answer", item["answer"])
    return found, problems


def _answer_problems(question: JsonObject, found: _Found) -> Iterator[Problem]:
    question_id = cast("str", question["id"])
    if question_id not in found:
        yield Problem(to_pointer([question_id]), "required", f"The question “{question_id}” needs an answer.")
    elif "schema" in question:
        at, answer = found[question_id]
        for problem in validate(compile_schema(cast("JsonObject", question["schema"])), answer):
            yield Problem(at + problem.pointer, problem.keyword, problem.message)


def _dialect(questions: list[JsonObject]) -> Dialect:
    """Return the dialect of the first question with a schema: those of another cannot stand beside it."""
    first = next((question["schema"] for question in questions if "schema" in question), None)
    return DRAFT_2020_12 if first is None else dialect_of(first)


def _member(question: JsonObject, dialect: Dialect) -> JsonSchema:
    title: JsonObject = {"title": question["question"]}
    inner = embedded(cast("JsonObject", question["schema"]), into=dialect) if "schema" in question else {}
    return {**title, **inner} if isinstance(inner, dict) and "$ref" not in inner else inner


def _unasked(pointer: str, name: str) -> Problem:
    return Problem(pointer, "unknown_question", f"No question has the id “{name[:100]}”.")


def _questions(data: JsonObject) -> list[JsonObject]:
    return cast("list[JsonObject]", data["questions"])


def _ids(questions: list[JsonObject]) -> list[str]:
    return [cast("str", question["id"]) for question in questions]
