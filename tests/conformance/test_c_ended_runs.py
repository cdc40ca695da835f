"""Sections C, D and H: answers to what has ended or never was, tokens that are not ours, and the ids of interrupts."""

from __future__ import annotations

import re

import pytest

from tests.live.peer import TERMINAL, Peer, assert_refused, payloads, percent, projected

BOUND_ID = r"^(anon:)?[A-Za-z0-9._~-]{1,128}/[A-Za-z0-9._~-]{16,128}$"


def test_case_14_resolve_after_cancel_is_409(suite: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    assert suite.cancel(run_id).status_code == 200
    assert suite.until(run_id, *TERMINAL)["status"] == "cancelled"
    assert_refused(suite.answer(run_id, "accept"), 409, "interrupt_already_resolved")


def test_case_15_resolve_after_complete_is_409(suite: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    assert suite.answer(run_id, "accept").status_code == 200
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"
    assert_refused(suite.answer(run_id, "accept"), 409, "interrupt_already_resolved")


def test_trap_6_resolve_after_failure_is_409_as_well(suite: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    suite.answer(run_id, "reject")
    assert_refused(suite.answer(run_id, "accept"), 409, "interrupt_already_resolved")


@pytest.mark.parametrize("form", [percent, projected])
def test_case_16_an_unknown_run_of_the_own_tenant_is_404(suite: Peer, form: type[str]) -> None:
    path = f"/runs/{form('acme/openwopconformanceunknown1k2j3h')}/interrupts/gate"
    answer = suite.post(path, {"resumeValue": {"action": "accept"}})
    assert_refused(answer, 404, "not_found")


def test_case_17_a_token_without_the_prefix_is_refused_without_a_bearer(anonymous: Peer) -> None:
    answer = anonymous.get("/interrupts/b3BlbndvcC1jb25mb3JtYW5jZQ.0123456789abcdef0123456789abcdef")
    assert_refused(answer, 401, "interrupt_token_invalid")


def test_case_18_a_token_of_an_unheld_key_is_401(anonymous: Peer) -> None:
    path = "/interrupts/ow2.hs256.nokid.b3BlbndvcC1jb25mb3JtYW5jZQ.0123456789abcdef0123456789abcdef"
    assert_refused(anonymous.get(path), 401, "interrupt_token_invalid")
    assert_refused(anonymous.post(path, {"resumeValue": {}}), 401, "interrupt_token_invalid")


def test_case_29_interrupt_ids_are_bound_to_the_tenant(suite: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    polled = suite.get(f"/runs/{projected(run_id)}/events/poll?timeout=1").json()
    (suspended,) = payloads(polled["events"], "node.suspended")
    assert re.fullmatch(BOUND_ID, suspended["interruptId"])
    assert suspended["interruptId"].startswith("acme/")
    assert "~" not in suspended["interruptId"]
    assert "~" not in run_id
