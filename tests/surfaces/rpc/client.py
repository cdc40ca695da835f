"""A small client of the JSON-RPC surface for tests: it checks what holds for every answer."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from interrupts.surfaces.rpc.framing import error_code
from tests.surfaces.rest.api import Answer, Api

PATH = "/host/wopsite/rpc"


@dataclass
class Rpc:
    """Calls with one key."""

    api: Api
    ids: count[int] = field(default_factory=lambda: count(1))

    def send(self, raw: bytes, /, **headers: str) -> Answer:
        """Send bytes as they are; whatever comes back fits our schema of an answer."""
        answer = self.api.send("POST", PATH, raw, **headers)
        if answer.status == 200:
            answer.fits("json-rpc-answer")
        return answer

    def message(self, message: Any, /, **headers: str) -> Any:
        """Send one message and return what was answered to it; None to notifications."""
        answer = self.send(json.dumps(message).encode(), **headers)
        assert answer.status in {200, 204}, answer.raw
        return None if answer.status == 204 else answer.body

    def call(self, method: str, params: Any = None, /, **headers: str) -> Any:
        """Call a method and return its result."""
        answer = self._ask(method, params, **headers)
        assert "result" in answer, answer
        return answer["result"]

    def refused(self, method: str, params: Any, code: str, /, **headers: str) -> Any:
        """Check that a call is refused with a registered code, and return the details."""
        answer = self._ask(method, params, **headers)
        assert answer["error"]["data"]["code"] == code, answer
        assert answer["error"]["code"] == error_code(code)
        assert answer["error"]["message"] == answer["error"]["data"]["message"]
        return answer["error"]["data"].get("details", {})

    def _ask(self, method: str, params: Any, **headers: str) -> Any:
        request = {"jsonrpc": "2.0", "method": method, "id": next(self.ids)}
        if params is not None:
            request["params"] = params
        answer = self.message(request, **headers)
        assert answer["id"] == request["id"]
        return answer


def pointers(details: Any) -> list[tuple[str, str]]:
    """The problems as ``(pointer, keyword)``."""
    return [(problem["pointer"], problem["keyword"]) for problem in details["problems"]]
