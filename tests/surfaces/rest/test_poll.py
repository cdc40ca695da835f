"""GET /runs/{runId}/events/poll (wire contract §9.2; cases 58-60)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db import connection, connections

from interrupts.contracts.shipped import event_payload
from interrupts.contracts.validation import validate
from interrupts.surfaces import polling
from interrupts.surfaces.news import RunNews
from tests import factories
from tests.factories import register
from tests.surfaces.rest.api import Answer, Api, wire


def poll(api: Api, run_id: str, query: str = "") -> Answer:
    return api.get(f"/runs/{wire(run_id)}/events/poll{query}")


# --- At once ----------------------------------------------------------------------------------------------------------


@pytest.mark.django_db
def test_the_whole_log_comes_at_once_in_a_closed_document(api: Api, gate_run: str) -> None:
    answer = poll(api, gate_run)
    assert answer.fits("poll-response")
    assert set(answer.body) == {"runId", "events", "lastSequence", "status", "isTerminal"}
    assert (answer.body["runId"], answer.body["status"], answer.body["isTerminal"]) == (
        gate_run,
        "waiting-approval",
        False,
    )
    events = answer.body["events"]
    assert [event["sequence"] for event in events] == list(range(len(events)))
    assert answer.body["lastSequence"] == events[-1]["sequence"]
    assert [event["type"] for event in events] == [
        "run.started",
        "node.started",
        "interrupt.requested",
        "node.suspended",
    ]


@pytest.mark.django_db
def test_every_event_and_its_payload_fit_their_schemas(api: Api, gate_run: str) -> None:
    api.post(f"/runs/{wire(gate_run)}/interrupts/gate", {"resumeValue": {"action": "reject"}})
    for event in poll(api, gate_run).body["events"]:
        assert validate(event_payload(event["type"]), event["payload"]) == []
        assert event["runId"] == gate_run
        assert event["schemaVersion"] == 3
        assert ("nodeId" in event) == (not event["type"].startswith("run."))


@pytest.mark.django_db
def test_only_what_is_past_the_given_sequence_comes(api: Api, gate_run: str) -> None:
    whole = poll(api, gate_run, "?afterSequence=-1").body["events"]
    assert whole == poll(api, gate_run).body["events"]
    assert poll(api, gate_run, "?afterSequence=0&timeout=1&streamMode=debug").body["events"] == whole[1:]
    api.post(f"/runs/{wire(gate_run)}/cancel", {})
    assert poll(api, gate_run, f"?afterSequence={whole[-1]['sequence']}").body["events"][0]["type"] == "node.cancelled"


@pytest.mark.django_db
@pytest.mark.parametrize("after", [1000, 2**31, 2**53 - 1])
def test_a_run_that_has_ended_answers_at_once_even_past_its_end(api: Api, gate_run: str, after: int) -> None:
    api.post(f"/runs/{wire(gate_run)}/cancel", {})
    began = time.monotonic()
    page = poll(api, gate_run, f"?afterSequence={after}&timeout=60").body
    assert time.monotonic() - began < 2
    assert (page["events"], page["status"], page["isTerminal"]) == ([], "cancelled", True)
    assert page["lastSequence"] == factories.run_of(gate_run).last_sequence


@pytest.mark.django_db
@pytest.mark.parametrize("after", ["-2", "1.5", "abc", "1" + "0" * 30, "", "-", "--1", "1e3", "+1", " 1", "٣", "0x1"])
def test_a_malformed_sequence_is_refused(api: Api, gate_run: str, after: str) -> None:
    refused = poll(api, gate_run, f"?afterSequence={after.replace('+', '%2B')}").refused(400, "validation_error")
    assert refused == {"field": "afterSequence"}


@pytest.mark.django_db
@pytest.mark.parametrize("timeout", ["0", "61", "-1", "1.5", "abc", "", "9" * 30])
def test_a_timeout_out_of_bounds_is_refused(api: Api, gate_run: str, timeout: str) -> None:
    assert poll(api, gate_run, f"?timeout={timeout}").refused(400, "validation_error") == {"field": "timeout"}


# --- Waiting ----------------------------------------------------------------------------------------------------------


@pytest.mark.django_db(transaction=True)
def test_nothing_new_is_told_after_the_timeout(api: Api, gate_run: str) -> None:
    began = time.monotonic()
    page = poll(api, gate_run, "?afterSequence=3&timeout=1").body
    assert 0.9 < time.monotonic() - began < 5
    assert page == {
        "runId": gate_run,
        "events": [],
        "lastSequence": 3,
        "status": "waiting-approval",
        "isTerminal": False,
    }


@pytest.mark.django_db(transaction=True)
def test_a_waiting_poll_is_woken_by_the_next_event(api: Api, gate_run: str) -> None:
    waiting = _in_thread(lambda: poll(Api(api.secret), gate_run, "?afterSequence=3&timeout=30"))
    time.sleep(0.5)
    assert waiting.is_alive()
    api.post(f"/runs/{wire(gate_run)}/interrupts/gate", {"resumeValue": {"action": "accept"}})
    answered = time.monotonic()
    page = waiting.result().body
    assert time.monotonic() - answered < 3
    assert page["events"][0]["type"] == "interrupt.resolved"
    assert (page["status"], page["isTerminal"]) == ("completed", True)


@pytest.mark.django_db(transaction=True)
def test_events_of_another_run_wake_nobody(api: Api, gate_run: str) -> None:
    waiting = _in_thread(lambda: poll(Api(api.secret), gate_run, "?afterSequence=3&timeout=2"))
    time.sleep(0.3)
    api.post("/runs", {"workflowId": "flow"})
    assert waiting.result().body["events"] == []


@pytest.mark.django_db(transaction=True)
def test_a_waiting_poll_holds_no_connection(api: Api, gate_run: str, monkeypatch: pytest.MonkeyPatch) -> None:
    held: list[bool] = []

    class Watching(RunNews):
        def _wait(self, news: threading.Event, seconds: float) -> None:
            held.append(connection.connection is not None)
            super()._wait(news, seconds)

    watching = Watching()
    monkeypatch.setattr(polling, "RUN_NEWS", watching)
    poll(api, gate_run, "?afterSequence=3&timeout=1")
    watching.stop()
    assert held
    assert not any(held)


@pytest.mark.django_db(transaction=True)
def test_polls_beyond_the_seats_of_this_process_are_told_to_come_back(
    api: Api, gate_run: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(polling, "_SEATS", threading.BoundedSemaphore(1))
    waiting = _in_thread(lambda: poll(Api(api.secret), gate_run, "?afterSequence=3&timeout=2"))
    time.sleep(0.5)
    refused = poll(api, gate_run, "?afterSequence=3&timeout=1")
    refused.refused(429, "rate_limited")
    assert refused.headers["Retry-After"] == "1"
    assert poll(api, gate_run).status == 200
    assert waiting.result().status == 200
    assert poll(api, gate_run, "?afterSequence=3&timeout=1").status == 200


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_news_come_again_after_the_listening_connection_was_lost(api: Api, gate_run: str) -> None:
    news = RunNews()
    try:
        with news.following(gate_run) as wait:
            _until(news._listening.is_set)
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                    " WHERE datname = current_database() AND query LIKE 'LISTEN%%'"
                )
            _until(lambda: not news._listening.is_set())
            _until(news._listening.is_set)
            wait(0)
            api.post(f"/runs/{wire(gate_run)}/cancel", {})
            began = time.monotonic()
            wait(5)
            assert time.monotonic() - began < 1
    finally:
        news.stop()


@pytest.mark.postgresql
@pytest.mark.django_db(transaction=True)
def test_one_connection_listens_for_any_number_of_polls(api: Api) -> None:
    register(factories.one_gate())
    runs = [str(api.post("/runs", {"workflowId": "flow"}).body["runId"]) for _ in range(4)]
    before = _listeners()
    waiting = [_in_thread(partial(poll, Api(api.secret), run, "?afterSequence=3&timeout=2")) for run in runs]
    time.sleep(1)
    # Those of tests before may not have gone yet.
    assert _listeners() - before <= 1
    assert [thread.result().status for thread in waiting] == [200] * 4


def _listeners() -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%%'"
        )
        return int(cursor.fetchone()[0])


class _Thread(threading.Thread):
    """A thread whose result, or error, can be asked for."""

    def __init__(self, call: Callable[[], Any]) -> None:
        super().__init__()
        self._call = call
        self._error: BaseException | None = None

    def run(self) -> None:
        try:
            self._value = self._call()
        except BaseException as error:  # noqa: BLE001 - it is raised in the test's own thread
            self._error = error
        finally:
            connections.close_all()

    def result(self) -> Any:
        self.join(timeout=40)
        if self._error is not None:
            raise self._error
        return self._value


def _in_thread(call: Callable[[], Any]) -> _Thread:
    thread = _Thread(call)
    thread.start()
    return thread


def _until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.02)
