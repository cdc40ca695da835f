"""When a link is dead, and what a repeated answer by one is told (interrupt.md §Tokens, wire contract §25 row 47)."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from interrupts.errors import (
    AlreadyResolved,
    Forbidden,
    IdempotencyKeyInvalid,
    IdempotencyKeyMismatch,
    InterruptExpired,
    InterruptTokenInvalid,
    WopError,
)
from interrupts.models import IdempotencyRecord
from interrupts.services import tokens
from interrupts.services.idempotency import ReplayedError
from interrupts.services.links import inspect_by_token
from interrupts.services.runs import CancelRun, cancel_run
from interrupts.services.tokens import Claims, Intent
from tests.factories import (
    NOW,
    actor,
    after,
    answer,
    edge,
    gate_node,
    last,
    node,
    one_gate,
    start_flow,
    status,
    suspension,
    sweep,
    trail,
    workflow,
)
from tests.services.linking import KEY, link, use

# --- Dead links -------------------------------------------------------------------------------------------------------


def assert_dead(token: str, error: type[WopError], *, now: datetime = NOW) -> None:
    """Neither looking nor answering works, with or without a key, and again with the key."""
    for key in (None, KEY, KEY):
        with pytest.raises((error, ReplayedError)) as refused:
            use(token, now=now, key=key)
        told: Any = getattr(refused.value, "error", refused.value)
        assert told.code == error.code
    with pytest.raises(error):
        inspect_by_token(token=token, now=now)


def test_a_link_is_dead_once_its_gate_is_decided() -> None:
    run_id = start_flow(one_gate())
    own, other = link(run_id), link(run_id)
    use(own)
    assert_dead(own, AlreadyResolved)
    assert_dead(other, AlreadyResolved)
    assert trail(run_id).count("interrupt.resolved gate") == 1


def test_a_link_is_dead_once_its_run_is_cancelled() -> None:
    run_id = start_flow(one_gate())
    token = link(run_id)
    cancel_run(request=CancelRun(actor=actor("owner"), run_id=run_id), now=NOW)
    assert_dead(token, AlreadyResolved)


def test_a_link_is_dead_once_its_run_failed_elsewhere() -> None:
    run_id = start_flow(workflow([gate_node(), gate_node("other")]))
    token = link(run_id)
    answer(actor("ann"), run_id, "reject", at="other")
    assert status(run_id) == "failed"
    assert_dead(token, AlreadyResolved)


def test_a_link_to_one_visit_never_answers_the_next() -> None:
    nodes = [node("start"), gate_node(), node("rework")]
    edges = [
        edge("start", "gate", "any_success"),
        edge("gate", "rework", "any_failed"),
        edge("rework", "gate", "any_success"),
    ]
    run_id = start_flow(workflow(nodes, edges))
    token = link(run_id)
    answer(actor("ann"), run_id, "reject", now=after(minutes=1))
    assert suspension(run_id).outcome is None
    assert_dead(token, AlreadyResolved)
    assert use(link(run_id)).result["status"] == "completed"


def test_an_expired_link_is_told_so_before_anything_else() -> None:
    run_id = start_flow(one_gate())
    token = link(run_id)
    assert_dead(token, InterruptExpired, now=after(minutes=30))
    assert use(token, now=after(minutes=29)).result["status"] == "completed"
    assert_dead(token, InterruptExpired, now=after(minutes=30))


def test_a_timed_out_gate_has_no_living_links() -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000))
    token = link(run_id)
    assert_dead(token, InterruptExpired, now=after(minutes=1))
    sweep(now=after(minutes=1))
    assert_dead(token, InterruptExpired, now=after(minutes=2))
    assert last(run_id, "interrupt.resolved")["reason"] == "timeout"


def test_an_inspecting_link_answers_nothing() -> None:
    run_id = start_flow(one_gate())
    token = link(run_id, intent=Intent.INSPECT)
    with pytest.raises(Forbidden, match="only shows the question"):
        use(token)
    assert status(run_id) == "waiting-approval"
    answer(actor("ann"), run_id, "accept")
    assert_dead(token, AlreadyResolved)


@pytest.mark.parametrize(
    "change",
    [
        {"run_id": "acme/r-0123456789abcdef"},
        {"node_id": "other"},
        {"interrupt_id": "acme/i-0123456789abcdef"},
        {"interrupt_id": "nowhere/i-0123456789abcdef"},
        {"interrupt_id": "bare"},
    ],
)
def test_an_authentic_token_about_nothing_of_ours_is_a_dead_one(change: dict[str, str]) -> None:
    """As a v1 token is whose interrupt was never brought over: it was ours, and there is nothing behind it."""
    made = tokens.read(link(start_flow(one_gate())))
    members: dict[str, Any] = {name: getattr(made, name) for name in Claims.__slots__}
    assert_dead(tokens.mint(Claims(**{**members, **change})), AlreadyResolved)
    assert IdempotencyRecord.objects.count() == 0


def test_a_forged_token_is_refused_before_its_key_is_looked_at() -> None:
    with pytest.raises(InterruptTokenInvalid):
        use("ow2.hs256.nokid.x.y", key="short")


# --- Idempotency ------------------------------------------------------------------------------------------------------


def test_a_repeated_answer_is_given_its_outcome_by_another_link_too() -> None:
    run_id = start_flow(one_gate())
    first = use(link(run_id), key=KEY)
    again = use(link_at(run_id, after(minutes=5)), key=KEY, now=after(minutes=20))
    assert (first.is_replay, again.is_replay) == (False, True)
    assert again.result == first.result
    assert IdempotencyRecord.objects.get().tenant_id == "acme"


def link_at(run_id: str, now: datetime) -> str:
    """What was minted at another time, of the same interrupt, decided or not."""
    interrupt = suspension(run_id)
    return tokens.mint(Claims(run_id, "gate", interrupt.pk, tokens.expiry(deadline=None, now=now), Intent.RESOLVE))


def test_a_recorded_success_wins_over_expiry() -> None:
    run_id = start_flow(one_gate())
    token = link(run_id)
    use(token, key=KEY)
    assert use(token, key=KEY, now=after(hours=2)).is_replay
    with pytest.raises(InterruptExpired):
        use(token, now=after(hours=2))


def test_a_new_link_is_not_told_that_the_old_one_expired() -> None:
    run_id = start_flow(one_gate())
    with pytest.raises(InterruptExpired):
        use(link(run_id), key=KEY, now=after(minutes=31))
    assert use(link(run_id, now=after(minutes=31)), key=KEY, now=after(minutes=31)).result["status"] == "completed"


def test_another_body_or_another_approver_is_another_request() -> None:
    actor("ann")
    actor("ben")
    run_id = start_flow(one_gate(requiredApprovals=2))
    use(link(run_id, "ann"), key=KEY)
    for token, digest in [(link(run_id, "ann"), "other"), (link(run_id, "ben"), "d")]:
        with pytest.raises(IdempotencyKeyMismatch):
            use(token, key=KEY, digest=digest)


def test_a_refusal_for_good_is_given_again() -> None:
    run_id = start_flow(one_gate())
    token = link(run_id)
    answer(actor("ann"), run_id, "accept")
    with pytest.raises(AlreadyResolved):
        use(token, key=KEY)
    with pytest.raises(ReplayedError) as again:
        use(token, key=KEY)
    assert again.value.error.code == "interrupt_already_resolved"


@pytest.mark.parametrize("key", ["", "short", "x" * 129, "with a blank in its midst"])
def test_a_key_outside_its_grammar_is_refused(key: str) -> None:
    run_id = start_flow(one_gate())
    with pytest.raises(IdempotencyKeyInvalid):
        use(link(run_id), key=key)
    assert status(run_id) == "waiting-approval"
