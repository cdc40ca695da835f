"""`kill -9` and a lost broker: afterwards no run is stuck, no event is missing or doubled, and no promise is broken.

Each test has processes of its own profile: SQLite and files, or PostgreSQL and Redis with `DATABASE_URL`.
"""

from __future__ import annotations

import shutil
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import httpx
import pytest

from tests.live.installation import Installation, await_that
from tests.live.peer import TERMINAL, Peer, payloads, percent, types

CLIENTS = 8


@pytest.fixture
def suite(installation: Installation) -> Peer:
    return Peer.named("suite", installation)


def ended(suite: Peer, run_ids: list[str]) -> int:
    return sum(suite.snapshot(run_id)["status"] in TERMINAL for run_id in run_ids)


def assert_timed_out_once(suite: Peer, run_id: str) -> None:
    log = suite.log(run_id)
    (resolved,) = payloads(log, "interrupt.resolved")
    assert (resolved["action"], resolved["decision"], resolved["reason"]) == ("timeout", "rejected", "timeout")
    assert types(log)[-2:] == ["node.failed", "run.failed"]


# --- Between suspend and answer ---------------------------------------------------------------------------------------


def test_a_run_that_waits_outlives_a_kill_of_web_worker_and_beat(installation: Installation, suite: Peer) -> None:
    run_id, half_decided = suite.suspended("one-gate"), suite.suspended("two-votes")
    assert Peer.named("p0", installation).answer(half_decided, "accept").status_code == 200
    before = suite.log(run_id), suite.log(half_decided)
    installation.kill("web", "worker", "beat")
    installation.restart()
    assert (suite.log(run_id), suite.log(half_decided)) == before
    assert suite.answer(run_id, "accept").json()["status"] == "completed"
    assert Peer.named("p1", installation).answer(half_decided, "accept").json()["status"] == "completed"
    assert installation.unsound_runs() == {}


def test_a_deadline_that_passes_while_everything_is_down_fires_after_the_restart(
    installation: Installation, suite: Peer
) -> None:
    installation.kill("worker", "beat")
    run_id = suite.start("short-gate")
    installation.kill("web")
    time.sleep(1.6)
    installation.start("web")
    assert suite.answer(run_id, "accept").status_code == 409
    assert_timed_out_once(suite, run_id)
    installation.restart()
    assert_timed_out_once(suite, run_id)


# --- In a burst of answers --------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Burst:
    """Clients that contradict each other at many gates, and remember every answer they were given."""

    installation: Installation
    run_ids: list[str]
    told: dict[tuple[str, str], httpx.Response] = field(default_factory=dict)
    cut_off: int = 0
    stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def going_on(self) -> Iterator[None]:
        """Clients answer each gate until every one of them was told something, whatever happens to the server."""
        with ThreadPoolExecutor(CLIENTS) as pool:
            clients = [pool.submit(self._answer_all, number) for number in range(CLIENTS)]
            try:
                yield
            except BaseException:
                self.stop.set()
                raise
        for client in clients:
            client.result()

    def _answer_all(self, number: int) -> None:
        name, action = f"p{number}", "accept" if number % 2 else "reject"
        person = Peer.named(name, self.installation)
        for run_id in self.run_ids[number:] + self.run_ids[:number]:
            key = f"{name}-{run_id.rpartition('/')[2]}".ljust(22, "-")
            self.told[name, run_id] = self._insist(person, run_id, action, key)

    def _insist(self, person: Peer, run_id: str, action: str, key: str) -> httpx.Response:
        """Send the same request with the same key until the server lives to answer it, and its database too."""
        while not self.stop.is_set():
            try:
                answer = person.resolve(run_id, {"action": action}, Idempotency_Key=key)
            except httpx.TransportError:
                answer = None
            if answer is not None and answer.status_code != 503:
                return answer
            self.cut_off += 1
            time.sleep(0.1)
        raise AssertionError("the test was given up")

    def answered(self) -> int:
        return sum(response.status_code == 200 for response in list(self.told.values()))

    def assert_promises_kept(self, suite: Peer) -> None:
        """One client a gate was told that its answer counts, and the log says the same."""
        for run_id in self.run_ids:
            told = {name: response for (name, run), response in self.told.items() if run == run_id}
            winners = [name for name, response in told.items() if response.status_code == 200]
            assert len(told) == CLIENTS
            assert len(winners) == 1, f"{run_id}: {winners} were all told that their answer counts"
            assert {r.json()["error"] for r in told.values() if r.status_code != 200} == {"interrupt_already_resolved"}
            (resolved,) = payloads(suite.log(run_id), "interrupt.resolved")
            assert resolved["action"] == ("accept" if int(winners[0][1:]) % 2 else "reject")
            assert suite.snapshot(run_id)["status"] == told[winners[0]].json()["status"]


def test_a_kill_in_a_burst_of_answers_loses_none_and_counts_none_twice(installation: Installation, suite: Peer) -> None:
    burst = Burst(installation, [suite.suspended("one-gate") for _ in range(32)])
    with burst.going_on():
        for third in (8, 20):
            await_that(lambda: burst.answered() >= third, "the burst stands still")  # noqa: B023 - read at once
            installation.kill(*(name for name in ("web", "worker") if name in installation.running))
            installation.start("web")
    installation.restart()
    assert burst.cut_off > 0, "the kill met no client"
    burst.assert_promises_kept(suite)
    assert installation.unsound_runs() == {}


@pytest.mark.postgresql
def test_connections_to_the_database_that_are_cut_in_a_burst_cost_a_retry_at_most(
    installation: Installation, suite: Peer
) -> None:
    burst = Burst(installation, [suite.suspended("one-gate") for _ in range(32)])
    with burst.going_on():
        for third in (4, 8, 12, 16, 20):
            await_that(lambda: burst.answered() >= third, "the burst stands still")  # noqa: B023 - read at once
            installation.cut_database_connections()
    burst.assert_promises_kept(suite)
    assert installation.unsound_runs() == {}
    late = suite.start("short-gate")
    await_that(lambda: ended(suite, [late]) == 1, "the worker did not get over its lost connection")


def test_every_run_that_a_client_was_told_of_exists_after_a_kill(installation: Installation, suite: Peer) -> None:
    told: list[Any] = []
    numbers, stop = count(), threading.Event()

    def keep_starting() -> None:
        while not stop.is_set():
            try:
                told.append(suite.post("/runs", {"workflowId": "one-gate", "tags": [f"t{next(numbers)}"]}).json())
            except httpx.TransportError:
                time.sleep(0.05)

    with ThreadPoolExecutor(CLIENTS) as pool:
        for _ in range(CLIENTS):
            pool.submit(keep_starting)
        await_that(lambda: len(told) > 40, "no runs start")
        installation.kill("web")
        stop.set()
    installation.restart()
    for created in told:
        assert suite.snapshot(created["runId"])["status"] == created["status"] == "waiting-approval"
    assert installation.unsound_runs() == {}


# --- Between a parent and its child -----------------------------------------------------------------------------------


def child_of(suite: Peer, run_id: str) -> str:
    return str(payloads(suite.log(run_id), "node.dispatched")[0]["childRunId"])


def test_a_worker_killed_while_children_start_and_end_leaves_each_parent_one_child(
    installation: Installation, suite: Peer
) -> None:
    installation.kill("worker")
    run_ids = [suite.start("parent") for _ in range(30)]
    children = [child_of(suite, run_id) for run_id in run_ids]
    with installation.counting("interrupts_run") as runs:
        before = runs()
        installation.start_unseen("worker")
        await_that(lambda: runs() > before, "no child starts")
        installation.kill("worker")
    installation.restart()
    await_that(lambda: ended(suite, run_ids) == len(run_ids), "a parent waits for ever", seconds=120)
    for run_id, child_id in zip(run_ids, children, strict=True):
        log = suite.log(run_id)
        assert types(log) == ["run.started", "node.started", "node.dispatched", "node.completed", "run.completed"]
        assert payloads(log, "node.completed")[0]["outputs"] == {"childRunId": child_id, "childStatus": "completed"}
        assert types(suite.log(child_id)) == ["run.started", "node.started", "node.completed", "run.completed"]
    assert installation.unsound_runs() == {}


def _is_there(suite: Peer, run_id: str) -> bool:
    return suite.get(f"/runs/{percent(run_id)}").status_code == 200


def _is_gone(suite: Peer, run_id: str) -> bool:
    """Cancelled with its parent, or never started."""
    return not _is_there(suite, run_id) or suite.snapshot(run_id)["status"] == "cancelled"


def test_a_cascade_cut_off_by_a_kill_is_finished_after_the_restart(installation: Installation, suite: Peer) -> None:
    run_ids = [suite.start("waiting-parent") for _ in range(20)]
    children = [child_of(suite, run_id) for run_id in run_ids]
    await_that(lambda: all(_is_there(suite, child_id) for child_id in children[:10]), "no child starts")
    for run_id in run_ids:
        assert suite.cancel(run_id).status_code == 200
    installation.kill("worker")
    installation.restart()
    await_that(lambda: all(_is_gone(suite, child_id) for child_id in children), "a child outlived its parent")
    assert installation.unsound_runs() == {}


# --- Timers without a broker, and without a worker --------------------------------------------------------------------


def test_timers_that_are_due_fire_though_the_broker_was_emptied(installation: Installation, suite: Peer) -> None:
    installation.kill("worker")
    run_ids = [suite.start(workflow) for workflow in ("short-gate", "short-delay") * 5]
    time.sleep(1.6)
    installation.empty_broker()
    installation.restart()
    await_that(lambda: ended(suite, run_ids) == len(run_ids), "a timer was lost with the broker")
    for run_id in run_ids[::2]:
        assert_timed_out_once(suite, run_id)
    for run_id in run_ids[1::2]:
        assert types(suite.log(run_id)) == ["run.started", "node.started", "node.completed", "run.completed"]
    assert installation.unsound_runs() == {}


def test_emptying_the_broker_again_and_again_only_delays(installation: Installation, suite: Peer) -> None:
    run_ids = [suite.start("short-gate") for _ in range(5)]
    until = time.monotonic() + 2
    while time.monotonic() < until:
        installation.empty_broker()
        time.sleep(0.1)
    await_that(lambda: ended(suite, run_ids) == len(run_ids), "a timer was lost with the broker")
    for run_id in run_ids:
        assert_timed_out_once(suite, run_id)


def test_a_worker_killed_while_timers_fire_leaves_each_to_fire_once(installation: Installation, suite: Peer) -> None:
    run_ids: list[str] = []
    left = 0
    while left == 0:  # The worker was through with them before it was killed: once more.
        installation.kill("worker")
        run_ids = [suite.start("short-gate") for _ in range(60)]
        time.sleep(1.6)
        left = _kill_in_the_middle(installation, len(run_ids))
        installation.restart()
    await_that(
        lambda: ended(suite, run_ids) == len(run_ids), f"of {left} timers left by the killed worker some are lost"
    )
    for run_id in run_ids:
        assert_timed_out_once(suite, run_id)
    assert installation.unsound_runs() == {}


def _kill_in_the_middle(installation: Installation, due: int) -> int:
    """Kill the worker as soon as the first of the timers is gone, and return how many it left."""
    with installation.counting("interrupts_timer") as timers:
        installation.start_unseen("worker")
        while timers() >= due:
            pass
        installation.kill("worker")
        return timers()


@pytest.mark.postgresql
def test_a_broker_that_is_lost_and_comes_back_delays_what_is_due_and_no_answer(
    installation: Installation, suite: Peer
) -> None:
    assert installation.redis is not None
    waiting = suite.suspended("one-gate")
    installation.redis.stop()
    run_ids = [suite.start("short-gate") for _ in range(5)]
    assert suite.answer(waiting, "accept").json()["status"] == "completed"
    time.sleep(5)
    assert ended(suite, run_ids) == 0
    installation.redis.start()
    await_that(lambda: ended(suite, run_ids) == len(run_ids), "nothing fires once the broker is back", seconds=30)
    for run_id in run_ids:
        assert_timed_out_once(suite, run_id)
    assert set(installation.running) == {"web", "worker", "beat"}
    assert installation.unsound_runs() == {}


@pytest.mark.sqlite
def test_timers_outlive_the_deletion_of_the_brokers_folder(installation: Installation, suite: Peer) -> None:
    """Without its folder the worker ends, and with it `make run`; the next start makes a new folder and goes on."""
    run_ids = [suite.start("short-gate") for _ in range(3)]
    shutil.rmtree(installation.folder / "broker")
    installation.kill("web", "worker", "beat")
    installation.prepare_broker()
    installation.restart()
    await_that(lambda: ended(suite, run_ids) == len(run_ids), "a timer was lost with the broker")
    for run_id in run_ids:
        assert_timed_out_once(suite, run_id)
