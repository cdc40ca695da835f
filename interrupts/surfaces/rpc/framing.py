"""The frame of JSON-RPC 2.0: what a request is, and what an answer looks like (jsonrpc.org/specification)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from interrupts.contracts.json_text import MalformedJson
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import ValidationFailed, WopError
from interrupts.surfaces import problems

VERSION: Final = "2.0"
PARSE_ERROR: Final = -32700
INVALID_REQUEST: Final = -32600
METHOD_NOT_FOUND: Final = -32601
INVALID_PARAMS: Final = -32602
INTERNAL_ERROR: Final = -32603
_MEMBERS: Final = frozenset({"jsonrpc", "method", "params", "id"})
_SHOWN: Final = 80

RequestId = str | int | float | None


@dataclass(frozen=True, slots=True)
class Request:
    """One call. A notification asks for no answer, not even to an error."""

    method: str
    params: JsonValue
    request_id: RequestId = None
    is_notification: bool = False


class InvalidRequest(ValidationFailed):
    """This is not a JSON-RPC 2.0 request."""

    def __init__(self, message: str, request_id: RequestId = None) -> None:
        super().__init__(message)
        self.request_id = request_id


def read_request(value: JsonValue) -> Request:
    """Return the request that a value is, or raise InvalidRequest: with its id where that could be told."""
    if not isinstance(value, dict):
        raise InvalidRequest("A request is a JSON object.")
    request_id = value.get("id")
    if isinstance(request_id, bool | dict | list):
        raise InvalidRequest("id must be text, a number or null.")
    fault = _fault(value)
    if fault is not None:
        raise InvalidRequest(fault, request_id)
    return Request(
        method=str(value["method"]),
        params=value.get("params", {}),
        request_id=request_id,
        is_notification="id" not in value,
    )


def _fault(value: JsonObject) -> str | None:
    unknown = sorted(value.keys() - _MEMBERS)
    if unknown:
        return f"A request has no member “{unknown[0][:_SHOWN]}”; it has jsonrpc, method, params and id."
    if value.get("jsonrpc") != VERSION:
        return f'jsonrpc must be "{VERSION}".'
    if not isinstance(value.get("method"), str):
        return "method must be the name of a method, as text."
    if "params" in value and not isinstance(value["params"], dict | list):
        return "params must be an object."
    return None


def result_of(request_id: RequestId, result: JsonObject) -> JsonObject:
    return {"jsonrpc": VERSION, "result": result, "id": request_id}


def error_of(request_id: RequestId, error: WopError, code: int | None = None) -> JsonObject:
    """Return the answer that tells an error: ``data`` has the registered code, and the details as on REST."""
    number = error_code(error.code) if code is None else code
    told: JsonObject = {"code": number, "message": error.message, "data": problems.refusal(error)}
    return {"jsonrpc": VERSION, "error": told, "id": request_id}


def unreadable(error: MalformedJson) -> ValidationFailed:
    """Return the error for a message that is not strict JSON, with the place of the fault."""
    return ValidationFailed(
        f"The message cannot be read: {error.message} (line {error.line}, column {error.column})",
        details={"line": error.line, "column": error.column},
    )


def error_code(registered: str) -> int:
    """Return the JSON-RPC code of a registered one.

    What is wrong with the parameters is -32602 and a fault of ours -32603. The rest is told by the HTTP status that
    REST gives it: 4xx becomes -320xx (409 is -32009), 503 becomes -32053.
    """
    match problems.http_status(registered):
        case 400:
            return INVALID_PARAMS
        case 500:
            return INTERNAL_ERROR
        case status if status < 500:
            return -32000 - (status - 400)
        case status:
            return -32050 - (status - 500)
