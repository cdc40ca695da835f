"""Reading what ``--input`` gives: a file, standard input, or words such as ``approved=true``.

A word is ``key=value``. The key names a member; dots lead further in (``address.city``), numbers count the items of a
list from 0 (``lines.0.amount``), and a key that begins with a slash is a JSON Pointer, for names with dots. The value
is read as the schema says: text as it is, numbers and truth values as JSON, a list from JSON or, item by item, from
the same key given again. ``key:=value`` is JSON whatever the schema says.

What cannot be read as the schema wants stays text, so that validation tells what is wrong with it.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Sequence
from itertools import pairwise
from typing import Final, cast

from interrupts.contracts.json_limits import MAX_DEPTH
from interrupts.contracts.json_text import MalformedJson, dump_json, parse_json
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import ValidationFailed
from interrupts.surfaces.cli.reading import read_json
from interrupts.surfaces.cli.shapes import Shape, shape_of

_SCALARS: Final = (("integer", int), ("number", int | float), ("boolean", bool))


HOW_TO_INPUT: Final = """How to write the input:
  --input answer.json                 a JSON file; '-' reads standard input
  --input approved=true comment=Fine  a word a field, read as the field's type
  --input ids=A-1 ids=A-2             the same key again: the next item of a list (also ids.0=A-1 ids.1=A-2)
  --input address.city=Lyon           a member of a member
  --input lines.0.amount=12.50        a member of the first item of a list
  --input /odd.name=1                 a JSON Pointer, for names with dots
  --input 'data:=[1, null]'           JSON, whatever the type"""


def input_argument(parser: ArgumentParser, what: str) -> None:
    parser.add_argument("--input", nargs="+", action="extend", metavar="FILE|-|KEY=VALUE", help=f"{what}: see below")


def read_input(words: Sequence[str] | None, schema: JsonValue) -> JsonValue:
    """Return the value that the words of ``--input`` give, an empty object for none. Raises NotFound, ValidationFailed.

    ``schema`` is what the value should satisfy; where it says nothing, words are JSON if they can be, and text if not.
    """
    if words is None:
        return {}
    if len(words) == 1 and "=" not in words[0]:
        return read_json(words[0])
    answer: JsonObject = {}
    shape = shape_of(schema)
    for word in words:
        name, mark, value = word.partition("=")
        if not mark or not name.strip(":"):
            raise ValidationFailed(
                f"{word[:80]!r} is not key=value. Give one file, or '-', or only words such as approved=true."
            )
        _set(answer, word, _tokens(name.removesuffix(":"), shape), shape, value, is_json=name.endswith(":"))
    return _within_limits(answer)


def _tokens(name: str, shape: Shape) -> list[str]:
    """Return the way that a key names."""
    if name.startswith("/"):
        return [token.replace("~1", "/").replace("~0", "~") for token in name[1:].split("/")]
    if name in shape.members():
        return [name]
    return name.split(".")


def _set(answer: JsonObject, word: str, tokens: list[str], shape: Shape, value: str, *, is_json: bool) -> None:
    if len(tokens) >= MAX_DEPTH:
        raise ValidationFailed(f"{word[:80]!r}: this leads deeper than {MAX_DEPTH} levels.")
    here: JsonValue = answer
    for token, following in pairwise(tokens):
        shape = _step(shape, here, token)
        here = _enter(here, word, token, [] if _is_index(following) and _may_be_list(shape, following) else {})
    last = tokens[-1]
    target = _step(shape, here, last)
    _put(here, word, last, _from_json(word, value) if is_json else _read(value, target), target)


def _step(shape: Shape, here: JsonValue, token: str) -> Shape:
    return shape.item(int(token)) if isinstance(here, list) and _is_index(token) else shape.member(token)


def _may_be_list(shape: Shape, token: str) -> bool:
    return "array" in shape.types or (not shape.types and token not in shape.members())


def _enter(here: JsonValue, word: str, token: str, new: JsonValue) -> JsonValue:
    """Return the object or list at a token, made now if there is none."""
    if isinstance(here, list):
        if _place(here, word, token) == len(here):
            here.append(new)
        inner = here[int(token)]
    else:
        inner = cast("JsonObject", here).setdefault(token, new)
    if not isinstance(inner, dict | list):
        raise ValidationFailed(f"{word!r}: what this leads into was given a value of its own before.")
    return inner


def _put(here: JsonValue, word: str, token: str, value: JsonValue, shape: Shape) -> None:
    if isinstance(here, list):
        if _place(here, word, token) < len(here):
            raise ValidationFailed(f"{word!r}: this item was given before.")
        here.append(value)
        return
    members = cast("JsonObject", here)
    earlier = members.get(token)
    if token not in members:
        members[token] = value
    elif isinstance(earlier, list) and isinstance(value, list) and "array" in shape.types:
        earlier += value
    else:
        raise ValidationFailed(f"{word!r}: “{token}” was given before, and takes one value only.")


def _place(here: list[JsonValue], word: str, token: str) -> int:
    if not _is_index(token) or int(token) > len(here):
        raise ValidationFailed(f"{word!r}: the items of a list are numbered from 0, one after the other.")
    return int(token)


def _is_index(token: str) -> bool:
    return token.isascii() and token.isdigit() and len(token) < 6


def _read(text: str, shape: Shape) -> JsonValue:
    types = shape.types
    if "string" in types:
        return text
    parsed = _parsed(text)
    if not types:
        return parsed
    if "array" in types and not isinstance(parsed, list):
        return [_read(text, shape.item())]
    fits = any(name in types and _is(parsed, kind) for name, kind in _SCALARS)
    if fits or (isinstance(parsed, dict | list) and {"array", "object"} & types):
        return parsed
    return None if "null" in types and text in {"", "null"} else text


def _is(value: JsonValue, kind: object) -> bool:
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))  # type: ignore[arg-type]


def _parsed(text: str) -> JsonValue:
    """Return the JSON value of a text, or the text itself when it is no JSON."""
    try:
        return parse_json(text)
    except MalformedJson:
        return text


def _from_json(word: str, text: str) -> JsonValue:
    try:
        return parse_json(text)
    except MalformedJson as error:
        raise ValidationFailed(f"{word[:80]!r}: what follows ':=' is not JSON. {error.message}") from error


def _within_limits(answer: JsonObject) -> JsonValue:
    try:
        return parse_json(dump_json(answer))
    except MalformedJson as error:
        raise ValidationFailed(f"The input cannot be sent: {error.message}") from error
