"""Links used at the same moment: one decision, and one outcome a key (interrupt.md §Resolve surfaces)."""

from __future__ import annotations

from collections import Counter

import pytest

from interrupts.services.idempotency import Done
from tests.concurrency.racing import at_once, codes
from tests.concurrency.soundness import assert_sound
from tests.factories import actor, after, answer, member, one_gate, start_flow, status, trail
from tests.services.linking import KEY, link, use

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_eight_answers_by_link_and_session_exactly_one_decides() -> None:
    run_id = start_flow(one_gate())
    member("ann")
    tokens = [link(run_id), link(run_id), link(run_id, "ann")]
    people = [actor(f"p{number}") for number in range(5)]
    outcomes = at_once(
        *(lambda token=token: use(token, now=after(seconds=1)) for token in tokens),
        *(lambda by=by: answer(by, run_id, "accept", now=after(seconds=1)) for by in people),
    )
    assert Counter(codes(outcomes)) == {"ok": 1, "interrupt_already_resolved": 7}
    assert trail(run_id).count("interrupt.resolved gate") == 1
    assert_sound(run_id)


def test_eight_answers_by_link_with_one_key_are_one_answer() -> None:
    """Whichever comes second finds the gate decided, and is still given the first one's outcome."""
    run_id = start_flow(one_gate())
    token = link(run_id)
    outcomes = at_once(*(lambda: use(token, now=after(seconds=1), key=KEY) for _ in range(8)))
    assert codes(outcomes) == ["ok"] * 8
    assert Counter(outcome.is_replay for outcome in outcomes if isinstance(outcome, Done)) == {False: 1, True: 7}
    assert status(run_id) == "completed"
    assert_sound(run_id)


def test_eight_links_of_one_person_are_one_vote() -> None:
    member("ann")
    run_id = start_flow(one_gate(requiredApprovals=2))
    tokens = [link(run_id, "ann") for _ in range(8)]
    outcomes = at_once(*(lambda token=token: use(token, now=after(seconds=1)) for token in tokens))
    assert codes(outcomes) == ["ok"] * 8
    assert status(run_id) == "waiting-approval"
