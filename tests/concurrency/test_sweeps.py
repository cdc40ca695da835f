"""Workers that do the same work at once: each timer fires once, each outbox message is done once."""

from __future__ import annotations

from collections import Counter
from contextlib import closing
from typing import Any

import psycopg
import pytest

from interrupts import outbox
from interrupts.models import OutboxMessage, Timer
from interrupts.services.expire import fire_due_timers
from interrupts.services.relay import LEASE, relay_outbox
from tests.concurrency.racing import at_once, codes
from tests.concurrency.soundness import assert_sound
from tests.factories import (
    actor,
    after,
    chain,
    finish_handed_on_work,
    node,
    one_gate,
    register,
    start,
    start_flow,
    status,
    trail,
)
from tests.surfaces.rest.server import database_url

pytestmark = pytest.mark.django_db(transaction=True)


def test_sweeps_at_once_fire_each_deadline_once() -> None:
    owner = actor("owner")
    register(one_gate(timeoutMs=1000))
    run_ids = [start(owner) for _ in range(20)]
    outcomes = at_once(*(lambda: fire_due_timers(now=after(seconds=1)) for _ in range(4)))
    assert codes(outcomes) == ["ok"] * 4
    for run_id in run_ids:
        assert status(run_id) == "failed"
        assert trail(run_id).count("interrupt.resolved gate") == 1
        assert_sound(run_id)
    assert not Timer.objects.exists()


def test_sweeps_that_share_fire_each_deadline_once_between_them() -> None:
    owner = actor("owner")
    register(one_gate(timeoutMs=1000))
    run_ids = [start(owner) for _ in range(20)]

    def sweep_all() -> int:
        return sum(iter(lambda: fire_due_timers(now=after(seconds=1), limit=4, share=True), 0))

    outcomes = at_once(*(sweep_all for _ in range(4)))
    assert codes(outcomes) == ["ok"] * 4
    sweep_all()
    for run_id in run_ids:
        assert trail(run_id).count("interrupt.resolved gate") == 1
        assert_sound(run_id)
    assert not Timer.objects.exists()


@pytest.mark.postgresql
def test_a_sweep_that_shares_does_not_wait_for_a_run_that_somebody_holds() -> None:
    register(one_gate(timeoutMs=1000))
    held, free = start(actor("owner")), start(actor("owner"))
    with closing(psycopg.connect(database_url())) as other:
        other.execute("SELECT id FROM interrupts_run WHERE id = %s FOR UPDATE", [held])
        assert fire_due_timers(now=after(seconds=1), share=True) == 1
        assert (status(held), status(free)) == ("waiting-approval", "failed")
        assert fire_due_timers(now=after(seconds=1), share=True) == 0
    assert fire_due_timers(now=after(seconds=1), share=True) == 1
    assert status(held) == "failed"


def test_sweeps_at_once_end_each_delay_once() -> None:
    run_ids = [
        start_flow(
            chain(
                node("wait", "core.delay", config={"ms": 1000}),
                node("again", "core.delay", config={"ms": 1000}),
                workflow_id=f"flow{n}",
            )
        )
        for n in range(6)
    ]
    for seconds in (1, 2):
        at_once(*(lambda: fire_due_timers(now=after(seconds=seconds)) for _ in range(4)))  # noqa: B023 - run at once
    for run_id in run_ids:
        assert status(run_id) == "completed"
        assert trail(run_id).count("node.completed wait") == 1
        assert trail(run_id).count("node.started again") == 1
        assert_sound(run_id)


def test_relays_at_once_do_each_message_once(settings: Any) -> None:
    settings.WOP_INLINE_NODE_EXECUTIONS = 2
    owner = actor("owner")
    register(chain(*(node(f"n{n}") for n in range(5))))
    run_ids = [start(owner) for _ in range(12)]
    assert Counter(map(status, run_ids)) == {"running": 12}
    outcomes = at_once(*(lambda: relay_outbox(now=after(seconds=1)) for _ in range(4)))
    assert sum(outcome for outcome in outcomes if isinstance(outcome, int)) >= 12
    assert codes(outcomes) == ["ok"] * 4
    finish_handed_on_work(now=after(seconds=2))
    for run_id in run_ids:
        assert status(run_id) == "completed"
        assert [line for line in trail(run_id) if line.startswith("node.started")] == [
            f"node.started n{n}" for n in range(5)
        ]
        assert_sound(run_id)
    assert set(OutboxMessage.objects.values_list("attempts", flat=True)) == {1}


def test_a_message_that_a_dead_worker_holds_comes_back_when_its_lease_is_over(settings: Any) -> None:
    settings.WOP_INLINE_NODE_EXECUTIONS = 2
    run_id = start_flow(chain(node("a"), node("b"), node("c")))
    (held,) = outbox.claim(now=after(seconds=1), limit=10, lease=LEASE)
    assert relay_outbox(now=after(seconds=30)) == 0
    assert status(run_id) == "running"
    assert relay_outbox(now=after(seconds=31)) == 1
    assert status(run_id) == "completed"
    assert OutboxMessage.objects.get(pk=held.pk).attempts == 2
    assert_sound(run_id)


def test_a_message_done_twice_changes_nothing_the_second_time(settings: Any) -> None:
    """A relay that dies after the work and before the note of it: the lease runs out, and another does it again."""
    settings.WOP_INLINE_NODE_EXECUTIONS = 2
    run_id = start_flow(chain(node("a"), node("b"), node("c")))
    relay_outbox(now=after(seconds=1))
    before = trail(run_id)
    assert status(run_id) == "completed"
    OutboxMessage.objects.update(delivered_at=None, available_at=after(seconds=31))
    assert relay_outbox(now=after(seconds=31)) == 1
    assert trail(run_id) == before
    assert_sound(run_id)
