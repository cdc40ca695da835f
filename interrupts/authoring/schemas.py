"""JSON Schemas out of what authors write: plain dictionaries, and models that describe themselves."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from typing import Any, Final, Protocol, TypeAlias, cast, runtime_checkable

from interrupts.authoring.plain import AuthoringError, fault, plain_object
from interrupts.contracts.admission import check_schema
from interrupts.contracts.pointers import find, read_pointer
from interrupts.contracts.types import JsonObject, JsonValue

_WHAT: Final = "This schema cannot be stored."
# As deep as a schema is followed to find out whether it describes an object.
_MAX_STEPS: Final = 32


@runtime_checkable
class Model(Protocol):
    """Whatever writes its own JSON Schema, such as a class of Pydantic. Nothing here imports Pydantic."""

    def model_json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema."""


Schema: TypeAlias = "Mapping[str, object] | Model"


def json_schema(schema: Schema) -> JsonObject:
    """Return the plain JSON Schema document of an object: what a request or an answer must be.

    Takes a dictionary, or anything with ``model_json_schema()``. A schema that describes an object by a reference or by
    choices is given the ``"type": "object"`` that follows from them. Raises AuthoringError for a schema that is none,
    describes no object, or holds what JSON does not know, such as a default that is a Python object.

    >>> json_schema({"type": "object", "properties": {"note": {"type": "string"}}})
    {'type': 'object', 'properties': {'note': {'type': 'string'}}}
    >>> json_schema({"type": "object", "default": {"at": b"now"}})
    Traceback (most recent call last):
        ...
    interrupts.authoring.plain.AuthoringError: This schema cannot be stored.
      /default/at: A bytes is not a JSON value. Write it as text, a number, a list or an object.
    """
    written = schema if isinstance(schema, Mapping) else _written_by(schema)
    document = plain_object(written, what=_WHAT)
    problems = check_schema(document)
    if problems:
        raise AuthoringError(_WHAT, problems)
    if not _describes_object(document, document, _MAX_STEPS):
        message = 'A request and an answer are objects: the schema must say "type": "object".'
        raise fault(_WHAT, ["type"], "type", message)
    return document if "type" in document else {**document, "type": "object"}


def _written_by(model: object) -> Mapping[str, object]:
    """Return what a model says of itself. A default that it would leave out with a warning is an error here."""
    if not isinstance(model, Model):
        message = f"A schema is a dictionary or has “model_json_schema()”; this is {model!r:.80}."
        raise fault(_WHAT, (), "type", message)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", UserWarning)
            written = model.model_json_schema()
    except (RuntimeError, TypeError, ValueError, NameError, UserWarning) as error:
        raise fault(_WHAT, (), "model", f"{_name_of(model)} has no JSON Schema: {error}") from error
    if not isinstance(written, Mapping):
        raise fault(_WHAT, (), "model", f"{_name_of(model)} has no JSON Schema: it gives a {type(written).__name__}.")
    return written


def _name_of(model: object) -> str:
    return str(getattr(model, "__name__", type(model).__name__))


def _describes_object(schema: JsonValue, root: JsonObject, steps: int) -> bool:
    if not isinstance(schema, dict) or steps == 0:
        return False
    if "type" in schema:
        return schema["type"] == "object"
    if "$ref" in schema:
        return _describes_object(_referred(cast("str", schema["$ref"]), root), root, steps - 1)
    choices = schema.get("oneOf", schema.get("anyOf"))
    return isinstance(choices, list) and all(_describes_object(choice, root, steps - 1) for choice in choices)


def _referred(reference: str, root: JsonObject) -> JsonValue:
    """Return what a pointer inside the document leads to; None for any other reference."""
    try:
        return find(root, read_pointer(reference.removeprefix("#")))
    except (LookupError, ValueError):
        return None
