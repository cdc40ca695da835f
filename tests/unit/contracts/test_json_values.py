"""Values that come from Python and not from a text keep the same rules."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.contracts.json_limits import MalformedJson
from interrupts.contracts.json_values import check_value


def test_json_values_pass() -> None:
    check_value({"a": [1, 2.5, None, True, "é", {"b": {}}], "": -(10**999)})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (float("nan"), "NaN is not a JSON number."),
        ([float("inf")], "Infinity is not a JSON number."),
        ({"a": -float("inf")}, "-Infinity is not a JSON number."),
        (10**1000, "A number has more than 1000 digits."),
        ("a\x00", "A text holds the NUL character (U+0000), which cannot be stored."),
        ({"\x00": 1}, "A text holds the NUL character (U+0000), which cannot be stored."),
        ([{"a": "\udfff"}], "A text holds half of a surrogate pair, which is no character."),
        ({1: 2}, "A name in an object is 1, which is not text."),
        ((1, 2), "A tuple is not a JSON value."),
        (b"a", "A bytes is not a JSON value."),
    ],
)
def test_what_json_cannot_hold_is_refused(value: object, message: str) -> None:
    with pytest.raises(MalformedJson) as caught:
        check_value(value)
    assert (caught.value.message, caught.value.line, caught.value.column) == (message, 1, 1)


def nested(depth: int) -> Any:
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


def test_depth_is_counted_as_in_a_text() -> None:
    check_value(nested(64))
    for depth in (65, 10_000, 1_000_000):
        value = nested(depth)
        with pytest.raises(MalformedJson, match="nested deeper than 64 levels"):
            check_value(value)
        while value:  # taken apart from the outside: freeing a deep list all at once is slow
            value = value.pop()


def test_a_value_that_holds_itself_is_refused() -> None:
    endless: dict[str, object] = {}
    endless["again"] = endless
    with pytest.raises(MalformedJson, match="nested deeper"):
        check_value(endless)


def test_a_value_that_shares_its_parts_is_counted_as_often_as_it_would_be_written() -> None:
    value: object = "x"
    for _ in range(60):
        value = [value, value]
    with pytest.raises(MalformedJson, match="larger than 1048576 bytes"):
        check_value(value)
