"""Conversations: ids, turns, outcomes, rosters (interrupt.md §Payload; wire contract §23; G10, cases 25-28, 106)."""

from __future__ import annotations

from typing import Any, cast

import pytest

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import RosterExceeded, SpeakerNotParticipant, ValidationFailed
from interrupts.models import Conversation, Suspension
from interrupts.services.event_documents import event_document
from interrupts.vocabulary import MAX_PARTICIPANTS
from tests.factories import (
    actor,
    after,
    chain,
    edge,
    last,
    log_of,
    node,
    one_interrupt,
    reply,
    run_of,
    start,
    start_flow,
    status,
    sweep,
    trail,
    workflow,
)
from tests.offers import offer_conformance_types

ROSTER: list[JsonValue] = [{"agentId": "host:a"}, {"agentId": "host:b", "name": "Bea"}]


def talk(**config: Any) -> JsonObject:
    return workflow([node("talk", "core.conversationGate", config=config)])


def asking(node_id: str, kind: str, data: JsonObject, **config: Any) -> JsonObject:
    return node(node_id, "core.interrupt", config={"kind": kind, "data": data, **config})


def events(run_id: str, prefix: str = "conversation.") -> list[tuple[str, JsonObject]]:
    return [
        (event.type.removeprefix(prefix), cast("JsonObject", event.payload))
        for event in log_of(run_id)
        if event.type.startswith(prefix)
    ]


# --- The gate ---------------------------------------------------------------------------------------------------------


def test_a_gate_opens_a_conversation_right_after_it_waits_and_asks_for_one_turn() -> None:
    run_id = start_flow(talk(prompt="Shall we?"))
    assert trail(run_id) == [
        "run.started",
        "node.started talk",
        "interrupt.requested talk",
        "node.suspended talk",
        "conversation.opened talk",
    ]
    assert (status(run_id), run_of(run_id).current_node_id) == ("waiting-input", "talk")
    asked = last(run_id, "interrupt.requested")
    name = Conversation.objects.get().conversation_id
    assert asked["kind"] == "conversation.exchange"
    assert asked["data"] == {"conversationId": name, "prompt": "Shall we?", "turnIndex": 0}
    assert events(run_id) == [("opened", {"conversationId": name})]


def test_the_suspension_is_told_as_what_opened_the_conversation() -> None:
    run_id = start_flow(talk())
    *_, suspended, opened = log_of(run_id)
    assert (suspended.type, opened.type) == ("node.suspended", "conversation.opened")
    assert opened.causation_id == suspended.event_id
    assert event_document(opened, hidden=set())["causationId"] == suspended.event_id
    assert "causationId" not in event_document(suspended, hidden=set())


def test_an_answer_is_a_turn_and_the_last_turn_closes_the_conversation() -> None:
    run_id = start_flow(talk())
    reply(actor("ann"), run_id, "Yes.", at="talk")
    name = Conversation.objects.get().conversation_id
    assert trail(run_id)[5:] == [
        "interrupt.resolved talk",
        "node.resumed talk",
        "conversation.exchanged talk",
        "conversation.closed talk",
        "node.completed talk",
        "run.completed",
    ]
    assert events(run_id)[1:] == [
        ("exchanged", {"conversationId": name, "turnIndex": 0, "outcome": "Yes."}),
        ("closed", {"conversationId": name, "reason": "completed", "turnCount": 1}),
    ]
    outputs: JsonObject = {"conversationId": name, "turnCount": 1, "outcome": "Yes."}
    assert last(run_id, "node.completed")["outputs"] == outputs


def test_turns_are_asked_one_after_the_other_each_under_its_own_key() -> None:
    run_id = start_flow(talk(turnCount=3))
    for turn in range(3):
        assert last(run_id, "interrupt.requested")["data"]["turnIndex"] == turn
        assert status(run_id) == "waiting-input"
        reply(actor("ann"), run_id, {"said": turn}, at="talk")
    assert status(run_id) == "completed"
    kinds = [kind for kind, _payload in events(run_id)]
    assert kinds == ["opened", "exchanged", "exchanged", "exchanged", "closed"]
    assert [payload.get("turnIndex") for _kind, payload in events(run_id)[1:4]] == [0, 1, 2]
    assert events(run_id)[4][1]["turnCount"] == 3
    assert len(set(Suspension.objects.values_list("key", flat=True))) == 3


def test_a_gate_reached_again_opens_another_conversation() -> None:
    again: JsonObject = {"type": "equals", "left": "output.outcome", "right": "no"}
    loop = workflow(
        [node("start"), node("talk", "core.conversationGate"), node("again")],
        [
            edge("start", "talk", "any_success"),
            edge("talk", "again", condition=again),
            edge("again", "talk", "any_success"),
        ],
    )
    run_id = start_flow(loop)
    reply(actor("ann"), run_id, "no", at="talk")
    assert status(run_id) == "waiting-input"
    assert Conversation.objects.count() == 2
    reply(actor("ann"), run_id, "yes", at="talk")
    assert status(run_id) == "completed"


def test_a_turn_of_the_protocols_form_is_recorded_as_one() -> None:
    run_id = start_flow(talk())
    turn: JsonObject = {
        "messageId": "m-1", "from": "ann", "content": "Hi.", "ts": 1, "role": "user", "turnIndex": 0,
        "parts": [{"x": 1}],
    }  # fmt: skip
    reply(actor("ann"), run_id, turn, at="talk")
    assert last(run_id, "conversation.exchanged")["turn"] == turn
    assert "outcome" not in last(run_id, "conversation.exchanged")


def test_an_expired_turn_closes_the_conversation_and_fails_the_gate() -> None:
    run_id = start_flow(talk(turnCount=2, timeoutMs=1000))
    reply(actor("ann"), run_id, "Hi.", at="talk")
    sweep(now=after(seconds=1))
    assert trail(run_id)[-4:] == [
        "interrupt.resolved talk", "conversation.closed talk", "node.failed talk", "run.failed"
    ]  # fmt: skip
    closed = last(run_id, "conversation.closed")
    assert (closed["reason"], closed["turnCount"]) == ("interrupt_expired", 1)
    assert last(run_id, "run.failed")["error"]["code"] == "interrupt_expired"


# --- Outcomes ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("by_interrupt", [False, True])
def test_a_turn_must_satisfy_the_outcome_schema(by_interrupt: bool) -> None:
    schema: JsonObject = {"type": "object", "required": ["choice"], "properties": {"choice": {"enum": ["a", "b"]}}}
    data: JsonObject = {"conversationId": "c-1", "prompt": "Which?", "outcomeSchema": schema}
    document = one_interrupt("conversation.exchange", data) if by_interrupt else talk(outcomeSchema=schema)
    at = "ask" if by_interrupt else "talk"
    run_id = start_flow(document)
    wrong: list[JsonValue] = [None, {}, {"choice": "c"}, [{"choice": "a"}]]
    for value in wrong:
        with pytest.raises(ValidationFailed) as caught:
            reply(actor("ann"), run_id, value, at=at)
        assert str(caught.value.details["field"]).startswith("resumeValue")
    assert status(run_id) == "waiting-input"
    assert reply(actor("ann"), run_id, {"choice": "a"}, at=at).result["status"] == "completed"


def test_the_resume_schema_is_asked_too() -> None:
    data: JsonObject = {"conversationId": "c-1", "prompt": "Which?", "outcomeSchema": {"type": "integer"}}
    run_id = start_flow(one_interrupt("conversation.exchange", data, resumeSchema={"minimum": 5}))
    for value in ("5", 4):
        with pytest.raises(ValidationFailed):
            reply(actor("ann"), run_id, value)
    assert reply(actor("ann"), run_id, 5).result["status"] == "completed"


# --- The kinds, one by one --------------------------------------------------------------------------------------------


def test_a_conversation_of_single_interrupts_counts_its_turns() -> None:
    data: JsonObject = {"conversationId": "support-7"}
    run_id = start_flow(
        chain(
            asking("begin", "conversation.start", {**data, "title": "Support", "initialPrompt": "Hello"}),
            asking("one", "conversation.exchange", {**data, "prompt": "What is wrong?"}),
            asking("two", "conversation.exchange", {**data, "prompt": "Since when?"}),
            asking("end", "conversation.close", {**data, "reason": "solved"}),
        )
    )
    assert trail(run_id)[2:] == ["interrupt.requested begin", "node.suspended begin", "conversation.opened begin"]
    for at, value in (("begin", None), ("one", "It hangs."), ("two", "Monday"), ("end", {})):
        assert status(run_id) == "waiting-input"
        reply(actor("ann"), run_id, value, at=at)
    assert status(run_id) == "completed"
    assert events(run_id) == [
        ("opened", data),
        ("exchanged", {**data, "turnIndex": 0, "outcome": "It hangs."}),
        ("exchanged", {**data, "turnIndex": 1, "outcome": "Monday"}),
        ("closed", {**data, "turnCount": 2, "reason": "solved"}),
    ]


def test_a_turn_index_that_is_written_down_is_the_one_recorded() -> None:
    data: JsonObject = {"conversationId": "c-1", "prompt": "?", "turnIndex": 41}
    run_id = start_flow(one_interrupt("conversation.exchange", data))
    reply(actor("ann"), run_id, 1)
    assert last(run_id, "conversation.exchanged")["turnIndex"] == 41


def test_an_id_is_the_tenants_only_one() -> None:
    document = one_interrupt("conversation.start", {"conversationId": "once"})
    first, second = start_flow(document), start(actor("owner"))
    assert [status(first), status(second)] == ["waiting-input", "failed"]
    error = last(second, "node.failed")["error"]
    assert (error["code"], error["retryable"], error["details"]) == (
        "node_config_invalid",
        False,
        {"field": "conversationId"},
    )
    assert "interrupt.requested ask" not in trail(second)
    assert events(second) == []


def test_an_id_is_taken_for_good_even_within_one_run() -> None:
    data: JsonObject = {"conversationId": "once"}
    run_id = start_flow(chain(asking("a", "conversation.start", data), asking("b", "conversation.start", data)))
    reply(actor("ann"), run_id, None, at="a")
    assert status(run_id) == "failed"
    assert last(run_id, "run.failed")["failedNodeId"] == "b"


def test_another_tenant_may_use_the_same_id() -> None:
    document = one_interrupt("conversation.start", {"conversationId": "once"})
    assert status(start_flow(document)) == "waiting-input"
    assert status(start_flow(document, by=actor("olga", of="globex"))) == "waiting-input"
    assert Conversation.objects.count() == 2


def test_each_run_can_name_its_own_conversation() -> None:
    inputs: JsonObject = {"data": {"type": "expression", "expression": "{'conversationId': inputs.id}"}}
    document = one_interrupt("conversation.start", {"conversationId": "default"}, inputs=inputs)
    first = start_flow(document, inputs={"id": "one"})
    second = start(actor("owner"), inputs={"id": "two"})
    assert [status(first), status(second)] == ["waiting-input", "waiting-input"]


# --- Rosters ----------------------------------------------------------------------------------------------------------


def test_the_roster_is_carried_in_order() -> None:
    run_id = start_flow(talk(participants=ROSTER))
    assert last(run_id, "conversation.opened")["participants"] == ROSTER


@pytest.mark.parametrize(
    "value",
    [
        {"role": "agent", "speakerId": "host:a", "content": "Hi."},
        {"speakerId": "host:b"},
        {"role": "user", "content": "Hi."},
        "Hi.",
        None,
    ],
)
def test_a_participant_speaks_and_so_does_a_person(value: JsonValue) -> None:
    run_id = start_flow(talk(participants=ROSTER))
    assert reply(actor("ann"), run_id, value, at="talk").result["status"] == "completed"


@pytest.mark.parametrize(
    "value", [{"speakerId": "host:c"}, {"speakerId": None}, {"speakerId": ["host:a"]}, {"role": "agent"}]
)
def test_nobody_else_speaks_and_the_turn_is_left_unconsumed(value: JsonValue) -> None:
    run_id = start_flow(talk(participants=ROSTER))
    with pytest.raises(SpeakerNotParticipant) as caught:
        reply(actor("ann"), run_id, value, at="talk")
    assert caught.value.details == {"participants": ["host:a", "host:b"]}
    assert status(run_id) == "waiting-input"
    assert [kind for kind, _payload in events(run_id)] == ["opened"]


def test_a_roster_larger_than_allowed_is_refused_before_there_is_a_run() -> None:
    crowd: list[JsonValue] = [{"agentId": f"host:{index}"} for index in range(MAX_PARTICIPANTS + 1)]
    with pytest.raises(RosterExceeded) as caught:
        start_flow(talk(participants=crowd))
    assert caught.value.details == {"maxParticipants": MAX_PARTICIPANTS}
    assert not Conversation.objects.exists()
    document = {**talk(participants=crowd[:-1]), "version": "2"}
    assert status(start_flow(document)) == "waiting-input"


# --- Conformance runs -------------------------------------------------------------------------------------------------


def test_a_gate_answers_itself_in_a_conformance_run_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValidationFailed):
        start_flow(talk(mockAutoResume=True, turnCount=3))
    offer_conformance_types(monkeypatch)
    run_id = start_flow(talk(mockAutoResume=True, turnCount=3))
    assert status(run_id) == "completed"
    assert [kind for kind, _payload in events(run_id)] == ["opened", *["exchanged"] * 3, "closed"]
    assert [payload["turn"]["turnIndex"] for _kind, payload in events(run_id)[1:4]] == [0, 1, 2]
    assert not Suspension.objects.exists()
    assert "interrupt.requested talk" not in trail(run_id)
