"""One clerk, many hands: who has the database, and that no trouble with one errand is trouble for another."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Final

import pytest
from django.db import OperationalError

from interrupts.services.courier import Courier, Errand, Record, Take, nothing, settled

PATIENCE: Final = 10.0
Threads = list[str]


class Desk:
    """What a courier may take, batch by batch, and who did what."""

    def __init__(self, *batches: Sequence[Errand]) -> None:
        self.batches = list(batches)
        self.limits: list[int] = []
        self.threads: Threads = []
        self.written: list[str] = []

    def take(self, limit: int) -> Sequence[Errand]:
        self.limits.append(limit)
        self.threads.append(threading.current_thread().name)
        return self.batches.pop(0) if self.batches else ()

    def errand(self, name: str, *, until: threading.Event | None = None) -> Errand:
        def run() -> Record:
            assert threading.current_thread().name.startswith("courier_")
            assert until is None or until.wait(PATIENCE)
            return self.record(name)

        return run

    def record(self, name: str) -> Record:
        def write() -> None:
            self.threads.append(threading.current_thread().name)
            self.written.append(name)

        return write


def fails() -> Any:
    raise ValueError("no")


def finished(desk: Desk, *, wakes: int = 1, take: Take | None = None) -> Desk:
    """Let a courier make all that the desk has, waking it so often."""
    courier = Courier(hands=4, take=take or desk.take)
    for _ in range(wakes):
        courier.wake()
        thread = courier._clerk
        assert thread is not None
        thread.join(PATIENCE)
    assert courier.finish(seconds=PATIENCE)
    return desk


def test_one_thread_takes_and_writes_down_and_others_run_the_errands() -> None:
    desk = Desk()
    desk.batches = [[desk.errand(f"{batch}-{number}") for number in range(4)] for batch in range(3)]
    finished(desk)
    assert len(desk.written) == 12
    assert set(desk.threads) == {"courier"}


def test_no_more_is_taken_than_hands_are_free() -> None:
    go_on = threading.Event()
    desk = Desk()
    desk.batches = [[desk.errand("slow", until=go_on)], [desk.errand("quick")]]
    courier = Courier(hands=2, take=desk.take)
    courier.wake()
    while "quick" not in desk.written:
        courier.wake()
    go_on.set()
    assert courier.finish(seconds=PATIENCE)
    assert desk.limits[:2] == [2, 1]
    assert desk.written == ["quick", "slow"]


@pytest.mark.parametrize("trouble", [fails, settled(fails)])
def test_an_errand_or_a_record_that_fails_stops_no_other(trouble: Errand, caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    desk.batches = [[desk.errand("a"), trouble, desk.errand("b")], [desk.errand("c")]]
    assert sorted(finished(desk).written) == ["a", "b", "c"]
    assert [record.levelname for record in caplog.records] == ["ERROR"]


def test_what_came_of_an_errand_is_written_down_although_the_connection_was_lost_meanwhile() -> None:
    desk = Desk()
    losses = iter([OperationalError("terminated")])

    def write() -> None:
        for loss in losses:
            raise loss
        desk.written.append("a")

    desk.batches = [[settled(write)]]
    assert finished(desk).written == ["a"]


def test_what_could_not_be_taken_is_taken_at_the_next_call(caplog: pytest.LogCaptureFixture) -> None:
    desk = Desk()
    desk.batches = [[desk.errand("a")]]
    calls = iter([fails])

    def take(limit: int) -> Sequence[Errand]:
        next(calls, lambda: None)()
        return desk.take(limit)

    assert finished(desk, wakes=2, take=take).written == ["a"]
    assert "could not take what is due" in caplog.text


def test_a_clerk_for_whom_there_was_no_thread_comes_at_the_next_call(monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk([settled(nothing)])
    courier = Courier(hands=1, take=desk.take)
    with monkeypatch.context() as scarce:
        scarce.setattr(threading.Thread, "start", lambda _: fails())
        with pytest.raises(ValueError, match="no"):
            courier.wake()
    courier.wake()
    clerk = courier._clerk
    assert clerk is not None
    clerk.join(PATIENCE)
    assert desk.batches == []


def test_a_courier_that_has_been_stopped_takes_nothing() -> None:
    desk = Desk()
    desk.batches = [[desk.errand("a")]]
    courier = Courier(hands=1, take=desk.take)
    courier.stop()
    courier.wake()
    assert courier.finish(seconds=PATIENCE)
    assert (desk.limits, desk.written) == ([], [])
