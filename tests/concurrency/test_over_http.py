"""The same races through the real web server, from clients that share nothing but the network."""

from __future__ import annotations

import time
from collections import Counter
from functools import partial

import httpx

from tests.concurrency.racing import at_once
from tests.live.installation import Installation
from tests.live.peer import Peer, payloads, percent


def peer(installation: Installation, name: str = "suite") -> Peer:
    return Peer.named(name, installation)


def outcomes(responses: list[httpx.Response | Exception]) -> Counter[str]:
    return Counter(_outcome(response) for response in responses)


def _outcome(response: httpx.Response | Exception) -> str:
    if isinstance(response, Exception):
        raise response
    return f"{response.status_code} {response.json().get('error', '')}".strip()


def test_of_32_contradictory_answers_over_http_one_gets_200_and_31_get_409(installation: Installation) -> None:
    suite = peer(installation)
    run_id = suite.suspended("one-gate")
    people = [peer(installation, f"p{n}") for n in range(32)]
    actions = ["accept", "reject"] * 16
    responses = at_once(
        *(
            lambda person=person, action=action: person.answer(run_id, action)
            for person, action in zip(people, actions, strict=True)
        )
    )
    assert outcomes(responses) == {"200": 1, "409 interrupt_already_resolved": 31}
    (winner,) = [n for n, response in enumerate(responses) if _outcome(response) == "200"]
    (resolved,) = payloads(suite.log(run_id), "interrupt.resolved")
    assert resolved["action"] == actions[winner]
    assert suite.snapshot(run_id)["status"] == {"accept": "completed", "reject": "failed"}[actions[winner]]
    assert installation.unsound_runs() == {}


def test_eight_clients_with_one_key_get_the_same_bytes_and_seven_of_them_are_told_it_is_a_replay(
    installation: Installation,
) -> None:
    suite = peer(installation)
    run_id = suite.suspended("two-votes")
    answer = {"action": "accept"}
    responses = at_once(
        *(lambda: suite.resolve(run_id, answer, Idempotency_Key="one-key-for-all-of-them-1") for _ in range(8))
    )
    assert outcomes(responses) == {"200": 8}
    assert len({response.content for response in responses if isinstance(response, httpx.Response)}) == 1
    marks = Counter(r.headers.get("OpenWOP-Idempotent-Replay") for r in responses if isinstance(r, httpx.Response))
    assert marks == {None: 1, "true": 7}
    assert suite.snapshot(run_id)["status"] == "waiting-approval"


def test_eight_starts_with_one_key_make_one_run(installation: Installation) -> None:
    suite = peer(installation)
    body = {"workflowId": "one-gate", "scopeId": "one-start"}
    responses = at_once(
        *(lambda: suite.post("/runs", body, Idempotency_Key="eight-starts-with-one-key") for _ in range(8))
    )
    assert outcomes(responses) == {"201": 8}
    assert len({response.content for response in responses if isinstance(response, httpx.Response)}) == 1


def test_of_two_starts_that_enforce_their_scope_one_gets_201_and_one_409(installation: Installation) -> None:
    suite = peer(installation)
    body = {"workflowId": "one-gate", "scopeId": "only-one-of-these"}
    responses = at_once(*(lambda: suite.post("/runs", body, OpenWOP_Dedup="enforce") for _ in range(2)))
    assert outcomes(responses) == {"201": 1, "409 run_already_active": 1}
    (refused,) = [r for r in responses if isinstance(r, httpx.Response) and r.status_code == 409]
    assert int(refused.headers["Retry-After"]) >= 1


def test_an_answer_and_a_cancel_over_http_leave_one_end(installation: Installation) -> None:
    suite = peer(installation)
    run_ids = [suite.suspended("one-gate") for _ in range(6)]
    for run_id in run_ids:
        responses = at_once(lambda: suite.answer(run_id, "accept"), lambda: suite.cancel(run_id))  # noqa: B023
        assert outcomes(responses) in (
            {"200": 1, "409 run_terminal": 1},
            {"200": 1, "409 interrupt_already_resolved": 1},
        )
        assert suite.snapshot(run_id)["status"] in ("completed", "cancelled")
    assert installation.unsound_runs() == {}


def test_answers_that_arrive_about_the_deadline_meet_the_real_sweep_and_each_gate_ends_once(
    installation: Installation,
) -> None:
    suite = peer(installation)
    run_ids = [suite.start("short-gate") for _ in range(16)]
    deadline = time.monotonic() + 1.5

    def answer_at(moment: float, run_id: str) -> httpx.Response:
        time.sleep(max(0.0, moment - time.monotonic()))
        return suite.answer(run_id, "accept")

    moments = [deadline + (n - 12) * 0.04 for n in range(16)]
    calls = [partial(answer_at, moment, run_id) for moment, run_id in zip(moments, run_ids, strict=True)]
    for run_id, response in zip(run_ids, at_once(*calls), strict=True):
        in_time = _outcome(response) == "200"
        (resolved,) = payloads(suite.log(run_id), "interrupt.resolved")
        assert resolved["action"] == ("accept" if in_time else "timeout")
        assert suite.snapshot(run_id)["status"] == ("completed" if in_time else "failed")
    assert installation.unsound_runs() == {}


def test_a_poll_that_waits_is_woken_by_the_answer(installation: Installation) -> None:
    suite, other = peer(installation), peer(installation)
    run_id = suite.suspended("one-gate")
    last = suite.log(run_id)[-1]["sequence"]
    polled, answered = at_once(
        lambda: other.get(f"/runs/{percent(run_id)}/events/poll?afterSequence={last}&timeout=10"),
        lambda: suite.answer(run_id, "accept"),
    )
    assert isinstance(polled, httpx.Response)
    assert isinstance(answered, httpx.Response)
    assert answered.status_code == 200
    assert polled.json()["isTerminal"] is True
    assert polled.elapsed.total_seconds() < 5
