"""Nothing here may ask for a credential (interrupt.md §Payload): what a schema or a question asks for, by its words.

A field is judged by its name, ``title``, ``description`` and ``format``. An author who means something harmless says
so at that very field: ``"x-wopsite-harmless": "<reason>"`` (docs/credentials.md). It covers the field's own words, not
what is inside it, and never the format ``password``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Any, Final

from interrupts.contracts.dialects import dialect_of
from interrupts.contracts.locations import Path, children
from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.types import JsonValue
from interrupts.contracts.wording import quote

HARMLESS: Final = "x-wopsite-harmless"
KEYWORD: Final = "credential_solicited"
_MIN_REASON: Final = 10

_SECRET: Final = (
    "password", "passwords", "passwd", "pwd", "passphrase", "passcode", "secret", "secrets", "credential",
    "credentials", "apikey", "apikeys", "token", "tokens", "otp", "totp", "jwt",
)  # fmt: skip
# “key” alone says little in a sentence; these two words together say what is meant.
_KINDS_OF_KEY: Final = (
    "access", "account", "api", "auth", "client", "deploy", "encryption", "license", "master", "private", "secret",
    "security", "service", "signing", "ssh",
)  # fmt: skip
_PHRASES: Final = (
    ("pin", "code"), ("one", "time", "code"), ("security", "code"), ("recovery", "code"), ("verification", "code"),
    ("pass", "word"), ("pass", "phrase"), ("seed", "phrase"), ("recovery", "phrase"),
    *((kind, key) for kind in _KINDS_OF_KEY for key in ("key", "keys")),
)  # fmt: skip
# How many tokens a model used is no token.
_COUNTING: Final = frozenset({"budget", "count", "limit", "max", "maximum", "min", "number", "total", "usage", "used"})
_WORD: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")


def solicited(schema: JsonValue) -> list[Problem]:
    """Return where a sound schema asks for credential material, by pointers into the schema."""
    if not isinstance(schema, dict):
        return []
    problems = [problem for path, name, field in _fields(schema) for problem in _field_problems(path, name, field)]
    return sorted(set(problems))


def text_solicits(text: str) -> bool:
    """Tell whether a question or a prompt asks for credential material, by its words."""
    return _finding(_words(text)) is not None


def question_solicits(*texts: str, schema: JsonValue) -> bool:
    """Tell whether a question's own words ask for credential material and its schema does not call them harmless."""
    return not (isinstance(schema, dict) and _is_harmless(schema)) and any(map(text_solicits, texts))


def _fields(schema: dict[str, Any]) -> Iterator[tuple[Path, str, dict[str, Any]]]:
    """Yield every schema inside, with its path and the name of the member it describes, if it describes one."""
    dialect = dialect_of(schema).name
    waiting: list[tuple[Path, str, dict[str, Any]]] = [((), "", schema)]
    while waiting:
        path, name, current = waiting.pop()
        yield path, name, current
        for step, child in children(current, dialect):
            named = str(step[1]) if step[0] in ("properties", "patternProperties") else ""
            waiting.append((path + step, named, child))
        yield from _bare_names(path, current)


def _bare_names(path: Path, schema: dict[str, Any]) -> Iterator[tuple[Path, str, dict[str, Any]]]:
    """Yield the names that stand without a schema object, where no annotation can speak for them."""
    properties = schema.get("properties")
    described = properties if isinstance(properties, dict) else {}
    for name, field in described.items():
        if isinstance(field, bool):
            yield (*path, "properties", name), name, {}
    for place, names in _lists_of_names(schema):
        for index, name in enumerate(names if isinstance(names, list) else ()):
            if isinstance(name, str) and name not in described:
                yield (*path, *place, index), name, {}


def _lists_of_names(schema: dict[str, Any]) -> Iterator[tuple[Path, Any]]:
    yield ("required",), schema.get("required")
    for keyword in ("dependentRequired", "dependencies"):
        needed = schema.get(keyword)
        for name, names in needed.items() if isinstance(needed, dict) else ():
            yield (keyword, name), names
    allowed = schema.get("propertyNames")
    if isinstance(allowed, dict):
        yield ("propertyNames", "enum"), allowed.get("enum")


def _field_problems(path: Path, name: str, field: dict[str, Any]) -> Iterator[Problem]:
    if HARMLESS in field and not _is_harmless(field):
        message = f"Say in at least {_MIN_REASON} characters why this field is harmless."
        yield Problem(to_pointer((*path, HARMLESS)), HARMLESS, message)
    if field.get("format") == "password":
        message = "A person must never be asked for a password here. Use a credential interrupt instead."
        yield Problem(to_pointer((*path, "format")), KEYWORD, message)
    if _is_harmless(field):
        return
    if name and (found := _finding(_words(name)) or _bare_key(name)) is not None:
        yield Problem(to_pointer(path), KEYWORD, _message(name, found))
    for keyword in ("title", "description"):
        text = field.get(keyword)
        if isinstance(text, str) and (found := _finding(_words(text))) is not None:
            yield Problem(to_pointer((*path, keyword)), KEYWORD, _message(text, found))


def _message(text: str, found: str) -> str:
    return (
        f"{quote(text)} asks for a credential ({quote(found)}). Use a credential interrupt instead; if it is harmless,"
        f" say why at this field with “{HARMLESS}”."
    )


def _is_harmless(field: dict[str, Any]) -> bool:
    reason = field.get(HARMLESS)
    return isinstance(reason, str) and len(reason.strip()) >= _MIN_REASON


def _words(text: str) -> list[str]:
    """Split a name or a sentence into lower-case words: apiKey, api_key and “API key” are the same two."""
    return [word.lower() for word in _WORD.findall(unicodedata.normalize("NFKC", text))]


def _finding(words: list[str]) -> str | None:
    for index, word in enumerate(words):
        if word in _SECRET and not (word in ("token", "tokens") and _COUNTING & set(words)):
            return word
        for phrase in _PHRASES:
            if tuple(words[index : index + len(phrase)]) == phrase:
                return " ".join(phrase)
    return None


def _bare_key(name: str) -> str | None:
    return name.lower() if name.lower() in ("key", "keys") else None
