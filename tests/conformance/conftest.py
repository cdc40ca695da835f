"""The server under test: web, worker and beat with WOP_CONFORMANCE=1, the public fixtures and workflows of ours."""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from interrupts.contracts.types import JsonObject
from tests.factories import edge, gate_node, node, one_gate, one_interrupt, workflow
from tests.live.installation import ALL, Installation, installed
from tests.live.peer import Peer
from tests.receivers import Receiver, answering, authority_file, receiving

FIXTURES: Final = sorted((Path(__file__).parent / "fixtures").glob("*.json"))
_CHOICE: Final[JsonObject] = {
    "type": "object", "required": ["choice"], "properties": {"choice": {"enum": ["a", "b"]}}
}  # fmt: skip
_RULES: Final = ("all_success", "any_success", "none_failed", "all_complete", "any_failed")

# For the obligations that no public fixture reaches; whom they name: tests.conformance.rights.
WORKFLOWS: Final[tuple[JsonObject, ...]] = (
    one_gate("any-answer", description="Every action is welcome."),
    one_gate("three-of-many", requiredApprovals=3),
    one_gate("majority-of-two", requiredApprovals=2, rejectionPolicy="majority"),
    one_gate("majority-of-four", requiredApprovals=4, rejectionPolicy="majority"),
    one_gate("overridable", requiredApprovals=3, overrideBypassesQuorum=True),
    one_gate("not-overridable", requiredApprovals=3),
    one_gate("for-a-group", approverGroupRefs=["finance"], description="Group refs only."),
    one_gate("for-a-role", approverRoleRefs=["auditor"]),
    one_gate("for-one-of-them", approversList=["p5"], audience={"subjects": ["p6"]}),
    one_gate("with-a-schema", resumeSchema={"type": "object", "required": ["costCentre"]}),
    one_interrupt(
        "custom", {"customKind": "vendor/anything", "payload": {"zebra": [1.0, None], "apple": {}}}, "anything"
    ),
    one_interrupt(
        "conversation.exchange", {"conversationId": "c-1", "prompt": "A or B?", "outcomeSchema": _CHOICE}, "one-turn"
    ),
    one_interrupt("external-event", {"eventType": "paid", "correlation": {}}, "short-wait", timeoutMs=1500),
    workflow(
        [gate_node(), *(node(rule.replace("_", "-")) for rule in _RULES)],
        [edge("gate", rule.replace("_", "-"), rule) for rule in _RULES],
        workflow_id="every-rule",
    ),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whichever test comes first also waits for the processes to start, which takes a busy machine a while."""
    for item in items:
        if "host" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.timeout(180))
            item.add_marker(pytest.mark.xdist_group("host"))


@pytest.fixture(scope="session")
def outside() -> Iterator[Receiver]:
    """A receiver that the host may call. Below ``/flaky`` it fails the first time it is given a delivery."""
    met: set[bytes] = set()

    def handle(stream: ssl.SSLSocket, request: bytes) -> None:
        (delivery,) = re.findall(rb"Wopsite-Delivery-Id: (\S+)", request)
        fails = request.startswith(b"POST /flaky") and delivery not in met
        met.add(delivery)
        answering("500 Trouble" if fails else "204 No Content")(stream, request)

    with receiving(handle, identity="127.0.0.1") as receiver:
        yield receiver


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory, outside: Receiver) -> Iterator[Installation]:
    folder = tmp_path_factory.mktemp("conformance")
    paths = [*FIXTURES, *(_written(folder, document) for document in WORKFLOWS)]
    outward = {"WOP_EGRESS_ALLOW": f"127.0.0.1:{outside.port}", "WOP_EGRESS_CA_FILE": authority_file(folder)}
    accounts = {"WOP_CREDENTIAL_AUTHORITY": "tests.live.accounts.Accounts", "WOP_PUBLIC_URL": "https://wop.example.org"}
    with installed(folder, WOP_CONFORMANCE="1", **outward, **accounts) as installation:
        installation.keys |= installation.populate("tests.live.populate", *map(str, paths))
        installation.populate("tests.conformance.rights")
        installation.start(*ALL)
        yield installation


def _written(folder: Path, document: JsonObject) -> Path:
    path = folder / f"{document['id']}.json"
    path.write_text(json.dumps(document))
    return path


@pytest.fixture
def suite(host: Installation) -> Peer:
    """The credential of the suite: every scope, in the tenant `acme`."""
    return Peer.named("suite", host)


@pytest.fixture
def rival(host: Installation) -> Peer:
    """The credential of a second tenant."""
    return Peer.named("rival", host)


@pytest.fixture
def reader(host: Installation) -> Peer:
    """A valid credential that may only read."""
    return Peer.named("reader", host)


@pytest.fixture
def anonymous(host: Installation) -> Peer:
    return Peer(host.http, None)
