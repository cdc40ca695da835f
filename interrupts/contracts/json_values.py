"""Checking Python values that did not come from a JSON text."""

from __future__ import annotations

import json
import math

from interrupts.contracts.json_limits import (
    MAX_BYTES,
    MAX_DEPTH,
    MAX_DIGITS,
    MalformedJson,
    forbidden_character,
    too_deep,
    too_large,
)

_MAX_INTEGER = 10**MAX_DIGITS
_SHOWN = 80


def check_value(value: object, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> None:
    """Raise :class:`MalformedJson` unless the value is one that :func:`~.json_text.parse_json` could have returned.

    Walks without recursion and counts every member, so a cycle or a value that shares its parts a billion times over
    is refused instead of followed.
    """
    waiting: list[tuple[object, int]] = [(value, 0)]
    size = 0
    while waiting:
        item, depth = waiting.pop()
        size += 1 + (len(item) if isinstance(item, str) else 0)
        if size > max_bytes:
            raise MalformedJson(too_large(max_bytes))
        children = _children(item)
        if children is not None and depth >= max_depth:
            raise MalformedJson(too_deep(max_depth))
        waiting.extend((child, depth + 1) for child in children or ())


def as_integer(value: object) -> int | None:
    """Return the whole number that a value is, None for all else: for JSON and its schemas 3.0 is an integer too."""
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value // 1:
        return None
    return int(value)


def has_forbidden_text(value: object) -> bool:
    """Tell whether a text or a name anywhere in a parsed value holds a character that is refused."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, dict):
            waiting.extend(item)
            waiting.extend(item.values())
        elif isinstance(item, list):
            waiting.extend(item)
        elif isinstance(item, str) and forbidden_character(item):
            return True
    return False


def _children(item: object) -> list[object] | None:
    """Return the members of a container, None for a scalar; raise for what JSON cannot hold."""
    if isinstance(item, dict):
        for name in item:
            if not isinstance(name, str):
                raise MalformedJson(f"A name in an object is {_quoted(name)}, which is not text.")
        return [*item, *item.values()]
    if isinstance(item, list):
        return item
    _check_scalar(item)
    return None


def _check_scalar(item: object) -> None:
    fault: str | None = None
    if item is None or isinstance(item, bool):
        return
    if isinstance(item, str):
        fault = forbidden_character(item)
    elif isinstance(item, int):
        fault = None if -_MAX_INTEGER < item < _MAX_INTEGER else f"A number has more than {MAX_DIGITS} digits."
    elif isinstance(item, float):
        fault = None if math.isfinite(item) else f"{json.dumps(item)} is not a JSON number."
    else:
        fault = f"A {type(item).__name__} is not a JSON value."
    if fault is not None:
        raise MalformedJson(fault)


def _quoted(name: object) -> str:
    return repr(name)[:_SHOWN]
