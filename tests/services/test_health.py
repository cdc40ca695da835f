"""Whether somebody is there to do the work, what waits, and what was given up."""

from __future__ import annotations

import pytest
from django.db import DatabaseError

from interrupts import conf, deliveries, outbox, sightings
from interrupts.models import OutboxMessage, Sighting
from interrupts.services import health
from interrupts.services.pulse import Pulse
from interrupts.sightings import EVERY, LOST_AFTER
from interrupts.vocabulary import Sighted, Topic
from tests import factories
from tests.factories import NOW, after

pytestmark = pytest.mark.django_db


def seen_at_work() -> None:
    sightings.note(Sighted.WORKER, name="a", queues=conf.queues(), now=NOW)
    sightings.note(Sighted.BEAT, name="b", now=NOW)
    sightings.note(Sighted.SWEEP, name="", now=NOW)


def warnings(**later: float) -> tuple[str, ...]:
    return health.processes(now=after(**later)).warnings


def test_nothing_is_missing_while_worker_beat_and_sweep_were_seen_lately() -> None:
    seen_at_work()
    told = health.processes(now=after(seconds=59))
    assert ([w.name for w in told.workers], [b.name for b in told.beats]) == (["a"], ["b"])
    assert (told.last_sweep, told.warnings) == (NOW, ())


def test_who_has_been_silent_for_a_minute_counts_as_gone() -> None:
    seen_at_work()
    assert warnings(seconds=LOST_AFTER.total_seconds()) == (
        "No worker gives a sign of life. Deadlines and deliveries wait until one is started.",
        "Beat gives no sign of life. Nobody reminds the workers until it is started.",
    )
    assert health.processes(now=after(seconds=60)).last_sweep == NOW


def test_queues_without_a_worker_are_named() -> None:
    seen_at_work()
    sightings.forget(Sighted.WORKER, name="a")
    sightings.note(Sighted.WORKER, name="c", queues=["timers", "maintenance"], now=NOW)
    (told,) = warnings()
    idle = ", ".join(queue for queue in conf.queues() if queue not in {"timers", "maintenance"})
    assert told == f"No worker takes work from these queues: {idle}. Start one that does."
    sightings.note(Sighted.WORKER, name="d", queues=idle.split(", "), now=NOW)
    assert warnings() == ()


def test_a_second_beat_is_told() -> None:
    seen_at_work()
    sightings.note(Sighted.BEAT, name="b2", now=NOW)
    assert warnings() == ("More than one beat has been seen within a minute: b, b2. Only one may run.",)


@pytest.mark.parametrize("has_ever_swept", [True, False])
def test_a_broker_that_brings_nothing_is_suspected_when_workers_and_beat_live(*, has_ever_swept: bool) -> None:
    seen_at_work()
    if not has_ever_swept:
        sightings.forget(Sighted.SWEEP, name="")
    for what, name in ((Sighted.WORKER, "a"), (Sighted.BEAT, "b")):
        sightings.note(what, name=name, queues=conf.queues(), now=after(seconds=61))
    assert warnings(seconds=61) == (
        "No reminder from beat has reached a worker for a minute. Look at the broker and at the worker's log.",
    )


def test_those_gone_for_a_day_are_forgotten() -> None:
    seen_at_work()
    assert sightings.purge(now=after(hours=24)) == 0
    assert sightings.purge(now=after(hours=24, seconds=1)) == 3
    assert not Sighting.objects.exists()


def test_a_process_reports_seldom_leaves_one_row_and_takes_it_away() -> None:
    pulse = Pulse(Sighted.WORKER)
    pulse.start("w", ["timers"])
    first = Sighting.objects.get()
    pulse.beat()
    assert Sighting.objects.get().seen_at == first.seen_at
    pulse._last = first.seen_at - EVERY
    pulse.beat()
    assert Sighting.objects.get().seen_at > first.seen_at
    pulse.end()
    assert not Sighting.objects.exists()


def test_a_database_that_is_away_does_not_end_a_process(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise DatabaseError

    monkeypatch.setattr(sightings, "note", refuse)
    monkeypatch.setattr(sightings, "forget", refuse)
    pulse = Pulse(Sighted.BEAT)
    pulse.start("b")
    pulse.end()


def test_what_waits_is_counted_with_the_time_since_when_and_what_was_given_up() -> None:
    factories.webhook(events=["run.started"])
    run = factories.run_of(factories.start_flow(factories.one_gate(timeoutMs=1000)))
    for name in "ab":
        outbox.enqueue(topic=Topic.ADVANCE_RUN, run=run, dedupe_key=name, now=NOW)
    OutboxMessage.objects.filter(dedupe_key="b").update(dead_at=NOW)
    told = health.backlogs(now=after(seconds=2))
    assert told == {
        "timers": health.Backlog(1, after(seconds=1)),
        "outbox": health.Backlog(1, NOW, 1),
        "deliveries": health.Backlog(1, NOW, 0),
    }
    (attempt,) = deliveries.claim(now=NOW, limit=9)
    deliveries.succeeded(attempt, status=204, now=NOW)
    assert health.backlogs(now=NOW) == {
        "timers": health.Backlog(0, None),
        "outbox": health.Backlog(1, NOW, 1),
        "deliveries": health.Backlog(0, None, 0),
    }
