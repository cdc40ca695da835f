"""MCP over standard input and output: messages there, everything else on standard error."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import anyio
from django.db import close_old_connections, connections
from mcp.server.stdio import stdio_server
from mcp_types import CallToolResult

from interrupts.surfaces.mcp.server import build_server
from interrupts.surfaces.mcp.tools import Caller


def serve(caller: Caller) -> None:
    """Serve until standard input ends. Tools are used side by side, so one that waits keeps nobody else waiting."""
    anyio.run(partial(_serve, caller))


async def _serve(caller: Caller) -> None:
    server = build_server(caller, _on_a_thread)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


async def _on_a_thread(work: Callable[[], CallToolResult]) -> CallToolResult:
    return await anyio.to_thread.run_sync(partial(_with_connection, work), abandon_on_cancel=True)


def _with_connection(work: Callable[[], CallToolResult]) -> CallToolResult:
    """Threads come and go: each gives its database connection back."""
    close_old_connections()
    try:
        return work()
    finally:
        connections.close_all()
