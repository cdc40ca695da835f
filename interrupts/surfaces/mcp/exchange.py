"""One HTTP request driven through the SDK's streamable HTTP transport: stateless, answered in JSON."""

from __future__ import annotations

from collections.abc import Callable, MutableMapping
from typing import Any, Final

import anyio
from asgiref.sync import async_to_sync, sync_to_async
from django.http import HttpRequest, HttpResponse
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp_types import CallToolResult

from interrupts.surfaces.mcp.server import build_server
from interrupts.surfaces.mcp.tools import Caller

Message = MutableMapping[str, Any]

# The key has been judged; the length is that of the body as it was read.
_NOT_PASSED_ON: Final = frozenset({"authorization", "content-length", "transfer-encoding"})


def exchange(caller: Caller, request: HttpRequest, body: bytes) -> HttpResponse:
    """Answer one request. The event loop lives as long as the request, and leaves nothing behind.

    Tools are used on the thread of the request, which has its database connection.
    """
    messages = async_to_sync(_exchange)(caller, _scope(request), body)
    return _response(messages)


async def _on_the_requests_thread(work: Callable[[], CallToolResult]) -> CallToolResult:
    return await sync_to_async(work, thread_sensitive=True)()


async def _exchange(caller: Caller, scope: Message, body: bytes) -> list[Message]:
    sent: list[Message] = []
    waiting: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if waiting:
            return waiting.pop()
        await anyio.sleep_forever()
        raise AssertionError

    async def send(message: Message) -> None:
        sent.append(message)

    manager = StreamableHTTPSessionManager(
        build_server(caller, _on_the_requests_thread),
        json_response=True,
        stateless=True,
        max_request_body_size=max(1, len(body)),
    )
    async with manager.run():
        await manager.handle_request(scope, receive, send)
    return sent


def _scope(request: HttpRequest) -> Message:
    headers = [(name.lower(), value) for name, value in request.headers.items()]
    return {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": request.method,
        "scheme": request.scheme,
        "path": request.path,
        "raw_path": request.path.encode(),
        "query_string": b"",
        "root_path": "",
        "headers": [
            (name.encode("latin-1", "replace"), value.encode("latin-1", "replace"))
            for name, value in headers
            if name not in _NOT_PASSED_ON
        ],
        "client": None,
        "server": None,
    }


def _response(messages: list[Message]) -> HttpResponse:
    start = messages[0]
    body = b"".join(message.get("body", b"") for message in messages[1:])
    response = HttpResponse(body, status=start["status"])
    del response["Content-Type"]
    for name, value in start["headers"]:
        if name.lower() != b"content-length":
            response[name.decode("latin-1").title()] = value.decode("latin-1")
    return response
