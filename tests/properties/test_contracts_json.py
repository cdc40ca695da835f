"""Strict JSON against the standard library's reader, and against itself."""

from __future__ import annotations

import json
import math
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from interrupts.contracts.json_limits import MalformedJson
from interrupts.contracts.json_text import digest, dump_json, parse_json
from interrupts.contracts.json_values import check_value

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=8)
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4))
PIECES = st.lists(
    st.sampled_from(
        ["{", "}", "[", "]", ",", ":", '"', "\\", '"a"', '"b"', '"\\u0061"', "1", "-", ".5", "e9", "1e999", "NaN",
         "null", "true", " ", "\n", "\\u0000", "\\ud800", '"\\ude00"', "é", "\x00", "0", "[1]", '{"a":1}'],
    ),
    max_size=12,
)  # fmt: skip


def pairs_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError(pairs)
    return dict(pairs)


def sound(value: Any) -> bool:
    if isinstance(value, dict):
        return all(sound(name) and sound(member) for name, member in value.items())
    if isinstance(value, list):
        return all(map(sound, value))
    if isinstance(value, str):
        return not any(character == "\x00" or "\ud800" <= character <= "\udfff" for character in value)
    return not isinstance(value, float) or math.isfinite(value)


def expected(text: str) -> tuple[bool, Any]:
    """Whether a small text is acceptable, by the standard library and a check of the value."""
    try:
        value = json.loads(text, object_pairs_hook=pairs_without_repeats)
    except ValueError:
        return False, None
    return sound(value), value


@given(VALUES)
def test_what_is_written_is_read_back_the_same(value: Any) -> None:
    check_value(value)
    text = dump_json(value)
    assert parse_json(text) == value
    assert parse_json(text.encode()) == value
    assert dump_json(parse_json(text)) == text


@given(VALUES)
def test_a_digest_does_not_depend_on_the_way_a_value_is_written(value: Any) -> None:
    spread = json.dumps(value, indent=3, sort_keys=True)
    assert digest(parse_json(spread)) == digest(value)


def outcome(raw: str | bytes) -> tuple[Any, MalformedJson | None]:
    try:
        return parse_json(raw), None
    except MalformedJson as error:
        return None, error


@given(PIECES)
def test_a_text_is_accepted_exactly_when_the_standard_reader_and_our_rules_say_so(pieces: list[str]) -> None:
    text = "".join(pieces)
    acceptable, wanted = expected(text)
    value, refusal = outcome(text)
    assert (refusal is None) is acceptable
    if refusal is None:
        assert value == wanted
        return
    lines = text.split("\n")
    assert 1 <= refusal.line <= len(lines)
    assert 1 <= refusal.column <= len(lines[refusal.line - 1]) + 1


@given(st.binary(max_size=40))
def test_no_bytes_make_the_reader_fail_in_another_way(raw: bytes) -> None:
    _, refusal = outcome(raw)
    assert refusal is None or refusal.message
