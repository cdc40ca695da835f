"""The kinds beside approvals: cases 25, 27, 28, 93, 95, 106, 107 and G7-G11, with the public fixtures."""

from __future__ import annotations

from typing import Any

import pytest

from tests.live.peer import TERMINAL, Peer, assert_refused, payloads, types


def at(suite: Peer, workflow_id: str, status: str, node_id: str, **body: Any) -> str:
    """Start a run that waits in a status, at a node."""
    run_id = suite.start(workflow_id, **body)
    snapshot = suite.until(run_id, status, *TERMINAL)
    assert (snapshot["status"], snapshot["currentNodeId"]) == (status, node_id)
    return run_id


def talking(log: list[Any]) -> list[str]:
    return [name for name in types(log) if name.startswith("conversation.")]


# --- Section 3: what is not offered -----------------------------------------------------------------------------


def test_what_this_host_does_not_offer_is_refused_when_a_run_is_created(suite: Peer) -> None:
    refused = suite.post("/runs", {"workflowId": "conformance-capability-missing"})
    assert_refused(refused, 422, "capability_required")
    assert refused.json()["details"]["requiredCapability"] == "conformance.never-provided"


# --- G: conversations -------------------------------------------------------------------------------------------------


def test_case_25_the_roster_is_carried_in_order_and_only_participants_speak(suite: Peer) -> None:
    run_id = at(suite, "conformance-multi-party-council", "waiting-input", "convo")
    (opened,) = payloads(suite.log(run_id), "conversation.opened")
    roster = [participant["agentId"] for participant in opened["participants"]]
    assert roster == ["host:conformance-council-a", "host:conformance-council-b", "host:conformance-council-c"]
    stranger = {"role": "agent", "speakerId": "host:conformance-council-z", "content": "Hello."}
    assert_refused(suite.resolve(run_id, stranger, node="convo"), 422, "conversation_speaker_not_participant")
    assert suite.snapshot(run_id)["status"] == "waiting-input"
    member = {**stranger, "speakerId": roster[1]}
    assert suite.resolve(run_id, member, node="convo").status_code == 200
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"
    assert talking(suite.log(run_id)) == ["conversation.opened", "conversation.exchanged", "conversation.closed"]


def test_case_27_a_roster_over_the_advertised_limit_is_refused_and_opens_nothing(suite: Peer) -> None:
    limit = suite.get("/.well-known/openwop").json()["multiPartyConversation"]["maxParticipants"]
    assert limit < 64
    refused = suite.post("/runs", {"workflowId": "conformance-multi-party-council-oversize"})
    assert_refused(refused, 422, "conversation_roster_exceeded")
    assert refused.json()["details"]["maxParticipants"] == limit


def test_case_28_a_whole_conversation_completes_and_its_turns_are_of_the_protocols_form(suite: Peer) -> None:
    run_id = suite.start("conformance-conversation-lifecycle")
    assert suite.until(run_id, *TERMINAL, seconds=20)["status"] == "completed"
    log = suite.log(run_id)
    assert talking(log) == ["conversation.opened", "conversation.exchanged", "conversation.closed"]
    assert len({payload["conversationId"] for name in talking(log) for payload in payloads(log, name)}) == 1
    assert all("turn" in payload for payload in payloads(log, "conversation.exchanged"))


def test_case_106_a_conversation_is_told_by_its_own_events_and_its_turns_count_up(suite: Peer) -> None:
    run_id = suite.start("conformance-conversation-vs-clarification")
    suite.until(run_id, *TERMINAL)
    log = suite.log(run_id)
    assert talking(log) != []
    assert not any(name.startswith("clarification.") for name in types(log))
    several = suite.start("conformance-conversation-replay")
    suite.until(several, *TERMINAL)
    assert [p["turnIndex"] for p in payloads(suite.log(several), "conversation.exchanged")] == [0, 1, 2]


# --- 5: behaviour that the scenarios of major 1 describe --------------------------------------------------------------


@pytest.mark.parametrize(
    "value", [{"answers": {"q1": "blue"}}, {"q1": "blue"}, {"answers": [{"id": "q1", "answer": "blue"}]}]
)
def test_case_93_a_clarification_takes_each_known_shape(suite: Peer, value: Any) -> None:
    run_id = at(suite, "conformance-clarification", "waiting-input", "ask")
    assert_refused(suite.resolve(run_id, {"answers": {}}, node="ask"), 400, "validation_error")
    assert suite.resolve(run_id, value, node="ask").status_code == 200
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"
    (resolved,) = payloads(suite.log(run_id), "interrupt.resolved")
    assert resolved["resumeValue"] == value


def test_case_95_an_external_event_must_be_about_the_same_thing(suite: Peer) -> None:
    run_id = at(suite, "conformance-interrupt-external-event", "waiting-external", "wait-for-external")
    right = {"orderId": "fixture-order-1", "status": "completed", "externalReference": "x-1"}
    wrong = {**right, "orderId": "fixture-order-2"}
    assert_refused(suite.resolve(run_id, wrong, node="wait-for-external"), 400, "validation_error")
    assert suite.snapshot(run_id)["status"] == "waiting-external"
    assert suite.resolve(run_id, right, node="wait-for-external").status_code == 200
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"
    (resolved,) = payloads(suite.log(run_id), "interrupt.resolved")
    assert resolved["resumeValue"] == right


def test_case_107_and_g11_an_unsure_agent_waits_at_once(suite: Peer) -> None:
    run_id = at(suite, "conformance-agent-low-confidence", "waiting-approval", "low-conf-decider")
    names = types(suite.log(run_id))
    assert names[names.index("agent.decided") + 1] == "node.suspended"
    (suspended,) = payloads(suite.log(run_id), "node.suspended")
    assert suspended["reason"] == "low-confidence"
    (asked,) = payloads(suite.log(run_id), "interrupt.requested")
    assert (asked["data"]["threshold"], asked["data"]["observed"]) == (0.7, 0.5)
    assert suite.resolve(run_id, {"approved": True}, node="low-conf-decider").status_code == 200
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"


def test_g11_the_threshold_is_the_runs_own(suite: Peer) -> None:
    options = {"version": 1, "run": {"escalationThreshold": 0.5}}
    run_id = suite.start("conformance-agent-low-confidence", configurable=options)
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"
    for wrong in (1.5, -0.1, "0.5"):
        options = {"version": 1, "run": {"escalationThreshold": wrong}}
        refused = suite.post("/runs", {"workflowId": "conformance-agent-low-confidence", "configurable": options})
        assert_refused(refused, 400, "validation_error")


def test_g9_a_custom_interrupt_is_kept_as_it_was_written(suite: Peer) -> None:
    run_id = at(suite, "anything", "waiting-approval", "ask")
    (asked,) = payloads(suite.log(run_id), "interrupt.requested")
    assert asked["data"] == {"customKind": "vendor/anything", "payload": {"zebra": [1.0, None], "apple": {}}}
    value = {"any": ["thing", {"at": "all"}]}
    assert suite.resolve(run_id, value, node="ask").status_code == 200
    (resolved,) = payloads(suite.log(run_id), "interrupt.resolved")
    assert resolved["resumeValue"] == value


def test_g10_a_turn_must_satisfy_its_outcome_schema(suite: Peer) -> None:
    run_id = at(suite, "one-turn", "waiting-input", "ask")
    for wrong in ({}, {"choice": "c"}, None, "a"):
        assert_refused(suite.resolve(run_id, wrong, node="ask"), 400, "validation_error")
    assert suite.snapshot(run_id)["status"] == "waiting-input"
    assert suite.resolve(run_id, {"choice": "a"}, node="ask").status_code == 200
    (turn,) = payloads(suite.log(run_id), "conversation.exchanged")
    assert turn["turnIndex"] == 0


def test_note_a_a_passed_deadline_fails_the_node_as_expired(suite: Peer) -> None:
    run_id = suite.start("short-wait")
    assert suite.until(run_id, *TERMINAL, seconds=20)["status"] == "failed"
    log = suite.log(run_id)
    (resolved,) = payloads(log, "interrupt.resolved")
    assert resolved["reason"] == "timeout"
    assert not {"resumeValue", "resolvedBy", "action", "decision"} & set(resolved)
    (failed,) = payloads(log, "node.failed")
    assert (failed["error"]["code"], failed["error"]["retryable"]) == ("interrupt_expired", False)
    assert_refused(suite.resolve(run_id, {}, node="ask"), 409, "interrupt_already_resolved")
