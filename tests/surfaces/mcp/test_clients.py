"""The SDK's own client against what is shipped: the server over HTTP, and ``wop mcp`` over standard streams."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any, TypeVar, cast

import anyio
import pytest
from mcp import Client, StdioServerParameters
from mcp.client._transport import TransportStreams
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests import factories
from tests.architecture.sources import ROOT
from tests.surfaces.rest.server import database_url

Connect = Callable[[str], Client]
Found = TypeVar("Found")
MODES = ["legacy", "auto"]
QUESTION = {
    "kind": "issue_review",
    "payload": {"report_markdown": "# Readiness"},
    "outcomes": ["submitted", "cancelled"],
    "resume_schema": {
        "type": "object",
        "properties": {"approved": {"type": "boolean"}},
        "required": ["approved"],
        "additionalProperties": False,
    },
}

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(params=["http", "stdio"])
def connect(request: pytest.FixtureRequest, transactional_db: None, tmp_path: Path) -> Connect:
    """A client of a person in acme, over each transport."""
    if request.param == "http":
        address = request.getfixturevalue("server")
        return lambda person: over_http(address, factories.api_key(person))
    return partial(over_stdio, tmp_path)


def over_http(address: str, secret: str, mode: str = "auto") -> Client:
    @asynccontextmanager
    async def transport() -> AsyncGenerator[TransportStreams]:
        headers = {"Authorization": f"Bearer {secret}"}
        url = f"http://{address}/host/wopsite/mcp"
        async with create_mcp_http_client(headers) as http, streamable_http_client(url, http_client=http) as streams:
            yield streams

    return Client(transport(), mode=mode)


def over_stdio(data_dir: Path, person: str, mode: str = "auto") -> Client:
    factories.actor(person)
    environment = {**os.environ, "DATABASE_URL": database_url(), "WOP_DATA_DIR": str(data_dir)}
    words = ["manage.py", "wop", "mcp", "--tenant", "acme", "--as", person]
    return Client(
        StdioServerParameters(command=sys.executable, args=words, env=environment, cwd=ROOT),
        mode=mode,
    )


def in_a_loop(coroutine: Callable[[], Awaitable[Found]]) -> Found:
    """Run it in a thread of its own: tests that drove a browser leave an event loop in this one."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(anyio.run, coroutine).result()


async def use(client: Client, tool: str, **arguments: object) -> dict[str, Any]:
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, result
    return cast("dict[str, Any]", result.structured_content)


def test_one_agent_asks_another_lists_somebody_answers_and_the_first_reads(connect: Connect) -> None:
    asking, answering = connect("ann"), connect("ben")

    async def ask(waits: anyio.Event, told: list[dict[str, Any]]) -> None:
        async with asking as client:
            run_id = (await use(client, "interrupts_raise", **QUESTION))["run_id"]
            waits.set()
            told.append(await use(client, "interrupts_wait", run_id=run_id, timeout_seconds=60))

    async def talk() -> None:
        waits, told = anyio.Event(), list[dict[str, Any]]()
        async with answering as client, anyio.create_task_group() as both:
            both.start_soon(ask, waits, told)
            await waits.wait()
            (waiting,) = (await use(client, "interrupts_list"))["interrupts"]
            shown = await use(client, "workflow_runs_inspect", run_id=waiting["run_id"])
            assert (shown["status"], shown["interrupt"]["kind"]) == ("interrupted", "issue_review")
            answer = {"run_id": waiting["run_id"], "outcome": "submitted", "payload": {"approved": "yes"}}
            bad = await client.call_tool("workflow_runs_resume", answer)
            assert bad.is_error
            assert bad.structured_content["details"]["problems"][0]["pointer"] == "/payload/approved"
            answer["payload"] = {"approved": True}
            assert (await use(client, "workflow_runs_resume", **answer))["status"] == "completed"
        (read,) = told
        assert (read["ended"], read["outcome"], read["payload"]) == ("resolved", "submitted", {"approved": True})

    in_a_loop(talk)


def test_over_standard_streams_a_tool_that_waits_keeps_no_other_waiting(transactional_db: None, tmp_path: Path) -> None:
    run_id = factories.start_flow(factories.one_gate())
    ann = over_stdio(tmp_path, "ann", "legacy")

    async def talk() -> None:
        async with ann as client, anyio.create_task_group() as both:
            waiting = partial(use, client, "interrupts_wait", run_id=run_id, timeout_seconds=60)
            both.start_soon(waiting)
            assert (await use(client, "workflow_runs_get", run_id=run_id))["status"] == "waiting-approval"
            assert (await use(client, "workflow_runs_cancel", run_id=run_id))["status"] == "cancelled"

    in_a_loop(talk)


@pytest.mark.parametrize("mode", MODES)
def test_clients_with_and_without_a_handshake_see_the_same_tools(
    server: str, transactional_db: None, mode: str
) -> None:
    ann = over_http(server, factories.api_key("ann"), mode)

    async def names() -> list[str]:
        async with ann as client:
            return [tool.name for tool in (await client.list_tools()).tools]

    assert "interrupts_wait" in in_a_loop(names)
