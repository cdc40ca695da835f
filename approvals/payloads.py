"""What an answer to a gate says besides its action, as a schema for clients that know no more. Pure."""

from __future__ import annotations

from functools import cache
from typing import Final, cast

from interrupts.contracts.composition import embedded
from interrupts.contracts.dialects import DRAFT_04, dialect_of
from interrupts.contracts.shipped import shipped_document
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import SchemaRefused, compile_schema
from interrupts.vocabulary import Action

_ACTION: Final = "action"
# What only one action carries.
_USED_BY: Final = {Action.REFINE: "refineFeedback", Action.EDIT_ACCEPT: "editedArtifactData"}
# A schema of these members alone can be read without its action. What combines schemas may look at the action anywhere.
_PLAIN: Final = frozenset({
    "$schema", "$comment", "$defs", "definitions", "title", "description", "type", "properties", "required",
    "additionalProperties",
})  # fmt: skip


def payload_schema(actions: tuple[str, ...], asked: JsonObject | None) -> JsonObject:
    """Return the schema of an answer without its action: the protocol's, and the gate's own where that can be told.

    What one action alone requires, and what a gate's own schema says in combinations, is only told with an answer.
    """
    schema = _of_the_protocol(actions)
    if asked is None or not _PLAIN.issuperset(asked) or dialect_of(asked) is DRAFT_04:
        return schema
    dialect = dialect_of(asked)
    both: JsonObject = {"$schema": dialect.uri, **schema, "allOf": [embedded(_without_action(asked), into=dialect)]}
    try:
        compile_schema(both)
    except SchemaRefused:
        return schema
    return both


@cache
def _of_the_protocol(actions: tuple[str, ...]) -> JsonObject:
    known = cast("JsonObject", shipped_document("approval-resume")["properties"])
    unused = {name for action, name in _USED_BY.items() if action not in actions}
    members = {name: schema for name, schema in known.items() if name not in {_ACTION, "decidedBy", *unused}}
    return {"type": "object", "properties": members, "propertyNames": {"not": {"const": _ACTION}}}


def _without_action(schema: JsonObject) -> JsonObject:
    members = cast("JsonObject", schema.get("properties", {}))
    required = cast("list[JsonValue]", schema.get("required", []))
    return {
        **schema,
        "properties": {name: member for name, member in members.items() if name != _ACTION},
        "required": [name for name in required if name != _ACTION],
    }
