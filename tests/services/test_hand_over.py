"""Runs longer than their inline share: what is handed on, to whom, and what becomes of work nobody can do."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from interrupts import outbox
from interrupts.contracts.types import JsonObject
from interrupts.models import OutboxMessage, Run
from interrupts.services.relay import LEASE, relay_outbox
from interrupts.services.runs import CancelRun, advance_run, cancel_run
from interrupts.vocabulary import Topic
from tests.factories import (
    NOW,
    actor,
    after,
    chain,
    finish_handed_on_work,
    gate_node,
    node,
    run_of,
    start,
    start_flow,
    status,
    trail,
)


def long_chain(length: int) -> JsonObject:
    return chain(*[node(f"n{index:02}") for index in range(length)])


def test_a_long_run_is_handed_on_and_finished_by_the_relay(settings: Any) -> None:
    settings.WOP_INLINE_NODE_EXECUTIONS = 3
    run_id = start_flow(long_chain(8))
    assert status(run_id) == "running"
    assert trail(run_id)[-1] == "node.completed n02"
    message = OutboxMessage.objects.get()
    assert (message.topic, message.run_id, message.delivered_at) == (Topic.ADVANCE_RUN, run_id, None)
    assert finish_handed_on_work(now=after(seconds=1)) == 2
    assert status(run_id) == "completed"
    assert trail(run_id).count("node.started n04") == 1
    assert {message.delivered_at for message in OutboxMessage.objects.all()} == {after(seconds=1)}


def test_a_run_that_fits_its_inline_share_hands_nothing_on(settings: Any) -> None:
    settings.WOP_INLINE_NODE_EXECUTIONS = 3
    assert status(start_flow(long_chain(3))) == "completed"
    assert not OutboxMessage.objects.exists()


def test_work_relayed_twice_is_done_once(settings: Any) -> None:
    settings.WOP_INLINE_NODE_EXECUTIONS = 3
    run_id = start_flow(long_chain(5))
    advance_run(run_id=run_id, now=after(seconds=1))
    assert status(run_id) == "completed"
    before = trail(run_id)
    assert relay_outbox(now=after(seconds=2)) == 1
    assert trail(run_id) == before


def test_a_message_is_leased_and_comes_back_when_its_worker_dies(settings: Any) -> None:
    settings.WOP_INLINE_NODE_EXECUTIONS = 3
    run_id = start_flow(long_chain(5))
    (held,) = outbox.claim(now=NOW, limit=10, lease=LEASE)
    assert held.attempts == 1
    assert relay_outbox(now=NOW + LEASE / 2) == 0
    assert relay_outbox(now=NOW + LEASE) == 1
    assert status(run_id) == "completed"


def test_a_handed_on_run_that_was_cancelled_meanwhile_stays_cancelled(settings: Any) -> None:
    settings.WOP_INLINE_NODE_EXECUTIONS = 3
    owner = actor("owner")
    run_id = start_flow(long_chain(5), by=owner)
    cancel_run(request=CancelRun(actor=owner, run_id=run_id), now=NOW)
    assert relay_outbox(now=after(seconds=1)) == 1
    assert trail(run_id)[-1] == "run.cancelled"


def test_work_that_fails_comes_back_ever_later_and_at_last_ends_the_run(settings: Any) -> None:
    """A run row that cannot be read stands for work that nobody can do."""
    settings.WOP_INLINE_NODE_EXECUTIONS = 3
    run_id = start_flow(long_chain(5))
    cache = run_of(run_id).state
    Run.objects.filter(pk=run_id).update(state={"unreadable": True})
    waits = []
    now = NOW
    for attempt in range(1, 10):
        assert relay_outbox(now=now) == 0
        message = OutboxMessage.objects.get()
        assert (message.attempts, message.dead_at) == (attempt, None)
        assert "KeyError" in message.last_error
        waits.append((message.available_at - now).total_seconds())
        now = message.available_at
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 512]
    Run.objects.filter(pk=run_id).update(state=cache)


def test_a_run_nobody_can_go_on_with_is_ended_when_its_message_dies(settings: Any) -> None:
    """A deadline beyond the end of the calendar stands for a node that can never start."""
    settings.WOP_INLINE_NODE_EXECUTIONS = 1
    run_id = start_flow(chain(node("a"), gate_node(timeoutMs=366 * 24 * 3600 * 1000)))
    late = datetime(9999, 6, 1, tzinfo=UTC)
    OutboxMessage.objects.update(attempts=9)
    assert relay_outbox(now=late) == 0
    dead = OutboxMessage.objects.get()
    assert (dead.dead_at, dead.attempts) == (late, 10)
    assert "OverflowError" in dead.last_error
    error = {"code": "internal_error", "message": "The host could not go on with this run."}
    assert (status(run_id), run_of(run_id).error) == ("failed", error)
    assert relay_outbox(now=late + LEASE) == 0


def test_a_run_that_cannot_even_be_ended_does_not_hold_up_the_others(settings: Any) -> None:
    settings.WOP_INLINE_NODE_EXECUTIONS = 3
    broken = start_flow(long_chain(5))
    cache = run_of(broken).state
    Run.objects.filter(pk=broken).update(state={"unreadable": True})
    OutboxMessage.objects.update(attempts=9)
    sound = start(actor("owner"))
    assert relay_outbox(now=NOW) == 1
    assert status(sound) == "completed"
    assert OutboxMessage.objects.get(run_id=broken).dead_at == NOW
    Run.objects.filter(pk=broken).update(state=cache)
