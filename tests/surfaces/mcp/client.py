"""MCP messages by hand, through Django's test client: what the transport answers, byte by byte."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, cast

from django.http import HttpResponse
from django.test import Client

from tests.surfaces.rest.api import Answer

PATH = "/host/wopsite/mcp"
VERSION = "2025-11-25"


@dataclass
class Mcp:
    """Messages with one key. Every answer has the headers of the protocol's host."""

    secret: str | None = None

    def send(self, raw: bytes, /, *, method: str = "POST", **headers: str) -> Answer:
        """Send bytes as they are. Header names are spelled with underscores."""
        names = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": VERSION}
        names |= {name.replace("_", "-"): value for name, value in headers.items()}
        if self.secret is not None:
            names.setdefault("Authorization", f"Bearer {self.secret}")
        client = Client(raise_request_exception=False)
        sent = client.generic(method, PATH, raw, content_type="application/json", headers=names)
        response = cast("HttpResponse", sent)
        answer = Answer(response.status_code, dict(response.items()), response.content)
        assert answer.headers["OpenWOP-Version"] == "2.0"
        assert not {"Set-Cookie", "Access-Control-Allow-Origin", "Mcp-Session-Id"} & set(answer.headers)
        return answer

    def message(self, method: str, params: Any = None, /, **headers: str) -> Any:
        """Send a request and return its result."""
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params or {}}
        answer = self.send(json.dumps(request).encode(), **headers)
        assert (answer.status, answer.headers["Content-Type"]) == (200, "application/json"), answer.raw
        return answer.body["result"]

    def use(self, tool: str, arguments: Any = None, /, **headers: str) -> Any:
        """Use a tool and return its structured content; it must not have refused."""
        result = self._use(tool, arguments, **headers)
        assert not result["isError"], result
        assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def refused(self, tool: str, arguments: Any, code: str, /, **headers: str) -> Any:
        """Check that a tool refuses with a registered code, also in words, and return the details."""
        result = self._use(tool, arguments, **headers)
        refusal = result["structuredContent"]
        assert (result["isError"], refusal["code"]) == (True, code)
        assert result["content"][0]["text"].startswith(f"{code}: {refusal['message']}")
        return refusal.get("details", {})

    def _use(self, tool: str, arguments: Any, **headers: str) -> Any:
        params = {"name": tool} if arguments is None else {"name": tool, "arguments": arguments}
        return self.message("tools/call", params, **headers)
