"""What a schema in a node's configuration must be before people are asked to satisfy it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from interrupts.contracts.admission import check_schema
from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.solicitation import HARMLESS, KEYWORD, question_solicits, solicited
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.kinds.clarification import question_problems
from interrupts.vocabulary import InterruptKind


def answer_schema_problems(config: JsonObject, name: str) -> list[Problem]:
    """Return why the schema in a member cannot be one that answers must satisfy; none when there is no such member."""
    if name not in config:
        return []
    schema = cast("JsonObject", config[name])
    problems = check_schema(schema) or solicited(schema)
    return [Problem(to_pointer([name]) + p.pointer, p.keyword, p.message) for p in problems]


def asked_problems(kind: InterruptKind, data: JsonObject) -> list[Problem]:
    """Return what is wrong with what an interrupt asks, its data being of the right shape (pointers into the data)."""
    match kind:
        case InterruptKind.CLARIFICATION:
            return [*question_problems(data), *_questions_soliciting(data)]
        case InterruptKind.CONVERSATION_EXCHANGE:
            problems = answer_schema_problems(data, "outcomeSchema")
            return problems + _prompt_soliciting("prompt", data, data.get("outcomeSchema"))
        case InterruptKind.CONVERSATION_START:
            return _prompt_soliciting("initialPrompt", data, None)
        case _:
            return []


def _questions_soliciting(data: JsonObject) -> Iterator[Problem]:
    for index, question in enumerate(cast("list[JsonObject]", data["questions"])):
        at = to_pointer(["questions", index])
        for problem in answer_schema_problems(question, "schema"):
            yield Problem(at + problem.pointer, problem.keyword, problem.message)
        texts = (cast("str", question["question"]), cast("str", question["id"]))
        if question_solicits(*texts, schema=question.get("schema")):
            yield asks_for_credential(f"{at}/question", "the question's schema")


def _prompt_soliciting(name: str, data: JsonObject, schema: JsonValue) -> list[Problem]:
    text = data.get(name)
    if isinstance(text, str) and question_solicits(text, schema=schema):
        return [asks_for_credential(to_pointer([name]), "its outcomeSchema")]
    return []


def asks_for_credential(pointer: str, where: str) -> Problem:
    message = (
        "This asks for a credential. Use a credential interrupt instead; if it is harmless, say why in"
        f" {where} with “{HARMLESS}”."
    )
    return Problem(pointer, KEYWORD, message)
