"""The MCP server: the SDK's own, with the tools of one caller."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from mcp.server import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS, CallToolRequestParams, CallToolResult, ListToolsResult, PaginatedRequestParams

from interrupts.surfaces.mcp.tools import METHOD_OF, Caller, tools, use
from interrupts.vocabulary import IMPLEMENTATION_VERSION

_SHOWN: Final = 80
_INSTRUCTIONS: Final = (
    "Questions to people, and workflows that wait for their answers. To ask: interrupts_raise, then interrupts_wait"
    " until it has ended. To answer: interrupts_list, workflow_runs_inspect, then workflow_runs_resume with one of the"
    " outcomes and a payload that satisfies the resume_schema."
    " What is wrong with a call is told with a code and, by JSON Pointer, each problem."
)

# Does blocking work where it may block, and returns what it returned.
Runner = Callable[[Callable[[], CallToolResult]], Awaitable[CallToolResult]]
Context = ServerRequestContext[dict[str, Any]]


def build_server(caller: Caller, runner: Runner) -> Server[dict[str, Any]]:
    """Return a server whose tools act for one caller. The event loop itself never touches the database."""

    async def list_tools(_context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
        return ListToolsResult(tools=tools())

    async def call_tool(_context: Context, params: CallToolRequestParams) -> CallToolResult:
        if params.name not in METHOD_OF:
            known = ", ".join(METHOD_OF)
            raise MCPError(INVALID_PARAMS, f"There is no tool “{params.name[:_SHOWN]}”. There are: {known}.")
        return await runner(partial(use, params.name, params.arguments or {}, caller))

    return Server(
        "wopsite",
        version=IMPLEMENTATION_VERSION,
        title="wopsite",
        instructions=_INSTRUCTIONS,
        on_list_tools=list_tools,
        on_call_tool=call_tool,
    )
