"""Reading what a request says: its body, strictly, and its query parameters."""

from __future__ import annotations

from typing import Final, Protocol, cast

from django.http import HttpRequest

from interrupts import conf
from interrupts.contracts.json_text import MalformedJson, parse_json
from interrupts.contracts.shipped import shipped
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import validate
from interrupts.errors import PayloadTooLarge, UnsupportedMediaType, ValidationFailed
from interrupts.problems import validation_failed

_UTF8: Final = frozenset({"utf-8", "utf8"})
_DRAINED_BYTES: Final = 16 * 2**20
_CHUNK_BYTES: Final = 2**16


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def read_body(request: HttpRequest) -> bytes:
    """Return the raw body. Raises PayloadTooLarge, with nothing of the body kept, and UnsupportedMediaType.

    A chunked body has no declared length: Django would take it for empty, so it is read from the server's own stream,
    which ends where the body ends.
    """
    limit = conf.limits().max_body_bytes
    is_chunked = "HTTP_TRANSFER_ENCODING" in request.META
    stream = cast("Readable", request.META["wsgi.input"] if is_chunked else request)
    body = b"" if _declared_length(request) > limit else _read(stream, limit + 1)
    if len(body) > limit or _declared_length(request) > limit:
        _drain(stream)
        raise PayloadTooLarge(f"The body is larger than {limit} bytes.", details={"maxRequestBodyBytes": limit})
    if body:
        _check_media_type(request)
    return body


def read_json(raw: bytes) -> JsonValue:
    """Return the value of a JSON text, read strictly. Raises ValidationFailed with the line and column of the fault."""
    try:
        return parse_json(raw, max_bytes=conf.limits().max_body_bytes)
    except MalformedJson as error:
        raise ValidationFailed(
            f"The body cannot be read: {error.message} (line {error.line}, column {error.column})",
            details={"line": error.line, "column": error.column},
        ) from error


def read_object(raw: bytes, schema: str) -> JsonObject:
    """Return the body as an object that fits one of our schemas. Raises ValidationFailed with every problem."""
    value = read_json(raw)
    problems = validate(shipped(schema), value)
    if problems:
        raise validation_failed(problems)
    return cast("JsonObject", value)


def read_integer(request: HttpRequest, name: str, *, default: int, minimum: int, maximum: int) -> int:
    """Return a whole number from the query. Raises ValidationFailed for anything else, or one out of bounds."""
    text = request.GET.get(name)
    if text is None:
        return default
    digits = text.removeprefix("-")
    number = int(text) if digits.isascii() and digits.isdigit() and len(digits) <= 20 else None
    if number is None or not minimum <= number <= maximum:
        raise ValidationFailed(f"{name} must be a whole number from {minimum} to {maximum}.", details={"field": name})
    return number


def _declared_length(request: HttpRequest) -> int:
    length = str(request.META.get("CONTENT_LENGTH") or "0")
    return int(length) if length.isascii() and length.isdigit() and len(length) <= 20 else 0


def _read(stream: Readable, size: int) -> bytes:
    try:
        return stream.read(size)
    except Exception as error:
        # Each server has types of its own for a body that breaks off, or for chunks that are not written as chunks.
        raise ValidationFailed("The body ended before it was complete, or its chunks cannot be read.") from error


def _drain(stream: Readable) -> None:
    """Take in, within reason, the rest of a refused body: a client that still sends would not see the refusal."""
    left = _DRAINED_BYTES
    while left > 0 and (chunk := _read(stream, _CHUNK_BYTES)):
        left -= len(chunk)


def _check_media_type(request: HttpRequest) -> None:
    """A body without a type is taken for JSON; one that says it is something else is not."""
    named = request.content_type
    charset = (request.content_params or {}).get("charset", "utf-8").lower()
    if named not in {None, "", "application/json"} or charset not in _UTF8:
        raise UnsupportedMediaType
