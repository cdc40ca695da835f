"""One client a surface, all with the same calls: what each is told must be the same.

A new surface is one more class here and one more name in ``SURFACES``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Protocol

from tests.surfaces.cli.surface import CommandLine, CommandLineElsewhere
from tests.surfaces.mcp.client import Mcp
from tests.surfaces.rest.api import Api, wire
from tests.surfaces.rpc.client import PATH, Rpc


@dataclass(frozen=True)
class Refused:
    """A refusal: its registered code, and each problem as ``(pointer, keyword, message)``."""

    code: str
    problems: tuple[tuple[str, str, str], ...] = ()

    @property
    def pointers(self) -> list[str]:
        return [pointer for pointer, _, _ in self.problems]


class Surface(Protocol):
    """What every surface can do with a workflow and its runs."""

    def check(self, document: Any) -> Any:
        """Check a definition: ``{valid, diagnostics}``."""

    def inspect(self, run_id: str) -> Any:
        """Return what a run waits for."""

    def resume(self, run_id: str, outcome: str, payload: Any) -> str | Refused:
        """Answer it: the status of the run afterwards, or the refusal."""


class Rest:
    """REST answers at the node, with outcome and payload as the resume value."""

    def __init__(self, secret: str) -> None:
        self._api = Api(secret)
        self._nodes: dict[str, str] = {}

    def check(self, document: Any) -> Any:
        answer = self._api.post("/host/wopsite/workflows:check", document)
        assert answer.status == 200
        return answer.body

    def inspect(self, run_id: str) -> Any:
        answer = self._api.get(f"/host/wopsite/runs/{wire(run_id)}/interrupt")
        assert answer.status == 200
        return answer.body

    def resume(self, run_id: str, outcome: str, payload: Any) -> str | Refused:
        node_id = self._nodes.get(run_id) or self.inspect(run_id)["interrupt"]["node_id"]
        self._nodes[run_id] = node_id
        body = {"resumeValue": {"outcome": outcome, "payload": payload}}
        answer = self._api.post(f"/runs/{wire(run_id)}/interrupts/{node_id}", body)
        if answer.status == 200:
            return str(answer.body["status"])
        return refusal(answer.body["error"], answer.body.get("details"), below="/resumeValue")


class _ByName:
    """A surface that calls methods by name and gives back the result, or the refusal."""

    def _call(self, method: str, params: Any) -> Any:
        raise NotImplementedError

    def check(self, document: Any) -> Any:
        return self._call("workflow.validate", {"workflow": document})

    def inspect(self, run_id: str) -> Any:
        return self._call("workflow.runs.inspect", {"run_id": run_id})

    def resume(self, run_id: str, outcome: str, payload: Any) -> str | Refused:
        params = {"run_id": run_id, "outcome": outcome, "payload": payload}
        told = self._call("workflow.runs.resume", params)
        return told if isinstance(told, Refused) else str(told["status"])


class JsonRpc(_ByName):
    def __init__(self, secret: str) -> None:
        self._rpc = Rpc(Api(secret))

    def _call(self, method: str, params: Any) -> Any:
        answer = self._rpc.api.post(PATH, {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}).body
        if "result" in answer:
            return answer["result"]
        data = answer["error"]["data"]
        return refusal(data["code"], data.get("details"))


class Tools(_ByName):
    """MCP over HTTP."""

    def __init__(self, secret: str) -> None:
        self._mcp = Mcp(secret)

    def _call(self, method: str, params: Any) -> Any:
        named = {"name": method.replace(".", "_"), "arguments": params}
        result = self._mcp.message("tools/call", named)
        told = result["structuredContent"]
        return refusal(told["code"], told.get("details")) if result["isError"] else told


def refusal(code: str, details: Any, below: str = "") -> Refused:
    """Return a refusal, its pointers taken from ``below`` on."""
    problems = (details or {}).get("problems", ())
    told = [(each["pointer"].removeprefix(below), each["keyword"], each["message"]) for each in problems]
    return Refused(code, tuple(told))


SURFACES: Final[dict[str, Callable[[str], Surface]]] = {
    "rest": Rest,
    "rpc": JsonRpc,
    "mcp": Tools,
    "cli": partial(CommandLine, Refused),
    "cli-elsewhere": partial(CommandLineElsewhere, Refused),
}
