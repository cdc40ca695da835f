"""What people are told of a gate later: before its deadline, and when that has passed (interrupt.md §Rejection)."""

from __future__ import annotations

import pytest

from approvals.models import Notice
from interrupts.models import Suspension
from tests.factories import actor, after, answer, last, one_gate, start_flow, status, sweep
from tests.services.mailing import Post, spread, subject_of, text_of, with_address

HOUR = 3_600_000


@pytest.fixture
def post(db: None) -> Post:
    return Post()


# --- Reminders --------------------------------------------------------------------------------------------------------


def test_a_reminder_goes_to_those_who_have_not_answered(post: Post) -> None:
    run_id = spread(timeoutMs=10 * HOUR)
    assert post.send_all() == ["ann", "ben"]
    answer(actor("ben"), run_id, "accept")
    post.now = after(hours=7.9)
    assert post.send_all() == []
    post.now = after(hours=8)
    assert post.send_all() == ["ann"]
    assert subject_of(post.last).startswith("Reminder: ")
    assert post.send_all() == []


def test_a_reminder_changes_nothing_of_the_gate(post: Post) -> None:
    run_id = spread(timeoutMs=10 * HOUR)
    before = Suspension.objects.filter(run_id=run_id).values().get()
    post.now = after(hours=8)
    post.send_all()
    assert Suspension.objects.filter(run_id=run_id).values().get() == before
    assert sweep(now=after(hours=10)) == 1
    assert last(run_id, "interrupt.resolved")["decision"] == "rejected"


# --- Escalation -------------------------------------------------------------------------------------------------------


def test_an_escalation_tells_of_the_end_and_rejects_all_the_same(post: Post) -> None:
    run_id = spread(timeoutMs=60_000, onTimeout="escalate")
    post.send_all()
    answer(actor("ben"), run_id, "accept")
    post.now = after(minutes=1)
    sweep(now=post.now)
    assert status(run_id) == "failed"
    assert last(run_id, "interrupt.resolved")["action"] == "timeout"
    assert post.send_all() == ["ann", "ben"], "who has voted wants to know too"
    assert subject_of(post.last) == "Timed out and rejected: Release it?"
    assert "/interrupts/" not in post.last.as_string()
    assert "1 of 2 approvals" in text_of(post.last)


def test_an_escalation_reaches_an_audience_that_could_not_answer(post: Post) -> None:
    for name in ("ann", "boss"):
        with_address(name)
    gate = {"approversList": ["ann"], "audience": {"subjects": ["boss"]}}
    start_flow(one_gate(**gate, timeoutMs=60_000, onTimeout="escalate"))
    assert post.send_all() == [], "a mail to somebody who cannot act asks for nothing"
    post.now = after(minutes=1)
    sweep(now=post.now)
    assert post.send_all() == ["boss"]


@pytest.mark.parametrize("on_timeout", ["reject", "approve"])
def test_only_an_escalation_tells_of_the_end(post: Post, on_timeout: str) -> None:
    spread(timeoutMs=60_000, onTimeout=on_timeout)
    post.send_all()
    post.now = after(minutes=1)
    sweep(now=post.now)
    assert post.send_all() == []


def test_an_escalation_waits_for_the_timer_that_ends_the_gate(post: Post) -> None:
    spread(timeoutMs=60_000, onTimeout="escalate")
    post.send_all()
    post.now = after(seconds=60)
    assert post.send_all() == []
    sweep(now=post.now)
    post.now = after(seconds=65)
    assert post.send_all() == ["ann", "ben"]


def test_a_gate_that_was_answered_in_time_is_not_told_to_have_timed_out(post: Post) -> None:
    run_id = spread(timeoutMs=60_000, onTimeout="escalate")
    answer(actor("ann"), run_id, "reject")
    post.now = after(minutes=2)
    assert post.send_all() == []
    assert Notice.objects.filter(spread_at=None).count() == 0
