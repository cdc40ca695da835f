"""Strict JSON: what is read, what is refused, and where the fault is said to be."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from interrupts.contracts.json_limits import MalformedJson
from interrupts.contracts.json_text import digest, dump_json, parse_json

MEBIBYTE = 1_048_576


def refusal(raw: bytes | str, **limits: int) -> tuple[str, int, int]:
    with pytest.raises(MalformedJson) as caught:
        parse_json(raw, **limits)
    return caught.value.message, caught.value.line, caught.value.column


def seconds(call: Callable[[], object]) -> float:
    start = time.thread_time()
    call()
    return time.thread_time() - start


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        (b"null", None),
        (b' {"b": [1, 2.5, -0, true], "a": "\xc3\xa9"} \n', {"b": [1, 2.5, 0, True], "a": "é"}),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\\\u0000 \\\\ud800"', "\\u0000 \\ud800"),
        ('""', ""),
        ("1e308", 1e308),
        ("1e-999", 0.0),
        ('{"1e999": "NaN"}', {"1e999": "NaN"}),
    ],
)
def test_sound_json_is_read(raw: bytes | str, value: object) -> None:
    assert parse_json(raw) == value


def test_the_order_of_members_survives_reading_and_writing() -> None:
    text = '{"z":1,"a":{"y":"ü","b":[]},"m":1.50}'
    assert dump_json(parse_json(text)) == '{"z":1,"a":{"y":"ü","b":[]},"m":1.5}'


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_a_number_that_is_none_is_refused_at_its_place(word: str) -> None:
    assert refusal(f'{{"a": 1,\n "b": {word}}}') == (f"{word} is not a JSON number.", 2, 7)


@pytest.mark.parametrize("literal", ["1e999", "-1e999", "1" + "0" * 400 + ".0", "1E400"])
def test_a_number_that_overflows_is_refused(literal: str) -> None:
    message, line, column = refusal(f"[0, {literal}]")
    assert message.startswith("The number ")
    assert message.endswith(" is too large.")
    assert (line, column) == (1, 5)


def test_an_integer_may_have_a_thousand_digits_and_no_more() -> None:
    assert parse_json("-" + "7" * 1000) == -int("7" * 1000)
    assert refusal("7" * 1001) == ("A number has more than 1000 digits.", 1, 1)
    assert refusal("[0." + "7" * 1001 + "]") == ("A number has more than 1000 digits.", 1, 2)


@pytest.mark.parametrize("raw", ['{"a": "x\\u0000"}', '{"a": {"\\u0000": 1}}'])
def test_an_escaped_nul_is_refused_in_texts_and_names(raw: str) -> None:
    assert refusal(raw)[0] == "A text holds the NUL character (U+0000), which cannot be stored."


@pytest.mark.parametrize("escape", ["\\ud800", "\\uDFFF", "\\ude00\\ud83d", "\\ud83d \\ude00"])
def test_an_escaped_lone_surrogate_is_refused_in_texts_and_names(escape: str) -> None:
    expected = "A text holds half of a surrogate pair, which is no character."
    assert refusal(f'["ok",\n"{escape}"]') == (expected, 2, 1)
    assert refusal(f'{{"{escape}": 1}}') == (expected, 1, 2)


def test_raw_control_characters_and_surrogates_are_refused() -> None:
    assert refusal('["a\x00"]')[0].startswith("A line break, tab or other control character")
    assert refusal('["a\nb"]') == (
        "A line break, tab or other control character inside a text must be escaped.",
        1,
        4,
    )
    assert refusal('"\ud800"') == ("The text holds half of a surrogate pair, which is no character.", 1, 2)


def test_a_name_given_twice_is_refused_at_its_second_place() -> None:
    raw = '{"a": {"b": 1},\n "b": 2,\n "\\u0061": 3}'
    assert refusal(raw) == ('The name "a" is given twice in one object.', 3, 2)
    assert parse_json('[{"a": 1}, {"a": {"a": 2}}]') == [{"a": 1}, {"a": {"a": 2}}]


@pytest.mark.parametrize("depth", [65, 10_000, 500_000])
def test_depth_is_refused_without_recursion(depth: int) -> None:
    expected = ("Lists and objects are nested deeper than 64 levels.", 1, 65)
    assert refusal("[" * depth) == expected
    assert refusal("[" * depth + "]" * depth) == expected


def test_a_million_open_brackets_are_refused_without_recursion() -> None:
    assert refusal("[" * 1_000_000)[0] == "Lists and objects are nested deeper than 64 levels."
    assert refusal('{"a":' * 200_000)[0] == "Lists and objects are nested deeper than 64 levels."


def test_sixty_four_levels_and_brackets_inside_texts_are_fine() -> None:
    assert dump_json(parse_json("[" * 64 + "]" * 64)) == "[" * 64 + "]" * 64
    assert parse_json('["' + "[" * 500 + '\\""]') == ["[" * 500 + '"']
    assert refusal("[[1]]", max_depth=1) == ("Lists and objects are nested deeper than 1 levels.", 1, 2)


def test_only_utf8_without_a_byte_order_mark_is_read() -> None:
    bom = "The text starts with a byte order mark; send plain UTF-8 without one."
    assert refusal(b"\xef\xbb\xbf{}") == (bom, 1, 1)
    assert refusal("\ufeff{}") == (bom, 1, 1)
    assert refusal(b'{"a":\n"caf\xe9"}') == ("The text is not UTF-8.", 2, 5)
    assert refusal('{"a": 1}'.encode("utf-16"))[0] == "The text is not UTF-8."
    assert refusal(b'"\xed\xa0\x80"')[0] == "The text is not UTF-8."


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("", ("A value is missing here, or it is not written as JSON.", 1, 1)),
        ("{} {}", ("There is more text after the end of the value.", 1, 4)),
        ("1\x00", ("There is more text after the end of the value.", 1, 2)),
        ("01", ("There is more text after the end of the value.", 1, 2)),
        ("{'a': 1}", ("A name in double quotes is expected here.", 1, 2)),
        ('{"a" 1}', ("A colon is expected after the name.", 1, 6)),
        ("[1 2]", ("A comma or a closing bracket is expected here.", 1, 4)),
        ('["a', ("A text has no closing quote.", 1, 2)),
        ('["\\x"]', ("A text has an escape that JSON does not know.", 1, 3)),
        ("tru", ("A value is missing here, or it is not written as JSON.", 1, 1)),
        ("+1", ("A value is missing here, or it is not written as JSON.", 1, 1)),
        ("\u00a01", ("A value is missing here, or it is not written as JSON.", 1, 1)),
        ("٣", ("A value is missing here, or it is not written as JSON.", 1, 1)),
    ],
)
def test_what_is_not_json_is_refused_in_plain_words(raw: str, expected: tuple[str, int, int]) -> None:
    assert refusal(raw) == expected


def test_the_limit_of_size_counts_bytes() -> None:
    assert parse_json('"' + "a" * (MEBIBYTE - 2) + '"') == "a" * (MEBIBYTE - 2)
    assert refusal('"' + "a" * (MEBIBYTE - 1) + '"') == ("The JSON is larger than 1048576 bytes.", 1, 1)
    assert refusal('"éé"', max_bytes=5) == ("The JSON is larger than 5 bytes.", 1, 1)
    assert parse_json('"éé"', max_bytes=6) == "éé"
    assert refusal("[]" + " " * 20, max_bytes=10)[0] == "The JSON is larger than 10 bytes."


@pytest.mark.parametrize(
    "raw",
    [
        "[" + "1," * 500_000 + "1]",
        "[" + "1e1," * 250_000 + "1]",
        "[" + "[]," * 340_000 + "[]]",
        "[" + ("1" * 299 + ",") * 3_400 + "1]",
        '"' + "\\ud83d\\ude00" * 87_000 + '"',
        '["' + '\\"' * 500_000 + '"]',
        '"' + '\\"' * 500_000,
        "[" * 65 + '"' + '\\"' * 500_000,
        '{"a":NaN' + ',"b":{"c":1}' * 80_000 + "}",
        "{" + ",".join(f'"name{i}":{i}' for i in range(60_000)) + ',"name5":1}',
        "0." + "1" * 1_000_000,
    ],
    ids=lambda raw: raw[:24],
)
def test_a_mebibyte_is_read_or_refused_quickly_whatever_it_holds(raw: str) -> None:
    def attempt() -> None:
        try:
            parse_json(raw)
        except MalformedJson:
            return

    assert seconds(attempt) < 4.0


def test_writing_refuses_what_json_cannot_hold() -> None:
    endless: list[object] = []
    endless.append(endless)
    for value in (float("nan"), float("inf"), {1, 2}, endless):
        with pytest.raises(MalformedJson):
            dump_json(value)  # type: ignore[arg-type]


def test_a_digest_ignores_the_order_of_members_and_nothing_else() -> None:
    assert digest({"a": 1, "b": [1, 2]}) == digest({"b": [1, 2], "a": 1})
    assert digest({"a": [1, 2]}) != digest({"a": [2, 1]})
    assert digest({}) == "44136fa355b3678a1146ad16f7e8649e94fb4fc21fe77e8310c060f61caaff8a"
    with pytest.raises(MalformedJson, match="surrogate"):
        digest("\ud800")
