"""Obligations of interrupt.md for which the public suite has no scenario: the G-list of our notes on it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live.installation import Installation
from tests.live.peer import TERMINAL, Peer, assert_refused, assert_valid, payloads, percent, types

DECIDED_TWINS = ("approval.granted", "approval.rejected", "approval.overridden", "approval.received")


def vote(host: Installation, name: str, run_id: str, action: str = "accept", **more: Any) -> str:
    """The status after a person's vote with their own key."""
    answer = Peer.named(name, host).answer(run_id, action, **more)
    assert answer.status_code == 200, answer.text
    return str(answer.json()["status"])


def decided(suite: Peer, run_id: str) -> list[tuple[str, str]]:
    return [(p["action"], p["decision"]) for p in payloads(suite.log(run_id), "interrupt.resolved")]


def test_g1_of_two_answers_the_second_is_told_so(suite: Peer) -> None:
    """At one moment, from 32 clients: tests/concurrency."""
    run_id = suite.suspended("any-answer")
    assert suite.answer(run_id, "accept").status_code == 200
    assert_refused(suite.answer(run_id, "reject"), 409, "interrupt_already_resolved")
    assert decided(suite, run_id) == [("accept", "granted")]


@pytest.mark.parametrize(
    "body",
    [b"{}", b"[]", b"null", b'{"resumeValue":{"action":"accept"},"more":1}', b'{"action":"accept"}', b"{", b""],
)
def test_g3_the_resolve_body_is_closed(suite: Peer, body: bytes) -> None:
    run_id = suite.suspended("any-answer")
    answer = suite.send("POST", f"/runs/{percent(run_id)}/interrupts/gate", body)
    assert_refused(answer, 400, "validation_error")
    assert suite.snapshot(run_id)["status"] == "waiting-approval"


@pytest.mark.parametrize("action", ["refine", "edit-accept", "ask", "timeout", "maybe", "", None, 1, "ACCEPT"])
def test_g4_an_action_that_the_gate_does_not_take_is_400(suite: Peer, action: Any) -> None:
    run_id = suite.suspended("conformance-approval")
    value = {"action": action, "refineFeedback": {"scope": "whole"}, "editedArtifactData": {}}
    assert_refused(suite.resolve(run_id, value), 400, "validation_error")
    assert suite.snapshot(run_id)["status"] == "waiting-approval"
    assert decided(suite, run_id) == []


def test_g5_refine_needs_feedback_and_leaves_it_on_record(suite: Peer) -> None:
    run_id = suite.suspended("conformance-approval-refine")
    for bad in (None, {}, {"scope": "everything"}, {"scope": "whole", "unknown": 1}):
        assert_refused(suite.answer(run_id, "refine", refineFeedback=bad), 400, "validation_error")
    assert_refused(suite.answer(run_id, "refine"), 400, "validation_error")
    feedback = {"scope": "section", "sectionPath": "/budget", "tags": ["cost"], "text": "Too dear."}
    assert suite.answer(run_id, "refine", refineFeedback=feedback).json()["status"] == "completed"
    (resolved,) = payloads(suite.log(run_id), "interrupt.resolved")
    assert (resolved["action"], resolved["refineFeedback"]) == ("refine", feedback)


@pytest.mark.parametrize("edited", [{"total": 12}, None, "text"])
def test_g5_edit_accept_needs_the_edited_data_and_leaves_it_on_record(suite: Peer, edited: Any) -> None:
    run_id = suite.suspended("conformance-approval-edit-accept")
    assert_refused(suite.answer(run_id, "edit-accept"), 400, "validation_error")
    assert suite.answer(run_id, "edit-accept", editedArtifactData=edited).json()["status"] == "completed"
    (resolved,) = payloads(suite.log(run_id), "interrupt.resolved")
    assert (resolved["action"], resolved["decision"]) == ("edit-accept", "granted")
    assert resolved["editedArtifactData"] == edited


def test_g5_accept_and_reject_take_feedback(suite: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    assert suite.answer(run_id, "accept", feedback="Well done.").status_code == 200
    (resolved,) = payloads(suite.log(run_id), "interrupt.resolved")
    assert resolved["resumeValue"]["feedback"] == "Well done."


def test_g6_a_question_does_not_end_the_wait(suite: Peer) -> None:
    run_id = suite.suspended("any-answer")
    before = suite.log(run_id)
    asked = suite.answer(run_id, "ask", feedback="Which budget?")
    assert asked.json() == {"runId": run_id, "nodeId": "gate", "status": "waiting-approval"}
    assert suite.log(run_id) == before
    assert suite.answer(run_id, "accept").json()["status"] == "completed"


def test_g7_a_value_that_fails_the_resume_schema_is_400(suite: Peer) -> None:
    run_id = suite.suspended("with-a-schema")
    (requested,) = payloads(suite.log(run_id), "interrupt.requested")
    assert requested["resumeSchema"] == {"type": "object", "required": ["costCentre"]}
    refused = assert_refused(suite.answer(run_id, "accept"), 400, "validation_error")
    assert refused["details"]["problems"][0]["pointer"].startswith("/resumeValue")
    assert suite.snapshot(run_id)["status"] == "waiting-approval"
    assert suite.answer(run_id, "accept", costCentre="4711").json()["status"] == "completed"


def test_g8_while_it_waits_the_snapshot_names_the_node(suite: Peer) -> None:
    """The other kinds' statuses come with the kinds."""
    run_id = suite.suspended("conformance-approval")
    snapshot = suite.snapshot(run_id)
    assert (snapshot["status"], snapshot["currentNodeId"]) == ("waiting-approval", "gate")
    suite.answer(run_id, "accept")
    assert "currentNodeId" not in suite.snapshot(run_id)


def test_g20_an_answer_needs_its_scope_and_a_bearer(suite: Peer, reader: Peer, anonymous: Peer) -> None:
    run_id = suite.suspended("any-answer")
    refused = assert_refused(reader.answer(run_id, "accept"), 403, "forbidden")
    assert refused["details"] == {"scopeRequired": "approvals:respond"}
    unauthenticated = anonymous.answer(run_id, "accept")
    assert_refused(unauthenticated, 401, "unauthenticated")
    assert unauthenticated.headers["WWW-Authenticate"] == "Bearer"
    assert suite.snapshot(run_id)["status"] == "waiting-approval"


def test_g21_where_nothing_waits_there_is_nothing_to_answer(suite: Peer, rival: Peer) -> None:
    run_id, running = suite.suspended("every-rule"), suite.start("conformance-delay", inputs={"delayMs": 20_000})
    accept = {"action": "accept"}
    assert_refused(suite.resolve(run_id, accept, node="no-such-node"), 404, "not_found")
    assert_refused(suite.resolve(run_id, accept, node="all-success"), 404, "not_found")
    assert_refused(suite.resolve(running, accept, node="wait"), 404, "not_found")
    assert_refused(rival.resolve(run_id, accept), 403, "id_tenant_mismatch")
    suite.cancel(running)


def test_g22_three_approvals_are_three_people(suite: Peer, host: Installation) -> None:
    run_id = suite.suspended("three-of-many")
    assert vote(host, "p0", run_id) == "waiting-approval"
    assert vote(host, "p0", run_id) == "waiting-approval"
    assert vote(host, "p1", run_id) == "waiting-approval"
    assert vote(host, "p0", run_id) == "waiting-approval"
    assert decided(suite, run_id) == []
    assert vote(host, "p2", run_id) == "completed"
    assert decided(suite, run_id) == [("accept", "granted")]


def test_g22_the_public_quorum_fixture_completes_after_three(suite: Peer) -> None:
    run_id = suite.suspended("conformance-interrupt-quorum")
    statuses = [suite.answer(run_id, "accept", voter=f"approver-{n}").json()["status"] for n in (1, 2, 3)]
    assert statuses == ["waiting-approval", "waiting-approval", "completed"]


def test_g22_one_veto_ends_a_gate(suite: Peer, host: Installation) -> None:
    run_id = suite.suspended("three-of-many")
    vote(host, "p0", run_id)
    assert vote(host, "p1", run_id, "reject") == "failed"
    assert decided(suite, run_id) == [("reject", "rejected")]


@pytest.mark.parametrize(("workflow", "needed"), [("majority-of-two", 2), ("majority-of-four", 3)])
def test_g22_a_majority_of_rejects_exceeds_half(suite: Peer, host: Installation, workflow: str, needed: int) -> None:
    run_id = suite.suspended(workflow)
    statuses = [vote(host, f"p{n}", run_id, "reject") for n in range(needed)]
    assert statuses == ["waiting-approval"] * (needed - 1) + ["failed"]


def test_g22_a_person_may_change_their_vote_while_the_gate_is_open(suite: Peer, host: Installation) -> None:
    run_id = suite.suspended("majority-of-two")
    assert vote(host, "p0", run_id, "reject") == "waiting-approval"
    assert vote(host, "p0", run_id, "accept") == "waiting-approval"
    assert vote(host, "p1", run_id, "reject") == "waiting-approval"
    assert vote(host, "p2", run_id, "accept") == "completed"


def test_g23_an_override_releases_alone_only_where_the_gate_says_so(suite: Peer, host: Installation) -> None:
    released, not_released = suite.suspended("overridable"), suite.suspended("not-overridable")
    assert vote(host, "p0", released) == "waiting-approval"
    assert vote(host, "p7", released) == "completed"
    assert decided(suite, released) == [("accept", "overridden")]
    assert vote(host, "p7", not_released) == "waiting-approval"
    assert decided(suite, not_released) == []


@pytest.mark.parametrize(
    ("workflow", "may", "may_not", "surfaced"),
    [
        ("for-a-group", "p3", "p4", {"approverGroupRefs": ["finance"]}),
        ("for-a-role", "p4", "p3", {"approverRoleRefs": ["auditor"]}),
        ("for-one-of-them", "p5", "p3", {"approversList": ["p5"]}),
    ],
)
def test_g24_named_groups_roles_and_people_are_surfaced_and_enforced(
    suite: Peer, host: Installation, workflow: str, may: str, may_not: str, surfaced: dict[str, Any]
) -> None:
    run_id = suite.suspended(workflow)
    (requested,) = payloads(suite.log(run_id), "interrupt.requested")
    assert surfaced.items() <= requested["data"].items()
    for stranger in (may_not, "suite"):
        assert_refused(Peer.named(stranger, host).answer(run_id, "accept"), 403, "forbidden")
    assert vote(host, may, run_id) == "completed"


def test_g25_an_audience_is_told_and_decides_nothing(suite: Peer, host: Installation) -> None:
    run_id = suite.suspended("for-one-of-them")
    (requested,) = payloads(suite.log(run_id), "interrupt.requested")
    assert requested["data"]["audience"] == {"subjects": ["p6"]}
    assert_refused(Peer.named("p6", host).answer(run_id, "accept"), 403, "forbidden")
    assert vote(host, "p5", run_id) == "completed"


@pytest.mark.parametrize(
    ("action", "started"),
    [
        ("reject", ["all-complete", "any-failed"]),
        ("accept", ["all-complete", "all-success", "any-success", "none-failed"]),
    ],
)
def test_g28_a_rejected_gate_is_a_failed_source(suite: Peer, action: str, started: list[str]) -> None:
    run_id = suite.suspended("every-rule")
    suite.answer(run_id, action)
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"
    log = suite.log(run_id)
    after = sorted(p["nodeId"] for p in payloads(log, "node.started") if p["nodeId"] != "gate")
    assert after == started
    assert sorted(p["nodeId"] for p in payloads(log, "node.completed") if p["nodeId"] != "gate") == started
    assert "node.retried" not in types(log)


def test_g32_the_request_stands_in_the_log_verbatim_and_any_twin_has_the_same_payload(suite: Peer) -> None:
    """A twin (approval.requested, approval.granted) is allowed, not required; this host sends none."""
    run_id = suite.suspended("conformance-approval")
    suite.answer(run_id, "accept")
    log = suite.log(run_id)
    (requested,) = payloads(log, "interrupt.requested")
    assert_valid("suspend-request", requested)
    assert requested["kind"] == "approval"
    assert not {"nodeId", "interruptId"} & requested.keys()
    assert not {"approval.requested", *DECIDED_TWINS} & set(types(log))
