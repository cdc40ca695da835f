"""From Python values to JSON values: a copy of the values alone, or an error that names the place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum
from typing import Final

from interrupts.contracts.json_limits import MAX_DEPTH, MalformedJson, too_deep
from interrupts.contracts.json_values import check_value
from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.types import JsonObject, JsonValue

_SHOWN: Final = 20


class AuthoringError(ValueError):
    """What was written cannot be stored as a workflow. ``problems`` tells each fault by its JSON Pointer."""

    def __init__(self, what: str, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        told = [f"  {problem.pointer or '(the whole)'}: {problem.message}" for problem in self.problems[:_SHOWN]]
        if len(self.problems) > _SHOWN:
            told.append(f"  … and {len(self.problems) - _SHOWN} more")
        super().__init__("\n".join([what, *told]))


def plain(value: object, *, what: str) -> JsonValue:
    """Return a copy made of JSON values and nothing else; it shares no part with the value.

    The members of an enum become their values, tuples become lists. Raises AuthoringError, which begins with ``what``,
    for anything else that JSON does not know.

    >>> plain({"sizes": ("S", "L")}, what="These sizes cannot be stored.")
    {'sizes': ['S', 'L']}
    """
    return _copy(value, (), what)


def plain_object(value: Mapping[str, object], *, what: str) -> JsonObject:
    """Return such a copy of an object."""
    return {_name(name, (), what): _copy(member, (name,), what) for name, member in value.items()}


class Faults:
    """Gathers what is wrong with several parts, so that an author learns all of it at once."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._problems: list[Problem] = []

    @contextmanager
    def at(self, *path: str | int) -> Iterator[None]:
        """Take in the AuthoringError of a part, whose place is ``path``."""
        try:
            yield
        except AuthoringError as error:
            place = to_pointer(path)
            self._problems += [Problem(place + each.pointer, each.keyword, each.message) for each in error.problems]

    def tell(self) -> None:
        """Raise AuthoringError with all that was taken in, if there is any."""
        if self._problems:
            raise AuthoringError(self._what, self._problems)


def fault(what: str, path: Iterable[str | int], keyword: str, message: str) -> AuthoringError:
    """Return the error about one place."""
    return AuthoringError(what, [Problem(to_pointer(path), keyword, message)])


def _copy(value: object, path: tuple[str | int, ...], what: str) -> JsonValue:
    if len(path) > MAX_DEPTH:
        raise fault(what, (), "json", too_deep(MAX_DEPTH))
    match value:
        case Enum():
            return _copy(value.value, path, what)
        case Mapping():
            return {_name(name, path, what): _copy(member, (*path, name), what) for name, member in value.items()}
        case list() | tuple():
            return [_copy(item, (*path, index), what) for index, item in enumerate(value)]
        case _:
            return _scalar(value, path, what)


def _name(name: object, path: tuple[str | int, ...], what: str) -> str:
    plain_name = _copy(name, path, what) if isinstance(name, str) else None
    if not isinstance(plain_name, str):
        raise fault(what, path, "json", f"A name in an object is {name!r:.80}, which is not text.")
    return plain_name


def _scalar(value: object, path: tuple[str | int, ...], what: str) -> JsonValue:
    try:
        check_value(value)
    except MalformedJson as error:
        hint = "" if isinstance(value, str | int | float) else " Write it as text, a number, a list or an object."
        raise fault(what, path, "json", error.message + hint) from error
    match value:
        case None | bool():
            return value
        # A subclass is a Python object too: only its text or number is kept.
        case str():
            return str.__str__(value)
        case int():
            return int.__int__(value)
        case float():
            return float.__float__(value)
    raise AssertionError(value)
