"""What an agent sees: each method as a tool, its result as structured content, a refusal as the tool's error."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from mcp_types import CallToolResult, TextContent, Tool, ToolAnnotations

from interrupts.contracts.json_text import MalformedJson, dump_json, parse_json
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import ValidationFailed, WopError
from interrupts.problems import in_lines
from interrupts.services.idempotency import ReplayedError
from interrupts.surfaces.faults import told
from interrupts.surfaces.methods.base import Method
from interrupts.surfaces.methods.table import METHODS
from interrupts.surfaces.problems import refusal

# A method's result, or any WopError: who calls, and how, is fixed by the transport.
Caller = Callable[[str, JsonValue], JsonObject]


def tool_name(method: str) -> str:
    """Return a name that every client takes: some know letters, digits, '_' and '-' alone."""
    return method.replace(".", "_")


METHOD_OF: Final = {tool_name(name): name for name in METHODS}


def tools() -> list[Tool]:
    """Return every method as a tool."""
    return [_tool(method) for method in METHODS.values()]


def use(tool: str, arguments: JsonValue, caller: Caller) -> CallToolResult:
    """Use a tool. Whatever goes wrong is told as the tool's error, so that the agent can put it right."""
    method = METHOD_OF[tool]
    try:
        return _result(caller(method, _strict(arguments)))
    except ReplayedError as replayed:
        return _error(replayed.error)
    except Exception as error:  # noqa: BLE001 - an agent can act on an error of the tool, not on a broken connection
        return _error(told(error, asked=f"mcp {method}"))


def _tool(method: Method) -> Tool:
    return Tool(
        name=tool_name(method.name),
        title=method.summary,
        description=f"{method.summary}. Returns {method.result}.",
        input_schema=method.params_schema,
        annotations=ToolAnnotations(
            read_only_hint=not method.is_mutation,
            destructive_hint=method.is_destructive,
            open_world_hint=False,
        ),
    )


def _strict(arguments: JsonValue) -> JsonValue:
    """Return the arguments, read as strictly as any body: the SDK's own reader lets more pass."""
    try:
        return parse_json(dump_json(arguments))
    except MalformedJson as error:
        raise ValidationFailed(f"The arguments cannot be read: {error.message}") from error


def _result(result: JsonObject) -> CallToolResult:
    return CallToolResult(content=[TextContent(text=dump_json(result))], structured_content=result)


def _error(error: WopError) -> CallToolResult:
    problems = in_lines(error) if "problems" in error.details else []
    text = "\n".join([f"{error.code}: {error.message}", *problems])
    return CallToolResult(content=[TextContent(text=text)], structured_content=refusal(error), is_error=True)
