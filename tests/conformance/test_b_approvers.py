"""Section B: approvers are enforced (RFC 0173; interrupt.md §Approver enforcement)."""

from __future__ import annotations

from tests.live.peer import Peer, assert_refused, payloads


def test_case_12_the_kinds_of_references_are_of_the_vocabulary(anonymous: Peer) -> None:
    kinds = anonymous.get("/.well-known/openwop").json()["interrupt"]["refKinds"]
    assert sorted(kinds) == ["group", "principal", "role"]


def test_case_13_an_unlisted_resolver_is_refused_whatever_voter_they_name(suite: Peer) -> None:
    run_id = suite.suspended("conformance-approval-approvers")
    assert_refused(suite.answer(run_id, "accept"), 403, "forbidden")
    assert_refused(suite.answer(run_id, "accept", voter="urn:conformance:listed-approver"), 403, "forbidden")
    assert suite.snapshot(run_id)["status"] == "waiting-approval"
    assert payloads(suite.log(run_id), "interrupt.resolved") == []
    assert suite.cancel(run_id).status_code == 200
