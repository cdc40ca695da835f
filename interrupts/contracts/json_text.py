"""Strict JSON text: reading it, writing it, and its digest."""

from __future__ import annotations

import hashlib
import json
import math
import re
from itertools import accumulate
from typing import Any, NoReturn, cast

from interrupts.contracts.json_faults import locate, malformed_at, number_fault
from interrupts.contracts.json_limits import MAX_BYTES, MAX_DEPTH, MAX_DIGITS, MalformedJson, too_deep, too_large
from interrupts.contracts.json_values import check_value, has_forbidden_text
from interrupts.contracts.types import JsonValue

__all__ = ["MalformedJson", "check_value", "digest", "dump_json", "parse_json"]

# Possessive, and an unclosed string matches to the end: linear whatever the text.
_STRING = re.compile(r'"(?:[^"\\]++|\\.)*+["\\]?', re.DOTALL)
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_STEP = {ord("["): 1, ord("{"): 1, ord("]"): -1, ord("}"): -1}
# Only a text with one of these can hold a number that overflows or has too many digits; the rest takes C's own numbers.
_RISKY_NUMBER = re.compile(r"(?<![0-9])[0-9]{300}|[0-9][eE]")
_RISKY_ESCAPE = re.compile(r"\\u(?:0000|[dD][89a-fA-F])")

_WORDS = (
    ("Expecting value", "A value is missing here, or it is not written as JSON."),
    ("Expecting property name", "A name in double quotes is expected here."),
    ("Expecting ':'", "A colon is expected after the name."),
    ("Expecting ','", "A comma or a closing bracket is expected here."),
    ("Illegal trailing comma", "There is a comma after the last item."),
    ("Unterminated string", "A text has no closing quote."),
    ("Invalid control character", "A line break, tab or other control character inside a text must be escaped."),
    ("Invalid \\", "A text has an escape that JSON does not know."),
    ("Extra data", "There is more text after the end of the value."),
)


class _Refused(ValueError):
    """One of our rules was broken, somewhere."""


def parse_json(raw: bytes | str, *, max_bytes: int = MAX_BYTES, max_depth: int = MAX_DEPTH) -> JsonValue:
    """Return the value of a JSON text.

    UTF-8 without a byte order mark; no name twice in one object; finite numbers of at most 1,000 digits; no NUL and no
    lone surrogate, escaped or not; at most ``max_depth`` nested containers and ``max_bytes`` bytes.

    Raises :class:`MalformedJson` with the place of the first fault found.
    """
    text = _decode(raw, max_bytes)
    if _nests_deeper(text, max_depth):
        raise locate(text, otherwise=too_deep(max_depth), max_depth=max_depth)
    try:
        value = _load(text)
        if _RISKY_ESCAPE.search(text) and has_forbidden_text(value):
            raise _Refused("A text holds a character that cannot be stored.")
    except json.JSONDecodeError as error:
        raise malformed_at(_in_words(error.msg), text, error.pos) from error
    except RecursionError as error:
        raise MalformedJson(too_deep(max_depth)) from error
    except _Refused as error:
        raise locate(text, otherwise=str(error), max_depth=max_depth) from error
    return value


def dump_json(value: JsonValue) -> str:
    """Return the compact text of a value, its members in their own order. Raises :class:`MalformedJson`."""
    return _dump(value, sort_keys=False)


def digest(value: JsonValue) -> str:
    """Return the SHA-256 (64 hex digits) of a value's canonical text; the order of members makes no difference.

    Numbers are told apart as they are written: ``1`` and ``1.0`` have different digests.
    """
    try:
        return hashlib.sha256(_dump(value, sort_keys=True).encode()).hexdigest()
    except UnicodeEncodeError as error:
        raise MalformedJson("A text holds half of a surrogate pair, which is no character.") from error


def _dump(value: JsonValue, *, sort_keys: bool) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), sort_keys=sort_keys)
    except RecursionError as error:
        raise MalformedJson("Lists and objects are nested too deeply to be written.") from error
    except (TypeError, ValueError) as error:
        raise MalformedJson("The value holds something that JSON cannot hold.") from error


def _decode(raw: bytes | str, max_bytes: int) -> str:
    if len(raw) > max_bytes:
        raise MalformedJson(too_large(max_bytes))
    text = _decode_bytes(raw) if isinstance(raw, bytes) else _check_characters(raw, max_bytes)
    if text.startswith("\ufeff"):
        raise MalformedJson("The text starts with a byte order mark; send plain UTF-8 without one.")
    return text


def _decode_bytes(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        before = raw[: error.start].decode()
        raise malformed_at("The text is not UTF-8.", before, len(before)) from error


def _check_characters(text: str, max_bytes: int) -> str:
    try:
        size = len(text.encode())
    except UnicodeEncodeError as error:
        message = "The text holds half of a surrogate pair, which is no character."
        raise malformed_at(message, text, error.start) from error
    if size > max_bytes:
        raise MalformedJson(too_large(max_bytes))
    return text


def _nests_deeper(text: str, max_depth: int) -> bool:
    """Tell whether containers nest too deeply, before any parser recurses into them."""
    if text.count("[") + text.count("{") <= max_depth:
        return False
    brackets = _STRING.sub("", text).encode().translate(None, _NOT_BRACKETS)
    return max(accumulate(map(_STEP.__getitem__, brackets)), default=0) > max_depth


def _load(text: str) -> JsonValue:
    numbers: dict[str, Any] = {}
    if _RISKY_NUMBER.search(text):
        numbers = {"parse_int": _integer, "parse_float": _number}
    value = json.loads(text, object_pairs_hook=_object, parse_constant=_constant, **numbers)
    return cast("JsonValue", value)


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise _Refused("A name is given twice in one object.")
    return members


def _constant(literal: str) -> NoReturn:
    raise _Refused(number_fault(literal))


def _integer(literal: str) -> int:
    if len(literal) > MAX_DIGITS and (fault := number_fault(literal)):
        raise _Refused(fault)
    return int(literal)


def _number(literal: str) -> float:
    value = float(literal)
    if (len(literal) > MAX_DIGITS or math.isinf(value)) and (fault := number_fault(literal)):
        raise _Refused(fault)
    return value


def _in_words(message: str) -> str:
    return next((words for start, words in _WORDS if message.startswith(start)), "This is not written as JSON.")
