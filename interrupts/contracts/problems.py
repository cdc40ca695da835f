"""What is wrong with a value: one Problem for each thing a person can put right."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from jsonschema.exceptions import ValidationError

from interrupts.contracts.wording import describe, describe_same_keyword, keyword_of

MAX_PROBLEMS: Final = 100

# A problem with one of these keywords means "this could not be checked", which is never "this is valid".
UNCHECKED: Final = frozenset({"budget", "unresolvable"})


@dataclass(frozen=True, slots=True, order=True)
class Problem:
    """One thing wrong at one place.

    ``pointer`` is an RFC 6901 JSON Pointer into the value ("" is the whole value), ``keyword`` the JSON Schema keyword
    that failed, ``message`` our own words for a person.
    """

    pointer: str
    keyword: str
    message: str


def to_pointer(path: Iterable[str | int]) -> str:
    """Return the RFC 6901 JSON Pointer of a path."""
    return "".join(f"/{str(token).replace('~', '~0').replace('/', '~1')}" for token in path)


def tidy(problems: Iterable[Problem]) -> list[Problem]:
    """Return the problems without repeats, in the order of their pointers, at most :data:`MAX_PROBLEMS` of them."""
    return sorted(set(problems))[:MAX_PROBLEMS]


def flatten(errors: Iterable[ValidationError]) -> list[Problem]:
    """Return the problems of a failed validation.

    A missing member is reported at the member, an unexpected one at itself, and a choice (``oneOf``, ``anyOf``) through
    the one branch the value comes closest to; at the choice itself when no branch is closest.
    """
    return tidy(problem for error in errors for problem in _problems(error))


def _problems(error: ValidationError) -> Iterator[Problem]:
    if error.validator in {"oneOf", "anyOf"} and error.context:
        branches = _branches(error)
        closest = _closest(branches)
        if closest is not None:
            for child in closest:
                yield from _problems(child)
            return
        if (shared := describe_same_keyword(branches)) is not None:
            yield Problem(to_pointer(error.absolute_path), *shared)
            return
    yield Problem(to_pointer(error.absolute_path), keyword_of(error), describe(error))


def _branches(error: ValidationError) -> list[Sequence[ValidationError]]:
    def branch(child: ValidationError) -> int:
        return int(child.schema_path[0])

    return [list(children) for _, children in groupby(sorted(error.context or (), key=branch), key=branch)]


def _closest(branches: list[Sequence[ValidationError]]) -> Sequence[ValidationError] | None:
    """Return the branch with the mildest errors, or None when two are equally mild."""
    ranked = sorted(branches, key=_severity)
    if len(ranked) > 1 and _severity(ranked[0]) == _severity(ranked[1]):
        return None
    return ranked[0]


def _severity(errors: Sequence[ValidationError]) -> tuple[int, int, int]:
    """Rank a branch: of the wrong type, told apart by a constant (a discriminator), or merely with so many errors."""
    wrong_type = sum(keyword_of(error) in {"type", "false"} and not error.relative_path for error in errors)
    told_apart = sum(error.validator in {"const", "enum"} for error in errors)
    return wrong_type, told_apart, len(errors)
