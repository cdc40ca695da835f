"""What commands rely on in the results of methods: another host may be of another version, or be none at all."""

from __future__ import annotations

from typing import Final

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate

_TEXT: Final[JsonObject] = {"type": "string"}
_TRUTH: Final[JsonObject] = {"type": "boolean"}


def is_as_expected(method: str, result: JsonValue) -> bool:
    """Tell whether a result has what the commands read of it. More than that is left alone."""
    return not validate(compile_schema(_SCHEMAS.get(method, _object({}))), result)


def _object(members: JsonObject, *, optional: JsonObject | None = None, kind: JsonValue = "object") -> JsonObject:
    return {"type": kind, "properties": {**members, **(optional or {})}, "required": list(members)}


def _list(items: JsonObject) -> JsonObject:
    return {"type": "array", "items": items}


_QUESTION: Final[JsonObject] = {"id": _TEXT, "node_id": _TEXT, "kind": _TEXT, "outcomes": _list(_TEXT), "payload": True}
_RUN: Final = _object({"run_id": _TEXT, "status": _TEXT})
_SCHEMAS: Final[dict[str, JsonObject]] = {
    "workflow.runs.start": _RUN,
    "workflow.runs.get": _RUN,
    "workflow.runs.cancel": _RUN,
    "workflow.runs.resume": _RUN,
    "workflow.runs.pause": _RUN,
    "workflow.runs.unpause": _RUN,
    "workflow.runs.events": _object(
        {
            "status": _TEXT,
            "is_terminal": _TRUTH,
            "last_sequence": {"type": "integer"},
            "events": _list(_object({"type": _TEXT})),
        }
    ),
    "workflow.runs.inspect": _object(
        {
            "run_id": _TEXT,
            "run_status": _TEXT,
            "interrupt": _object({**_QUESTION, "resume_schema": True}, kind=["object", "null"]),
        },
        optional={"interrupts": _list(_TEXT)},
    ),
    "interrupts.list": _object(
        {"interrupts": _list(_object({**_QUESTION, "run_id": _TEXT}))}, optional={"next_cursor": _TEXT}
    ),
    "workflow.validate": _object(
        {
            "valid": _TRUTH,
            "diagnostics": _list(_object({"code": _TEXT, "severity": _TEXT, "pointer": _TEXT, "message": _TEXT})),
        }
    ),
}
