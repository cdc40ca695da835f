"""Sections M (without streams) and N: the log by poll, closed types and payloads, and the grammar of ids."""

from __future__ import annotations

import re
from typing import Any

import pytest

from tests.live.peer import TERMINAL, Peer, assert_refused, assert_valid, payloads, percent, projected, types


@pytest.fixture
def run_id(suite: Peer) -> str:
    """A run of conformance-noop that has ended."""
    run_id = suite.start("conformance-noop")
    suite.until(run_id, *TERMINAL)
    return run_id


def poll(suite: Peer, run_id: str, query: str = "") -> Any:
    answer = suite.get(f"/runs/{projected(run_id)}/events/poll?timeout=1{query}")
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_case_58_a_page_has_five_members(suite: Peer, run_id: str) -> None:
    page = poll(suite, run_id)
    assert page.keys() == {"runId", "events", "lastSequence", "status", "isTerminal"}
    assert page["runId"] == run_id
    assert page["lastSequence"] == max(event["sequence"] for event in page["events"])
    assert (page["status"], page["isTerminal"]) == ("completed", True)


def test_case_59_the_first_sequence_is_zero(suite: Peer, run_id: str) -> None:
    assert poll(suite, run_id)["events"][0]["sequence"] == 0


def test_case_60_after_a_sequence_comes_exactly_the_rest(suite: Peer, run_id: str) -> None:
    page = poll(suite, run_id)
    for event in page["events"]:
        after = event["sequence"]
        rest = poll(suite, run_id, f"&afterSequence={after}")
        assert rest == {**page, "events": page["events"][after + 1 :]}


def test_a_cursor_past_the_end_of_an_ended_run_is_answered_at_once_and_empty(suite: Peer, run_id: str) -> None:
    assert poll(suite, run_id, "&afterSequence=999999")["events"] == []


@pytest.mark.parametrize("query", ["afterSequence=x", "afterSequence=-2", "timeout=0", "timeout=61", "timeout=1.5"])
def test_a_malformed_cursor_or_wait_is_refused(suite: Peer, run_id: str, query: str) -> None:
    assert_refused(suite.get(f"/runs/{percent(run_id)}/events/poll?{query}"), 400, "validation_error")


@pytest.mark.parametrize("answer", ["accept", "reject", None])
def test_cases_66_and_67_every_type_is_registered_and_every_payload_closed(suite: Peer, answer: str | None) -> None:
    """The peer validates each event, envelope and payload, as it reads them."""
    run_id = suite.suspended("conformance-approval")
    if answer is None:
        suite.cancel(run_id)
    else:
        suite.answer(run_id, answer)
    log = suite.log(run_id)
    assert len(log) >= 6
    for event in log:
        assert_valid("run-event", event)
    assert len({event["eventId"] for event in log}) == len(log)


@pytest.mark.parametrize("form", [percent, projected])
def test_case_68_the_snapshot_and_the_events_carry_the_bound_id(suite: Peer, run_id: str, form: Any) -> None:
    assert re.fullmatch(r"acme/[A-Za-z0-9._-]{16,128}", run_id)
    assert suite.get(f"/runs/{form(run_id)}").json()["runId"] == run_id
    page = suite.get(f"/runs/{form(run_id)}/events/poll?timeout=1").json()
    assert {event["runId"] for event in page["events"]} == {run_id}


@pytest.mark.parametrize("form", [percent, projected])
def test_case_68_an_id_of_another_tenant_is_refused_from_its_text(suite: Peer, rival: Peer, form: Any) -> None:
    unknown = "openwop-conformance-foreign-tenant/foreignopaque0123456789abcdef"
    real = rival.start("conformance-noop")
    for foreign in (unknown, real):
        answers = [
            suite.get(f"/runs/{form(foreign)}"),
            suite.get(f"/runs/{form(foreign)}/events/poll?timeout=1"),
            suite.post(f"/runs/{form(foreign)}/cancel", {}),
            suite.post(f"/runs/{form(foreign)}/interrupts/gate", {"resumeValue": {"action": "accept"}}),
        ]
        envelopes = [assert_refused(answer, 403, "id_tenant_mismatch") for answer in answers]
        assert real not in str(envelopes)


@pytest.mark.parametrize("form", [percent, projected])
def test_trap_1_both_forms_of_an_id_reach_every_operation(suite: Peer, form: Any) -> None:
    run_id = suite.suspended("conformance-approval")
    path = f"/runs/{form(run_id)}"
    assert suite.get(path).status_code == 200
    assert suite.get(f"{path}/events/poll?timeout=1").status_code == 200
    assert suite.post(f"{path}/interrupts/gate", {"resumeValue": {"action": "accept"}}).status_code == 200
    assert_refused(suite.post(f"{path}/cancel", {}), 409, "run_terminal")


@pytest.mark.parametrize(
    "malformed", ["acme~2", "acme~2Gr-0123456789abcdef", "acme~", "r-0123456789abcdef0123", "acme%2Fshort"]
)
def test_trap_1_a_malformed_or_bare_id_is_400(suite: Peer, malformed: str) -> None:
    assert_refused(suite.get(f"/runs/{malformed}"), 400, "validation_error")


def test_trap_1_an_id_projected_twice_does_not_resolve(suite: Peer, run_id: str) -> None:
    twice = projected(projected(run_id))
    assert "~7E2F" in twice
    assert suite.get(f"/runs/{twice}").status_code in (400, 403, 404)


def test_the_order_of_events_at_a_gate(suite: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    suite.answer(run_id, "accept")
    log = suite.log(run_id)
    assert types(log) == [
        "run.started",
        "node.started",
        "interrupt.requested",
        "node.suspended",
        "interrupt.resolved",
        "node.resumed",
        "node.completed",
        "run.completed",
    ]
    assert {event.get("nodeId") for event in log[1:7]} == {"gate"}
    assert payloads(log, "node.started")[0]["attempt"] == 0
