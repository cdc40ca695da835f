"""The OpenAPI document, generated from the operations and our own JSON Schemas (wire contract §1.1)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from functools import cache
from typing import Any, Final, cast

from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.openapi import AutoSchema

from interrupts.capabilities import offered
from interrupts.contracts.json_text import dump_json
from interrupts.contracts.shipped import shipped_document
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.surfaces.problems import http_status
from interrupts.surfaces.rest.operations import Operation, Parameter
from interrupts.vocabulary import IDEMPOTENCY_KEY_PATTERN, PROTOCOL_VERSION

_COMPONENTS: Final = "#/components/schemas/"
_VERSION: Final = Parameter(
    name="OpenWOP-Version",
    location="header",
    schema={"type": "string", "pattern": rf"^{PROTOCOL_VERSION.partition('.')[0]}(\.(0|[1-9][0-9]*))?$"},
    description="The protocol version wanted; only its major matters.",
)
_KEY: Final = Parameter(
    name="Idempotency-Key",
    location="header",
    schema={"type": "string", "pattern": IDEMPOTENCY_KEY_PATTERN},
    description="A key of the caller's choice: a request sent again with it is answered as the first time.",
)
_IF_NONE_MATCH: Final = Parameter(
    name="If-None-Match",
    location="header",
    schema={"type": "string"},
    description="The ETag of an earlier answer: 304 without a body when nothing has changed.",
)


class ProtocolSchema(AutoSchema):
    """Describes an operation from its :class:`Operation`, instead of guessing at serializers."""

    def get_operation(
        self, path: str, path_regex: str, path_prefix: str, method: str, registry: Any
    ) -> dict[str, Any] | None:
        operation: Operation = cast("Any", self.view).operations[method]
        described: dict[str, Any] = {
            "operationId": operation.id,
            "summary": operation.summary,
            "parameters": [*_path_parameters(path), *map(_parameter, _parameters(operation))],
            "responses": {**_answers(operation), **_refusals(operation)},
            "security": [{"apiKey": []}] if operation.needs_credential else [],
        }
        if operation.scope is not None:
            described["description"] = f"Needs the scope `{operation.scope}`."
        elif operation.has_scope_per_call:
            described["description"] = "Each call inside needs the scope of its method."
        if operation.body is not None:
            described["requestBody"] = {"required": not operation.body_is_optional, "content": _content(operation.body)}
        return described


class ProtocolSchemaGenerator(SchemaGenerator):
    """Enumerates the paths of the protocol alone and brings our JSON Schemas in as components."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "urlconf": "interrupts.urls"})  # type: ignore[no-untyped-call]

    def get_schema(self, request: Any = None, public: bool = False) -> dict[str, Any]:
        document: dict[str, Any] = super().get_schema(request, public=True)  # type: ignore[no-untyped-call]
        document["components"] = {
            "securitySchemes": {"apiKey": {"type": "http", "scheme": "bearer"}},
            "schemas": _components(document["paths"]),
        }
        return document


@cache
def openapi_text() -> str:
    """Return the OpenAPI 3.1 document of what this host serves, as JSON."""
    return dump_json(ProtocolSchemaGenerator().get_schema())


def _parameters(operation: Operation) -> list[Parameter]:
    extra = [_KEY] if operation.is_mutation else []
    extra += [_IF_NONE_MATCH] if operation.is_conditional else []
    return [_VERSION, *operation.parameters, *extra]


def _parameter(parameter: Parameter) -> JsonObject:
    return {
        "name": parameter.name,
        "in": parameter.location,
        "description": parameter.description,
        "schema": parameter.schema,
    }


def _path_parameters(path: str) -> list[JsonObject]:
    words = {
        "run_id": "The run's id with its slash written as ~2F, such as acme~2Fr-0123456789abcdef.",
        "webhook_id": "The webhook's id with its slash written as ~2F.",
        "token": "The signed token of a link.",
    }
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string"},
            "description": words.get(name, "Percent-encoded."),
        }
        for name in re.findall(r"{(\w+)}", path)
    ]


def _answers(operation: Operation) -> dict[str, Any]:
    answers: dict[str, Any] = {
        str(status): {"description": "Done."}
        if schema is None
        else {"description": "Done.", "content": _content(schema)}
        for status, schema in operation.answers.items()
    }
    if operation.is_conditional:
        answers["304"] = {"description": "Unchanged since the ETag that was sent."}
    return answers


def _refusals(operation: Operation) -> dict[str, Any]:
    codes: dict[int, list[str]] = defaultdict(list)
    for code in operation.errors:
        codes[http_status(code)].append(code)
    return {
        str(status): {
            "description": "One of: " + ", ".join(f"`{code}`" for code in codes[status]),
            "content": _content(operation.refusal),
        }
        for status in sorted(codes)
    }


def _content(schema: str) -> dict[str, Any]:
    return {"application/json": {"schema": {"$ref": f"{_COMPONENTS}{schema}"}}}


# --- Our schemas as components ----------------------------------------------------------------------------------------


def _components(paths: JsonValue) -> dict[str, JsonValue]:
    """Return the schemas that the paths reach, each under its own name."""
    components: dict[str, JsonValue] = {}
    waiting = _referred(paths)
    while waiting:
        name = waiting.pop()
        if name not in components:
            components[name] = _component(name)
            waiting |= _referred(components[name])
    return dict(sorted(components.items()))


def _component(name: str) -> JsonValue:
    """Return one schema with its references turned to the components; a ``$id`` there would move their base."""
    document = shipped_document(name)
    for keyword in ("$schema", "$id"):
        document.pop(keyword, None)
    if name == "capabilities":
        document["properties"] = _advertised(cast("JsonObject", document["properties"]))
    return _moved(document, name)


def _advertised(properties: JsonObject) -> JsonObject:
    """Of the many families the protocol knows, describe those that this host offers."""
    return {name: schema for name, schema in properties.items() if name in offered()}


def _moved(value: JsonValue, home: str) -> JsonValue:
    if isinstance(value, list):
        return [_moved(item, home) for item in value]
    if not isinstance(value, dict):
        return value
    moved = {name: _moved(item, home) for name, item in value.items()}
    reference = value.get("$ref")
    if isinstance(reference, str):
        name, _, pointer = reference.partition("#")
        moved["$ref"] = f"{_COMPONENTS}{name.removesuffix('.schema.json') or home}{pointer}"
    return moved


def _referred(value: JsonValue) -> set[str]:
    """Return the names of the components that a value refers to."""
    if isinstance(value, list):
        return _union(_referred(item) for item in value)
    if not isinstance(value, dict):
        return set()
    reference = value.get("$ref")
    own = {reference.removeprefix(_COMPONENTS).partition("/")[0]} if isinstance(reference, str) else set()
    return own | _union(_referred(item) for item in value.values())


def _union(sets: Iterable[set[str]]) -> set[str]:
    return set().union(*sets)
