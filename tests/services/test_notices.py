"""Whom a gate's mail goes to, when, and when not (interrupt.md §Rejection, §Approver enforcement)."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Group, User
from django.core import mail as box
from django.db import transaction

from approvals import mails, notices, recipients
from approvals.models import Mail, MailAttempt, Notice, Vote
from interrupts.contracts.types import JsonObject
from interrupts.models import Membership, Suspension
from interrupts.services.links import open_link
from interrupts.services.runs import CancelRun, cancel_run
from interrupts.vocabulary import RefKind
from tests.factories import (
    NOW,
    actor,
    after,
    answer,
    chain,
    edge,
    gate_node,
    let_answer_as,
    node,
    one_gate,
    one_interrupt,
    register,
    start,
    start_flow,
    status,
    sweep,
    workflow,
)
from tests.services.linking import use
from tests.services.mailing import Post, as_sent, outcomes, spread, token_in, with_address

HOUR = 3_600_000


@pytest.fixture
def post(db: None) -> Post:
    return Post()


def due() -> list[tuple[str, float]]:
    """The notices, each with the minutes from now until it is due."""
    found = Notice.objects.order_by("due_at", "id")
    return [(notice.occasion, (notice.due_at - NOW).total_seconds() / 60) for notice in found]


# --- When -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("gate", "expected"),
    [
        ({}, [("asked", 0)]),
        ({"timeoutMs": 0, "onTimeout": "escalate"}, [("asked", 0)]),
        ({"timeoutMs": HOUR - 1}, [("asked", 0)]),
        ({"timeoutMs": HOUR}, [("asked", 0), ("reminder", 48)]),
        ({"timeoutMs": 10 * HOUR, "onTimeout": "reject"}, [("asked", 0), ("reminder", 480)]),
        ({"timeoutMs": HOUR / 2, "onTimeout": "escalate"}, [("asked", 0), ("timed-out", 30)]),
        ({"timeoutMs": 10 * HOUR, "onTimeout": "escalate"}, [("asked", 0), ("reminder", 480), ("timed-out", 600)]),
    ],
)
def test_what_people_are_told_and_when(gate: JsonObject, expected: list[tuple[str, float]], db: None) -> None:
    gate = {name: int(value) if isinstance(value, float) else value for name, value in gate.items()}
    start_flow(one_gate(approversList=["ann"], **gate))
    assert due() == expected


def test_a_run_that_is_not_kept_has_told_nobody(db: None) -> None:
    register(one_gate(approversList=["ann"]))
    owner = actor("owner")
    with transaction.atomic():
        start(owner)
        assert due() == [("asked", 0)]
        transaction.set_rollback(True)
    assert due() == []


def test_each_visit_of_a_gate_is_asked_anew(post: Post) -> None:
    ann = with_address("ann")
    loop = [edge("begin", "draft", "all_complete"), edge("draft", "gate"), edge("gate", "draft", "all_complete")]
    run_id = start_flow(workflow([node("begin"), node("draft"), gate_node(approversList=["ann"])], loop))
    assert post.send_all() == ["ann"]
    answer(ann, run_id, "reject")
    assert post.send_all() == ["ann"]
    assert len({message.extra_headers["Message-ID"] for message in box.outbox}) == 2


# --- Whom -------------------------------------------------------------------------------------------------------------


def test_whoever_may_answer_is_asked_once_whatever_the_ways_in(post: Post) -> None:
    with_address("ann", groups=["legal"])
    with_address("ben", groups=["legal"])
    let_answer_as(with_address("cleo"), RefKind.ROLE, "counsel")
    let_answer_as("legal", RefKind.ROLE, "counsel")
    let_answer_as(with_address("dora"), RefKind.PRINCIPAL, "absent")
    with_address("zoe")
    start_flow(
        one_gate(approversList=["ann", "absent"], approverGroupRefs=["legal"], approverRoleRefs=["counsel", "nobody"])
    )
    assert post.send_all() == ["ann", "ben", "cleo", "dora"]
    assert post.send_all() == []


@pytest.mark.parametrize(
    ("audience", "told"),
    [
        ({}, ["ann", "ben", "cleo"]),
        ({"subjects": [], "groups": []}, ["ann", "ben", "cleo"]),
        ({"subjects": ["ann"]}, ["ann"]),
        ({"groups": ["legal"]}, ["ben"]),
        ({"roles": ["counsel"]}, ["cleo"]),
        ({"subjects": ["ann", "zoe"], "roles": ["counsel"]}, ["ann", "cleo"]),
        ({"subjects": ["zoe", "nobody"]}, []),
    ],
)
def test_an_audience_is_told_as_far_as_it_may_answer(post: Post, audience: JsonObject, told: list[str]) -> None:
    with_address("ann")
    with_address("ben", groups=["legal"])
    let_answer_as(with_address("cleo"), RefKind.ROLE, "counsel")
    with_address("zoe")
    refs = {"approversList": ["ann"], "approverGroupRefs": ["legal"], "approverRoleRefs": ["counsel"]}
    start_flow(one_gate(**refs, audience=audience))
    assert post.send_all() == told


def test_an_open_gate_tells_its_audience_and_without_one_nobody(post: Post) -> None:
    with_address("ann")
    with_address("zoe")
    start_flow(one_gate())
    start_flow(one_gate("told", audience={"subjects": ["zoe"]}))
    assert Notice.objects.count() == 1
    assert post.send_all() == ["zoe"]


def test_other_kinds_name_nobody_so_nobody_is_told(post: Post) -> None:
    with_address("ann")
    start_flow(one_interrupt("custom", {"customKind": "x", "payload": {"audience": {"subjects": ["ann"]}}}))
    assert (due(), post.send_all()) == ([], [])


def test_people_of_another_tenant_are_never_told(post: Post) -> None:
    with_address("ann", of="globex", groups=["legal"])
    let_answer_as(with_address("cleo", of="globex"), RefKind.ROLE, "counsel", of="globex")
    start_flow(one_gate(approversList=["ann", "cleo"], approverGroupRefs=["legal"], approverRoleRefs=["counsel"]))
    assert post.send_all() == []
    assert outcomes() == []


def test_who_has_no_address_is_passed_over(post: Post) -> None:
    actor("ann")
    start_flow(one_gate(approversList=["ann"]))
    assert post.send_all() == []
    assert (outcomes(), due()) == ([], [("asked", 0)])


# --- Who need not be told any more, looked at in the moment of sending ------------------------------------------------


def left_the_group() -> None:
    User.objects.get(username="ann").groups.remove(Group.objects.get(name="legal"))


def left_the_tenant() -> None:
    Membership.objects.filter(user__username="ann").update(is_active=False)


def was_locked_out() -> None:
    User.objects.filter(username="ann").update(is_active=False)


def lost_the_address() -> None:
    User.objects.filter(username="ann").update(email="")


def has_a_bad_address() -> None:
    User.objects.filter(username="ann").update(email="ann@example.org\nBcc: all@example.org")


@pytest.mark.parametrize(
    ("what", "reason"),
    [
        (left_the_group, "may not answer"),
        (left_the_tenant, "no longer active"),
        (was_locked_out, "no longer active"),
        (lost_the_address, "no mail address"),
        (has_a_bad_address, "no mail address"),
    ],
)
def test_who_can_no_longer_act_is_not_written_to(post: Post, what: Any, reason: str) -> None:
    spread()
    what()
    assert post.send_all() == ["ben"]
    assert outcomes() == [("ann", "dropped"), ("ben", "sent")]
    assert reason in Mail.objects.get(outcome="dropped").last_error


def test_who_has_answered_meanwhile_is_not_written_to(post: Post) -> None:
    run_id = spread()
    answer(actor("ann"), run_id, "accept")
    assert post.send_all() == ["ben"]


def test_for_whom_a_stand_in_has_answered_need_not(post: Post) -> None:
    run_id = spread(approversList=["ann", "ben"])
    let_answer_as(actor("dora"), RefKind.PRINCIPAL, "ann")
    answer(actor("dora"), run_id, "accept")
    assert post.send_all() == ["ben"]
    assert Mail.objects.get(outcome="dropped").last_error == "This person has answered, or somebody has for them."


def test_who_asked_a_question_has_not_answered(post: Post) -> None:
    run_id = spread()
    answer(actor("ann"), run_id, {"action": "ask", "feedback": "Why?"})
    assert post.send_all() == ["ann", "ben"]


@pytest.mark.parametrize("how", ["answered", "cancelled", "timed out", "late"])
def test_a_gate_that_was_closed_meanwhile_is_mailed_to_nobody(post: Post, how: str) -> None:
    run_id = spread(timeoutMs=60_000)
    post.now = after(seconds=30)
    match how:
        case "answered":
            answer(actor("ann"), run_id, "reject")
        case "cancelled":
            cancel_run(request=CancelRun(actor=actor("owner"), run_id=run_id), now=NOW)
        case "timed out":
            post.now = after(seconds=60)
            sweep(now=post.now)
        case _:
            post.now = after(seconds=60)
    assert post.send_all() == []
    assert outcomes() == [("ann", "dropped"), ("ben", "dropped")]


def test_a_gate_that_was_closed_before_it_was_spread_is_written_to_nobody(post: Post) -> None:
    with_address("ann")
    run_id = start_flow(one_gate(approversList=["ann"]))
    answer(actor("ann"), run_id, "reject")
    assert (post.send_all(), outcomes()) == ([], [])


# --- Links ------------------------------------------------------------------------------------------------------------


def test_a_mailed_link_answers_for_its_person_alone(post: Post) -> None:
    run_id = spread()
    post.send_all()
    tokens = {message.to[0]: token_in(as_sent(message)) for message in box.outbox}
    for name in ("ann", "ben"):
        assert open_link(token=tokens[f"{name}@example.org"], now=NOW).actor.username == name
        use(tokens[f"{name}@example.org"])
    assert status(run_id) == "completed"
    assert set(Vote.objects.values_list("actor", flat=True)) == {actor("ann").subject_id, actor("ben").subject_id}


@pytest.mark.parametrize(("gate", "ends"), [({}, after(hours=24)), ({"timeoutMs": 2 * HOUR}, after(hours=2))])
def test_a_mailed_link_lasts_as_long_as_the_settings_say_and_never_past_the_deadline(
    post: Post, gate: JsonObject, ends: datetime
) -> None:
    spread(**gate)
    post.send_all()
    assert open_link(token=token_in(post.last), now=NOW).expires_at == ends


def test_each_attempt_has_a_link_of_its_own(post: Post) -> None:
    spread()
    post.send_all()
    post.now = after(hours=1)
    mails.send_again(Mail.objects.values_list("pk", flat=True), now=post.now)
    post.send_all()
    first, again = (token_in(as_sent(message)) for message in box.outbox if message.to == ["ann@example.org"])
    assert open_link(token=again, now=NOW).expires_at - open_link(token=first, now=NOW).expires_at == timedelta(hours=1)


def test_nothing_of_a_link_is_kept(post: Post, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    spread()
    post.send_all()
    rows = [*Mail.objects.values(), *MailAttempt.objects.values(), *Notice.objects.values()]
    assert "link minted" in caplog.text
    assert "mail sent" in caplog.text
    assert "ow2." not in repr(rows) + caplog.text
    assert "example.org" not in caplog.text


# --- Keeping house ----------------------------------------------------------------------------------------------------


def test_one_notice_that_cannot_be_spread_does_not_hold_up_the_others(
    post: Post, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_address("ann")
    bad, _good = (start_flow(one_gate(name, approversList=["ann"])) for name in ("bad", "good"))
    people_to_tell = recipients.people_to_tell

    def trouble(gate: Suspension) -> list[Membership]:
        if gate.run_id == bad:
            raise ZeroDivisionError
        return people_to_tell(gate)

    monkeypatch.setattr(recipients, "people_to_tell", trouble)
    assert post.send_all() == ["ann"]
    monkeypatch.undo()
    post.now = after(seconds=30)
    assert post.send_all() == ["ann"]


def test_notices_are_forgotten_with_their_mails_once_those_have_ended(post: Post) -> None:
    spread()
    much_later = after(days=31)
    assert notices.purge(now=much_later) == 0
    post.send_all()
    assert notices.purge(now=after(days=29)) == 0
    assert notices.purge(now=much_later) == 1
    assert (Notice.objects.count(), Mail.objects.count(), MailAttempt.objects.count()) == (0, 0, 0)


def test_a_mail_that_was_dropped_is_dropped_again_when_it_is_sent_again(post: Post) -> None:
    run_id = spread()
    answer(actor("ann"), run_id, "reject")
    post.send_all()
    assert mails.send_again(Mail.objects.values_list("pk", flat=True), now=NOW) == 2
    assert post.send_all() == []
    assert outcomes() == [("ann", "dropped"), ("ben", "dropped")]


def test_what_was_asked_in_a_chain_is_asked_gate_by_gate(post: Post) -> None:
    for name in ("ann", "ben"):
        with_address(name)
    run_id = start_flow(chain(gate_node("one", approversList=["ann"]), gate_node("two", approversList=["ben"])))
    assert post.send_all() == ["ann"]
    answer(actor("ann"), run_id, "accept", at="one")
    assert post.send_all() == ["ben"]
