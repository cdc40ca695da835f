"""Names of a form's fields: ``<kind>:<pointer>``.

The pointer is an RFC 6901 JSON Pointer as a URI fragment, each token escaped and then percent-encoded, so any property
name is harmless in it. A position in a list is the key of its row, ``@k1``: no name has an index in it, and no property
begins with an ``@`` once it is encoded.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final
from urllib.parse import quote, unquote

ROOT: Final = "#"
MAX_LENGTH: Final = 4_000
# Templates draw a form level by level on one stack; what is deeper is JSON in one input.
MAX_TOKENS: Final = 24
_FIELD: Final = re.compile(r"[vjsprk]:#(?:/(?:@[a-z0-9]{1,16}|[A-Za-z0-9._~%-]*))*", re.ASCII)


_ROW_KEY: Final = re.compile(r"k[a-z0-9]{1,15}", re.ASCII)


class Field(StrEnum):
    """What a field holds."""

    TEXT = "v"
    JSON = "j"
    BRANCH = "s"
    PRESENCE = "p"
    ROWS = "r"
    KEY = "k"


def name_of(kind: Field, at: str) -> str:
    return f"{kind}:{at}"


def child(at: str, name: str) -> str:
    """Return the pointer of a property."""
    return f"{at}/{quote(_escaped(name), safe='')}"


def row(at: str, key: str) -> str:
    """Return the pointer of a row of a list or a map."""
    return f"{at}/@{key}"


def position(at: str, number: int) -> str:
    """Return the pointer of a fixed position of a list, counted from 1."""
    return f"{at}/@p{number}"


def is_row_key(key: str) -> bool:
    return _ROW_KEY.fullmatch(key) is not None


def parent(at: str) -> tuple[str, str]:
    """Return the pointer of what holds a row, and the row's key; the key is empty for what is no row."""
    holder, _slash, token = at.rpartition("/")
    return holder, token.removeprefix("@") if token.startswith("@") else ""


def is_field(name: str) -> bool:
    """Tell whether a posted name can be one of a form's."""
    return len(name) <= MAX_LENGTH and name.count("/") <= MAX_TOKENS and _FIELD.fullmatch(name) is not None


def is_too_long(at: str) -> bool:
    """Tell whether a pointer is too long for the names of its rows, and of what is inside."""
    return len(at) > MAX_LENGTH - 20 or at.count("/") >= MAX_TOKENS


def in_words(name: str) -> str:
    """Return the last property in a field's name as it is written in the schema; empty when there is none."""
    tokens = [token for token in name.partition("#")[2].split("/")[1:] if not token.startswith("@")]
    return unquote(tokens[-1]).replace("~1", "/").replace("~0", "~") if tokens else ""


def pointer(tokens: tuple[str | int, ...]) -> str:
    """Return the RFC 6901 JSON Pointer of a path in a value."""
    return "".join(f"/{_escaped(str(token))}" for token in tokens)


def _escaped(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")
