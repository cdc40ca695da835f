"""Section R: lanes, revocation and what a refusal may tell (wire contract §4)."""

from __future__ import annotations

import subprocess
import sys

from tests.live.installation import ROOT, Installation
from tests.live.peer import Peer, assert_refused, check_answer, percent


def wop(host: Installation, *arguments: str) -> str:
    """The command line, on the host under test."""
    command = [sys.executable, "manage.py", "wop", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=host.environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_case_85_each_lane_says_who_issues_and_how_it_ends(anonymous: Peer, suite: Peer) -> None:
    lanes = anonymous.get("/.well-known/openwop").json()["auth"]["lanes"]
    for lane in lanes:
        assert lane["issuers"]
        assert (lane["revocation"], lane["minimumAssurance"]) == ("next-request", "bearer")
    subject = suite.snapshot(suite.start("conformance-noop"))["owner"]["subject"]
    issuers = {lane["lane"]: lane["issuers"] for lane in lanes}
    assert subject["lane"] == "api-key"
    assert subject["issuer"] in issuers["api-key"]


def test_case_86_a_revoked_key_is_refused_on_the_next_request(host: Installation) -> None:
    secret = wop(host, "key", "create", "--tenant", "acme", "--user", "p31", "--scope", "runs:read")
    held = Peer(host.http, secret)
    assert held.get("/runs").status_code == 200
    wop(host, "key", "revoke", secret.split("_")[1])
    assert_refused(held.get("/runs"), 401, "credential_revoked")


def test_a_garbage_key_is_unauthenticated(host: Installation) -> None:
    for secret in ("garbage", "wop_000000000000_x", "wop__", "ü"):
        answer = host.http.get("/runs", headers={b"Authorization": f"Bearer {secret}".encode()})
        check_answer(answer)
        assert_refused(answer, 401, "unauthenticated")
        assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_case_88_a_run_of_another_tenant_is_refused_without_a_challenge(suite: Peer, rival: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    answers = [
        rival.get(f"/runs/{percent(run_id)}"),
        rival.get(f"/runs/{percent(run_id)}/events/poll?timeout=1"),
        rival.answer(run_id, "accept"),
        rival.cancel(run_id),
    ]
    for answer in answers:
        assert_refused(answer, 403, "id_tenant_mismatch")
        assert "WWW-Authenticate" not in answer.headers
        assert "scope" not in answer.text
    assert suite.snapshot(run_id)["status"] == "waiting-approval"
