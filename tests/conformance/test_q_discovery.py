"""Section Q: discovery, version negotiation, and the paths that are there (wire contract §1, §2)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.conformance.conftest import FIXTURES
from tests.live.peer import Peer, assert_refused, projected

METADATA = {
    "protocolVersions",
    "preferredVersion",
    "protocolVersion",
    "implementation",
    "engineVersion",
    "eventLogSchemaVersion",
    "fixtures",
    "conformance",
}


@pytest.fixture
def root(anonymous: Peer) -> Any:
    return anonymous.get("/.well-known/openwop").json()


def test_case_75_the_root_is_closed_and_names_only_what_is_served(root: Any) -> None:
    """The peer validates the root against its schema."""
    families = {"limits", "eventLog", "runList", "auth", "interrupt", "webhooks", "oauth"}
    conversations = {"conversationPrimitive", "multiPartyConversation"}
    assert root.keys() == METADATA | families | conversations


def test_case_76_each_family_is_a_record(root: Any) -> None:
    for name in root.keys() - METADATA:
        record = root[name]
        assert {"status", "since", "witness"} <= record.keys(), name
        assert ("until" in record) == (record["status"] != "stable"), name
        assert "supported" not in record


@pytest.mark.parametrize("version", ["1", "1.0", "3.0", "9.0"])
def test_case_77_another_major_is_406_with_what_is_served(root: Any, anonymous: Peer, version: str) -> None:
    refused = assert_refused(
        anonymous.get("/.well-known/openwop", OpenWOP_Version=version), 406, "protocol_version_unsupported"
    )
    assert refused["details"]["protocolVersions"] == root["protocolVersions"]


@pytest.mark.parametrize("version", ["2", "2.0", "2.9"])
def test_case_77_any_minor_of_the_served_major_is_served(anonymous: Peer, version: str) -> None:
    assert anonymous.get("/.well-known/openwop", OpenWOP_Version=version).status_code == 200


def test_case_78_without_a_version_header_the_preferred_version_answers(root: Any, anonymous: Peer) -> None:
    assert root["preferredVersion"] in root["protocolVersions"]
    headerless = anonymous.get("/.well-known/openwop", OpenWOP_Version=None)
    assert headerless.json() == root
    assert headerless.headers["OpenWOP-Version"] == root["preferredVersion"]


def test_trap_3_discovery_lists_the_fixtures_to_anyone(root: Any) -> None:
    assert root["fixtures"] == sorted(path.stem for path in FIXTURES)


def test_case_81_every_answer_says_its_version(suite: Peer, anonymous: Peer) -> None:
    """The peer checks the header, and the absence of removed ones, on each of these."""
    run_id = suite.start("conformance-noop")
    discovery, snapshot = anonymous.get("/.well-known/openwop"), suite.get(f"/runs/{projected(run_id)}")
    for path, peer, seen in (
        ("/.well-known/openwop", anonymous, discovery),
        (f"/runs/{projected(run_id)}", suite, snapshot),
    ):
        assert peer.get(path, If_None_Match=seen.headers["ETag"]).status_code == 304
        assert peer.get(path, If_None_Match='"another"').status_code == 200
    assert anonymous.get("/runs").status_code == 401
    assert suite.get("/no-such-path").status_code == 404
    assert suite.get("/runs/").status_code in (400, 404)
    assert suite.send("POST", "/runs", b"{").status_code == 400
    assert suite.send("OPTIONS", "/runs").status_code == 404
    assert suite.send("HEAD", "/.well-known/openwop").status_code == 200


@pytest.mark.parametrize("version", ["0.0.1", "2.46.32", "not a version", ""])
def test_case_82_no_client_is_refused_for_its_version(root: Any, anonymous: Peer, version: str) -> None:
    assert "minClientVersion" not in root
    assert anonymous.get("/.well-known/openwop", OpenWOP_Client_Version=version).status_code == 200


def test_case_84_every_described_path_is_served(suite: Peer, anonymous: Peer) -> None:
    """An operation of the description answers for itself: never "no such path", and never for want of a method."""
    run_id = projected(suite.suspended("conformance-approval"))
    ids = {"{run_id}": run_id, "{runId}": run_id, "{node_id}": "gate", "{nodeId}": "gate", "{token}": "ow2.x"}
    ids |= {"{workflow_id}": "conformance-noop", "{workflowId}": "conformance-noop"}
    paths: dict[str, dict[str, Any]] = anonymous.get("/openapi.json").json()["paths"]
    assert len(paths) >= 9
    for template, operations in paths.items():
        path = template
        if "{webhookId}" in path:
            hook = suite.post("/webhooks", {"url": "https://subscriber.invalid/hook", "events": ["run.completed"]})
            path = path.replace("{webhookId}", projected(hook.json()["webhookId"]))
        for name, value in ids.items():
            path = path.replace(name, value)
        assert "{" not in path, template
        for method in operations.keys() & {"get", "post", "delete"}:
            answer = suite.send(method.upper(), path, b"[]" if method == "post" else None)
            assert answer.status_code != 404, f"{method} {path}: {answer.text}"


@pytest.mark.parametrize(
    "path",
    ["/prompts", "/content/settings", "/v1/runs", "/host/effect-seams", "/runs/acme~2Fr-00000000000000000000/effects"],
)
def test_case_84_what_is_not_offered_is_404(suite: Peer, path: str) -> None:
    assert_refused(suite.get(path), 404, "not_found")


def test_the_workflow_is_given_as_it_was_registered(suite: Peer) -> None:
    document = suite.get("/workflows/conformance-approval").json()
    assert (document["id"], document["version"]) == ("conformance-approval", "1.0")
    assert document["nodes"][0]["config"]["actions"] == ["accept", "reject"]
