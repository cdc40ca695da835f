"""Section F: a run that needs an account elsewhere (cases 20-24), with the public fixture."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live import accounts
from tests.live.installation import Installation
from tests.live.peer import TERMINAL, Peer, assert_refused, assert_valid, payloads, types
from tests.offers import consent

SITE = "https://wop.example.org"
NODE = "use-credential"


@pytest.fixture(autouse=True)
def _nobody_has_an_account(host: Installation) -> None:
    accounts.forget(host.folder)


@pytest.fixture
def colleague(host: Installation) -> Peer:
    return Peer.named("p0", host)


def waiting(suite: Peer) -> tuple[str, Any]:
    """Start a run that waits for its account; its id, and what it asks."""
    run_id = suite.start("conformance-credential")
    assert suite.until(run_id, "waiting-input", *TERMINAL)["status"] == "waiting-input"
    (asked,) = payloads(suite.log(run_id), "interrupt.requested")
    return run_id, asked


def visit(peer: Peer, asked: Any) -> Any:
    """Follow the connectUrl as far as this host goes."""
    return peer.get(asked["data"]["connectUrl"].removeprefix(SITE))


def test_the_facet_is_told(anonymous: Peer) -> None:
    oauth = anonymous.get("/.well-known/openwop").json()["oauth"]
    assert oauth["credentialInterrupt"] is True
    assert [provider["id"] for provider in oauth["providers"]] == ["synthetic"]


def test_case_20_a_missing_account_is_asked_for(suite: Peer) -> None:
    run_id, asked = waiting(suite)
    assert_valid("suspend-request", asked)
    assert (asked["kind"], asked["data"]["provider"], asked["data"]["reason"]) == ("credential", "synthetic", "missing")
    assert asked["data"]["connectUrl"].startswith(f"{SITE}/")
    assert suite.key is not None
    assert suite.key not in str(asked)
    suite.cancel(run_id)


def test_case_21_authorized_is_looked_up_and_nothing_else_may_come_with_it(suite: Peer) -> None:
    run_id, _ = waiting(suite)
    for value in ({"outcome": "authorized"}, {"outcome": "authorized", "token": "t"}, {"outcome": "declined", "x": 1}):
        refused = suite.resolve(run_id, value, node=NODE)
        assert assert_refused(refused, 400, "validation_error")["details"]["field"] == "resumeValue"
    assert suite.snapshot(run_id)["status"] == "waiting-input"
    suite.cancel(run_id)


def test_case_22_only_the_owner_gets_to_the_provider_and_a_grant_ends_the_interrupt(
    suite: Peer, anonymous: Peer, colleague: Peer
) -> None:
    run_id, asked = waiting(suite)
    assert_refused(visit(anonymous, asked), 401, "unauthenticated")
    assert_refused(visit(colleague, asked), 403, "forbidden")
    there = visit(suite, asked)
    assert there.status_code == 302
    sent = consent(there.headers["Location"])
    back = suite.get(f"/host/wopsite/connected?state={sent['state']}&code={sent['code']}")
    assert back.status_code == 200, back.text
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"
    log = suite.log(run_id)
    (resolved,) = payloads(log, "interrupt.resolved")
    assert resolved["resumeValue"] == {"outcome": "authorized"}
    assert payloads(log, "connector.authorized") != []


def test_case_23_declining_fails_the_node(suite: Peer) -> None:
    run_id, _ = waiting(suite)
    assert suite.resolve(run_id, {"outcome": "declined"}, node=NODE).status_code == 200
    assert suite.until(run_id, *TERMINAL)["status"] == "failed"
    (failed,) = payloads(suite.log(run_id), "node.failed")
    assert failed["error"]["code"] == "connector_auth_declined"


def test_case_24_a_credential_that_ran_out_is_told_and_asked_for_again(host: Installation, suite: Peer) -> None:
    first, asked = waiting(suite)
    sent = consent(visit(suite, asked).headers["Location"])
    suite.get(f"/host/wopsite/connected?state={sent['state']}&code={sent['code']}")
    assert suite.until(first, *TERMINAL)["status"] == "completed"
    accounts.end_all(host.folder)
    run_id, asked = waiting(suite)
    assert asked["data"]["reason"] == "expired"
    names = types(suite.log(run_id))
    assert names.index("connector.auth-expired") < names.index("interrupt.requested")
    suite.cancel(run_id)
