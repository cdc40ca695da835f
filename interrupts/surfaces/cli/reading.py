"""Reading what a command is given: files, standard input, JSON, numbers. Each fault is one line in words."""

from __future__ import annotations

import sys
from argparse import ArgumentTypeError
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Final

from interrupts.contracts.json_text import MalformedJson, parse_json
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import NotFound, ValidationFailed

STANDARD_INPUT: Final = "-"
MAX_DAYS: Final = 36_500
MAX_HOURS: Final = 720
MAX_SHOWN: Final = 10_000
_MAX_BYTES: Final = 1_048_576


def read_json(name: str) -> JsonValue:
    """Return the JSON value of a file, or of standard input for ``-``. Raises NotFound or ValidationFailed."""
    raw = _standard_input().read(_MAX_BYTES + 1) if name == STANDARD_INPUT else _read_file(name)
    try:
        return parse_json(raw)
    except MalformedJson as error:
        place = f"{_shown(name)}, line {error.line}, column {error.column}"
        raise ValidationFailed(f"{place}: {error.message}") from error


def read_object(name: str) -> JsonObject:
    """Return the JSON object of a file or of standard input. Raises NotFound or ValidationFailed."""
    value = read_json(name)
    if not isinstance(value, dict):
        raise ValidationFailed(f"{_shown(name)}: this must be a JSON object, written in braces.")
    return value


def read_password() -> str:
    """Return the first line of standard input, without its line break. Raises ValidationFailed when there is none."""
    line = _standard_input().readline(4096)
    try:
        password = line.decode().rstrip("\r\n")
    except UnicodeDecodeError as error:
        raise ValidationFailed("The password on standard input is not UTF-8.") from error
    if not password:
        raise ValidationFailed("There is no password on standard input. Example: echo 'a long password' | wop user …")
    return password


def json_files(names: Iterable[str]) -> list[str]:
    """Return the files named, and for a directory the ``*.json`` in it, sorted. Raises NotFound."""
    return [file for name in names for file in _expand(name)]


def days(text: str) -> int:
    """Return a number of days from 1 to 36,500 (for argparse)."""
    if not _is_number(text, 1, MAX_DAYS):
        raise ArgumentTypeError(f"must be a whole number of days from 1 to {MAX_DAYS}, not {text!r}")
    return int(text)


def count(text: str) -> int:
    """Return how many things to show, from 1 to 10,000 (for argparse)."""
    if not _is_number(text, 1, MAX_SHOWN):
        raise ArgumentTypeError(f"must be a whole number from 1 to {MAX_SHOWN}, not {text!r}")
    return int(text)


def hours(text: str) -> int:
    """Return a number of hours from 0 to 720 (for argparse)."""
    if not _is_number(text, 0, MAX_HOURS):
        raise ArgumentTypeError(f"must be a whole number of hours from 0 to {MAX_HOURS}, not {text!r}")
    return int(text)


def _is_number(text: str, least: int, most: int) -> bool:
    """Tell whether plain digits, no more of them than such a number needs, spell one in these bounds."""
    return text.isascii() and text.isdigit() and len(text) <= len(str(most)) and least <= int(text) <= most


def _expand(name: str) -> list[str]:
    if name == STANDARD_INPUT or not _is_directory(name):
        return [name]
    files = sorted(str(path) for path in Path(name).glob("*.json"))
    if not files:
        raise NotFound(f"{name}: there is no file *.json in this directory.")
    return files


def _is_directory(name: str) -> bool:
    try:
        return Path(name).is_dir()
    except (OSError, ValueError):
        return False


def _read_file(name: str) -> bytes:
    try:
        with Path(name).open("rb") as file:
            return file.read(_MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise NotFound(f"{name}: there is no such file.") from error
    except OSError as error:
        raise ValidationFailed(f"{name}: cannot be read ({error.strerror}).") from error
    except ValueError as error:
        raise ValidationFailed(f"{name!r} is not a file name.") from error


def _standard_input() -> IO[bytes]:
    # Python sets sys.stdin to None when the shell closed it (`<&-`).
    if sys.stdin is None:
        raise ValidationFailed("Standard input is closed.")
    return sys.stdin.buffer


def _shown(name: str) -> str:
    return "standard input" if name == STANDARD_INPUT else name
