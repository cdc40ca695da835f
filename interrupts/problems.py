"""Turning validation problems into the registered error."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import cast

from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject
from interrupts.errors import ValidationFailed, WopError

_SHOWN = 100


def validation_failed(problems: Sequence[Problem], *, base: str = "") -> ValidationFailed:
    """Return the error for a value that fails its schema: every problem by JSON Pointer, the first one in the message.

    ``base`` is the pointer of the value within the request.
    """
    shown = [
        {"pointer": base + problem.pointer, "keyword": problem.keyword, "message": problem.message}
        for problem in problems[:_SHOWN]
    ]
    first = shown[0]
    where = f" (at {first['pointer']})" if first["pointer"] else ""
    return ValidationFailed(
        f"{first['message']}{where}{_more(len(problems) - 1)}",
        details=cast("JsonObject", {"field": _field(base, problems), "problems": shown}),
    )


def moved(error: ValidationFailed, place: Callable[[str], str], *, base: str) -> ValidationFailed:
    """Return a refusal of a value below ``base`` as one of what the caller sent, which ``place`` finds by pointer."""
    told = cast("list[dict[str, str]]", error.details.get("problems", []))
    problems = [Problem(place(p["pointer"].removeprefix(base)), p["keyword"], p["message"]) for p in told]
    if problems:
        return validation_failed(problems)
    return ValidationFailed(error.message, details={**error.details, "field": _field(place(""), [])})


def _more(count: int) -> str:
    if count == 1:
        return " There is 1 more problem."
    return f" There are {count} more problems." if count else ""


def _field(base: str, problems: Sequence[Problem]) -> str:
    first = problems[0].pointer if problems else ""
    return (base + first).strip("/").replace("/", ".")


def in_lines(error: WopError) -> list[str]:
    """Return what to tell a person: a line a problem by JSON Pointer, else the error's message alone.

    A name within a schema may hold line breaks; none of them makes a line that looks like one of ours.
    """
    problems = cast("list[JsonObject]", error.details.get("problems", []))
    lines = [f"{problem['pointer'] or 'The whole document'}: {problem['message']}" for problem in problems]
    return [" ".join(line.splitlines()) for line in lines or [error.message]]
