"""The exchanges by name in docs/api.md happen as they are printed, and its table is that of the methods."""

from __future__ import annotations

import json
import re
from typing import Any, cast

from interrupts.surfaces.methods.base import KEY_MEMBER
from interrupts.surfaces.methods.table import METHODS
from tests.architecture.sources import ROOT
from tests.surfaces.mcp.client import Mcp
from tests.surfaces.rpc.client import Rpc

PAGE = (ROOT / "docs/api.md").read_text("utf-8").split("## JSON-RPC\n")[1].split("## Refusals\n")[0]
SECTIONS = {name: PAGE.split(f"{name}\n")[1] for name in ("### Ask a question", "## Agents (MCP)")}


def test_the_page_lists_every_method_with_its_parameters_and_scope() -> None:
    listed = {
        name: (re.findall(r"`(\w+\??)`", params), scope)
        for name, params, scope in re.findall(r"^\| `([\w.]+)` \| (.*) \| `([\w:]+)` \|$", PAGE, re.MULTILINE)
    }
    there = {}
    for name, method in METHODS.items():
        required = cast("list[str]", method.params_schema["required"])
        params = [each if each in required else f"{each}?" for each in method.properties if each != KEY_MEMBER]
        there[name] = ([*params, f"{KEY_MEMBER}?"] if method.is_mutation else params, str(method.scope))
    assert {name: (sorted(params), scope) for name, (params, scope) in listed.items()} == {
        name: (sorted(params), scope) for name, (params, scope) in there.items()
    }


def blocks(section: str) -> list[Any]:
    text = SECTIONS[section].split("\n## ")[0]
    return [json.loads(block) for block in re.findall(r"^```json\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)]


def as_printed(told: Any, shown: Any) -> Any:
    """What was told, shortened where the page shortens: ids, moments and people."""
    if isinstance(told, dict) and isinstance(shown, dict):
        return shown if shown == {"…": "…"} else {name: as_printed(told[name], shown.get(name)) for name in told}
    if isinstance(told, str) and isinstance(shown, str) and shown.endswith("…"):
        assert told.startswith(shown.removesuffix("…"))
        return shown
    return told


def test_the_question_is_asked_answered_and_read_as_printed(rpc: Rpc) -> None:
    exchanges = blocks("### Ask a question")
    run_id = ""
    for request, shown in zip(exchanges[::2], exchanges[1::2], strict=True):
        if "run_id" in request["params"]:
            request["params"]["run_id"] = run_id
        told = rpc.message(request)
        run_id = run_id or told["result"]["run_id"]
        assert as_printed(told, shown) == shown


def test_the_batch_is_answered_as_printed(rpc: Rpc) -> None:
    batch, shown = re.findall(r"^```json\n(\[.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
    assert rpc.message(json.loads(batch)) == json.loads(shown)


def test_the_first_call_and_the_call_of_a_tool_are_answered_as_printed(rpc: Rpc) -> None:
    (request, shown) = re.findall(r"^(\{\"jsonrpc.*?\})$", PAGE.split("### Ask")[0], re.MULTILINE | re.DOTALL)
    assert rpc.message(json.loads(request)) == json.loads(shown)
    _, request, shown = blocks("## Agents (MCP)")
    assert Mcp(rpc.api.secret).send(json.dumps(request).encode()).body == shown
