"""The schemas of the wire contract that this package carries, under ``interrupts/schemas``."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any, Final, cast

from referencing import Registry
from referencing.jsonschema import DRAFT202012, SchemaRegistry

from interrupts.contracts.checking import CompiledSchema, assemble
from interrupts.contracts.json_text import digest, parse_json
from interrupts.contracts.types import JsonObject

_SUFFIX: Final = ".schema.json"
_BASE: Final = "https://openwop.dev/spec/v2/"
_OF_DOCUMENTS: Final = {"$schema", "$id", "$comment", "title"}
_FOLDER: Final = files("interrupts") / "schemas"


@cache
def shipped_names() -> tuple[str, ...]:
    """Return the names of all schemas we ship, sorted."""
    return tuple(sorted(f.name.removesuffix(_SUFFIX) for f in _FOLDER.iterdir() if f.name.endswith(_SUFFIX)))


@cache
def shipped(name: str) -> CompiledSchema:
    """Return one of our own schemas, such as ``shipped("create-run-request")``. Raises KeyError for an unknown name."""
    if name not in shipped_names():
        raise KeyError(name)
    schema = shipped_document(name)
    return assemble(schema, digest=digest(schema), registry=_registry())


@cache
def event_payload(event_type: str) -> CompiledSchema:
    """Return the schema of the payload of a run event's type (wire contract §9).

    Raises KeyError for a type that is not registered, or whose definition we do not carry.
    """
    definition = _event_types()[event_type]
    schema: JsonObject = {"$ref": f"{_BASE}run-event-payloads{_SUFFIX}#/$defs/{definition}"}
    return assemble(schema, digest=digest(schema), registry=_registry())


@cache
def port_value() -> CompiledSchema:
    """Return the schema of a value as the inputs of a workflow's nodes have it."""
    schema: JsonObject = {"$ref": f"{_BASE}workflow-definition{_SUFFIX}#/$defs/PortValue"}
    return assemble(schema, digest=digest(schema), registry=_registry())


@cache
def interrupt_rules(kind: str) -> CompiledSchema:
    """Return what the payload schema says of one kind of interrupt: its ``data``, and for some more than that.

    Validating against the whole payload schema would also report in what way the data is not that of another kind.
    Raises KeyError for a kind that the schema does not know.
    """
    schema: JsonObject = {"$ref": f"{_rule(kind)}/then"}
    return assemble(schema, digest=digest(schema), registry=_registry())


@cache
def data_schema(kind: str) -> JsonObject:
    """Return the schema of the ``data`` of one kind of interrupt, whole: nothing in it leads to another document.

    Raises KeyError for a kind that the payload schema does not know.
    """
    found = _registry().resolver().lookup(f"{_rule(kind)}/then/properties/data")
    return cast("JsonObject", _inlined(found.contents, found.resolver))


def _rule(kind: str) -> str:
    rules = cast("list[dict[str, Any]]", shipped_document("suspend-request")["allOf"])
    places = {rule["if"]["properties"]["kind"]["const"]: index for index, rule in enumerate(rules)}
    return f"{_BASE}suspend-request{_SUFFIX}#/allOf/{places[kind]}"


def _inlined(schema: Any, resolver: Any) -> Any:
    if isinstance(schema, list):
        return [_inlined(item, resolver) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if "$ref" in schema:
        found = resolver.lookup(schema["$ref"])
        whole = {name: value for name, value in found.contents.items() if name not in _OF_DOCUMENTS}
        return _inlined(whole, found.resolver)
    return {name: _inlined(value, resolver) for name, value in schema.items()}


def shipped_document(name: str) -> JsonObject:
    """Return the document of one of our own schemas, freshly read."""
    return _read(f"{name}{_SUFFIX}")


def event_types() -> frozenset[str]:
    """Return the event types whose payloads can be checked."""
    return frozenset(_event_types())


@cache
def registered_event_types() -> frozenset[str]:
    """Return every event type of the protocol, those too that this host never appends."""
    return frozenset(cast("dict[str, object]", _read("event-type-index.json")["types"]))


@cache
def _event_types() -> dict[str, str]:
    index = cast("dict[str, dict[str, object]]", _read("event-type-index.json")["types"])
    return {name: str(entry["def"]) for name, entry in index.items() if entry["inSubset"]}


@cache
def _registry() -> SchemaRegistry:
    documents = (shipped_document(name) for name in shipped_names())
    resources = [(str(document["$id"]), DRAFT202012.create_resource(document)) for document in documents]
    return cast("SchemaRegistry", Registry().with_resources(resources).crawl())


def _read(filename: str) -> JsonObject:
    return cast("JsonObject", parse_json((_FOLDER / filename).read_bytes()))
