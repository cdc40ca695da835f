"""MCP over streamable HTTP, message by message: the door, the tools and what they refuse."""

from __future__ import annotations

import json

import pytest
from django.test import override_settings

from interrupts.models import Run
from interrupts.surfaces.mcp.tools import METHOD_OF
from interrupts.surfaces.methods.table import METHODS
from interrupts.vocabulary import Scope
from tests import factories
from tests.surfaces.mcp.client import VERSION, Mcp
from tests.surfaces.rest.api import KEY

HELLO = {"protocolVersion": VERSION, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
LIST = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}'


def test_a_client_is_greeted_and_needs_no_session(mcp: Mcp) -> None:
    greeting = mcp.message("initialize", HELLO)
    assert greeting["protocolVersion"] == VERSION
    assert greeting["serverInfo"]["name"] == "wopsite"
    assert greeting["capabilities"]["tools"] == {"listChanged": False}
    assert mcp.send(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}').status == 202
    assert mcp.message("ping") == {}


def test_every_method_is_a_tool_with_its_schema(mcp: Mcp) -> None:
    tools = {tool["name"]: tool for tool in mcp.message("tools/list")["tools"]}
    assert tools.keys() == METHOD_OF.keys()
    for name, method in METHOD_OF.items():
        assert tools[name]["inputSchema"] == METHODS[method].params_schema
        assert tools[name]["annotations"]["readOnlyHint"] != METHODS[method].is_mutation
    assert [name for name, tool in tools.items() if tool["annotations"]["destructiveHint"]] == ["workflow_runs_cancel"]


def test_tools_do_what_methods_do(mcp: Mcp) -> None:
    mcp.use("workflow_register", {"workflow": factories.one_gate()})
    run_id = mcp.use("workflow_runs_start", {"workflow_id": "flow"})["run_id"]
    assert mcp.use("workflow_runs_list")["runs"][0]["runId"] == run_id
    assert factories.last(run_id, "run.started")["transport"] == "mcp"
    assert mcp.use("workflow_runs_cancel", {"run_id": run_id})["status"] == "cancelled"
    mcp.refused("workflow_runs_cancel", {"run_id": run_id}, "run_terminal")


def test_what_is_wrong_with_arguments_is_told_by_pointer(mcp: Mcp) -> None:
    details = mcp.refused("workflow_runs_start", {"inputs": 1, "more": 2}, "validation_error")
    told = [(problem["pointer"], problem["keyword"]) for problem in details["problems"]]
    assert told == [("/inputs", "type"), ("/more", "additionalProperties"), ("/workflow_id", "required")]


def test_a_tool_needs_the_scope_of_its_method(db: None) -> None:
    reader = Mcp(factories.api_key("olga", scopes=[Scope.RUNS_READ]))
    assert reader.use("workflow_runs_list") == {"runs": []}
    details = reader.refused("workflow_runs_start", {"workflow_id": "flow"}, "forbidden")
    assert details == {"scopeRequired": "runs:create"}


def test_another_tenants_run_is_out_of_reach(mcp: Mcp) -> None:
    run_id = factories.start_flow(factories.one_gate())
    stranger = Mcp(factories.api_key("sven", of="globex"))
    stranger.refused("workflow_runs_get", {"run_id": run_id}, "id_tenant_mismatch")
    assert stranger.use("workflow_runs_list") == {"runs": []}


def test_a_call_with_a_key_is_carried_out_once(mcp: Mcp) -> None:
    factories.register(factories.one_gate())
    keyed = {"workflow_id": "flow", "idempotency_key": KEY}
    first = mcp.use("workflow_runs_start", keyed)
    assert mcp.use("workflow_runs_start", keyed) == first
    assert mcp.use("workflow_runs_start", {"workflow_id": "flow"}, Idempotency_Key=KEY) == first
    mcp.refused("workflow_runs_start", {**keyed, "tags": ["x"]}, "idempotency_key_mismatch")
    assert Run.objects.count() == 1


def test_a_refusal_worth_keeping_is_given_again(mcp: Mcp) -> None:
    keyed = {"workflow_id": "flow", "idempotency_key": KEY}
    mcp.refused("workflow_runs_start", keyed, "not_found")
    factories.register(factories.one_gate())
    mcp.refused("workflow_runs_start", keyed, "not_found")


def test_a_tool_that_is_not_there_is_an_error_of_the_protocol(mcp: Mcp) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x" * 100_000}}
    error = mcp.send(json.dumps(request).encode()).body["error"]
    assert error["code"] == -32602
    assert "workflow_runs_start" in error["message"]
    assert len(error["message"]) < 1000


def test_a_fault_of_ours_is_told_without_its_inside(
    mcp: Mcp, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def burst(*_args: object, **_options: object) -> None:
        raise RuntimeError("secret inside")

    monkeypatch.setattr("interrupts.surfaces.methods.runs.read_run", burst)
    details = mcp.refused("workflow_runs_get", {"run_id": "acme/" + "r" * 20}, "internal_error")
    assert "secret" not in str(details)
    assert details["correlationId"] in caplog.text


# --- The door ---------------------------------------------------------------------------------------------------------


def test_without_a_key_nobody_is_answered(db: None) -> None:
    refused = Mcp().send(LIST)
    refused.refused(401, "unauthenticated")
    assert refused.headers["WWW-Authenticate"] == "Bearer"


def test_there_is_no_stream_to_listen_to_and_no_session_to_end(mcp: Mcp) -> None:
    for method in ("GET", "DELETE"):
        answer = mcp.send(b"", method=method)
        assert (answer.status, answer.headers["Allow"], answer.raw) == (405, "POST", b"")
    for method in ("PUT", "OPTIONS"):
        mcp.send(b"", method=method).refused(404, "not_found")


@pytest.mark.parametrize("origin", ["https://evil.example", "null", "http://testserver:81", "http://testserver.evil"])
def test_pages_of_other_sites_may_not_call(mcp: Mcp, origin: str) -> None:
    mcp.send(LIST, Origin=origin).refused(403, "forbidden")


def test_pages_of_this_site_may(mcp: Mcp) -> None:
    assert mcp.send(LIST, Origin="http://testserver").status == 200
    with override_settings(WOP_PUBLIC_URL="https://wop.example.org"):
        assert mcp.send(LIST, Origin="https://wop.example.org").status == 200


def test_a_host_name_that_is_not_ours_is_no_way_round(mcp: Mcp) -> None:
    """A name that somebody else's page makes point here (DNS rebinding)."""
    with override_settings(ALLOWED_HOSTS=["wop.example.org"]):
        mcp.send(LIST, Origin="http://evil.example", Host="evil.example").refused(400, "validation_error")


def test_only_json_is_answered(mcp: Mcp) -> None:
    assert mcp.send(LIST, Accept="application/json").status == 200
    assert mcp.send(LIST, Accept="text/html").status == 406


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"{",
        b"\xff",
        b'{"jsonrpc": "2.0", "id": 1, "id": 1, "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": NaN}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": 1e400}}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "\\u0000"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "\\ud800"}',
        b"[" * 10_000 + b"]" * 10_000,
    ],
    ids=lambda raw: repr(raw[:70]),
)
def test_what_the_strict_reader_refuses_is_a_parse_error(mcp: Mcp, raw: bytes) -> None:
    answer = mcp.send(raw)
    assert answer.status == 400
    assert answer.fits("mcp-refusal")
    assert (answer.body["error"]["code"], answer.body["id"]) == (-32700, None)


@pytest.mark.parametrize("raw", [b"[]", b"1", b"null", b"{}", b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}'])
def test_what_is_no_message_is_refused_by_the_transport(mcp: Mcp, raw: bytes) -> None:
    answer = mcp.send(raw)
    assert answer.status == 400
    assert answer.fits("mcp-refusal")


def test_a_message_that_is_too_large_is_refused_before_it_is_read(mcp: Mcp) -> None:
    mcp.send(b" " * 1_048_577).refused(413, "payload_too_large")


@pytest.mark.parametrize("version", ["2026-07-28", "2025-06-18", "2025-03-26"])
def test_clients_of_several_versions_are_served(mcp: Mcp, version: str) -> None:
    headers = {"MCP_Protocol_Version": version, "Mcp_Method": "tools/list"}
    meta = {
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientCapabilities": {},
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
    }
    assert len(mcp.message("tools/list", {"_meta": meta}, **headers)["tools"]) == len(METHODS)


def test_a_version_that_nobody_knows_is_refused(mcp: Mcp) -> None:
    answer = mcp.send(LIST, MCP_Protocol_Version="1999-01-01")
    assert answer.status == 400
    assert answer.fits("mcp-refusal")
