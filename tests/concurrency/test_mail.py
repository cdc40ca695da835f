"""Mail from many hands at once: each is taken once, and none outlives its gate."""

from __future__ import annotations

import threading
from datetime import timedelta
from functools import partial

import pytest
from django.core import mail as box
from django.utils import timezone

from approvals import mails, notices
from approvals.mailing.sending import take_due
from approvals.models import Mail, MailAttempt, Notice
from interrupts.services.courier import Courier, Record
from interrupts.services.expire import fire_due_timers
from tests.concurrency.racing import at_once, codes, until
from tests.errands import make_next
from tests.factories import actor, one_gate, register, start, status
from tests.services.mailing import with_address

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(90)]
PEOPLE = [f"p{number:02}" for number in range(12)]


def gates(*names: str, **config: int) -> None:
    """Gates that ask all the people, each waiting to be told of."""
    for person in PEOPLE:
        with_address(person)
    for name in names:
        register(one_gate(name, approversList=PEOPLE, **config), now=timezone.now())
        start(actor("owner"), name, now=timezone.now())


def test_two_workers_with_many_hands_send_each_mail_once(transactional_db: None) -> None:
    gates("one", "two")
    workers = [Courier(hands=4, take=partial(take_due, clock=timezone.now)) for _ in range(2)]
    try:
        for worker in workers:
            worker.wake()
        until(lambda: Mail.objects.filter(outcome="sent").count() == 24, seconds=30)
    finally:
        finished = [worker.finish(seconds=20) for worker in workers]
    assert finished == [True, True]
    ids = [message.extra_headers["Message-ID"] for message in box.outbox]
    assert len(ids) == len(set(ids)) == MailAttempt.objects.count() == 24


def test_claims_at_once_never_take_the_same_mail(transactional_db: None) -> None:
    gates("one")
    assert notices.spread_next(now=timezone.now())
    now = timezone.now()
    claimed = at_once(*[lambda: mails.claim(now=now, limit=2) for _ in range(8)])
    assert codes(claimed) == ["ok"] * 8
    claimed.append(mails.claim(now=now, limit=99))
    taken = [attempt.mail_id for attempts in claimed for attempt in attempts]
    assert len(taken) == len(set(taken)) == len(PEOPLE)


def test_a_notice_that_many_find_at_once_becomes_one_mail_a_person(transactional_db: None) -> None:
    gates("one")
    now = timezone.now()
    outcomes = at_once(*[lambda: notices.spread_next(now=now) for _ in range(6)])
    assert codes(outcomes) == ["ok"] * 6
    assert outcomes.count(True) == 1
    assert Mail.objects.count() == len(PEOPLE)


def test_a_deadline_and_a_mail_at_once_reject_the_gate_and_send_no_link_after_it(transactional_db: None) -> None:
    gates("one", timeoutMs=60_000)
    notices.spread_next(now=timezone.now())
    late = timezone.now() + timedelta(minutes=1)
    take = partial(take_due, clock=lambda: late)
    outcomes = at_once(lambda: fire_due_timers(now=late), *[lambda: make_next(take) for _ in range(3)])
    assert codes(outcomes) == ["ok"] * 4
    while make_next(take):
        pass
    run_id = Notice.objects.values_list("suspension__run_id", flat=True)[0]
    assert (status(run_id), box.outbox) == ("failed", [])
    assert set(Mail.objects.values_list("outcome", flat=True)) == {"dropped"}


def test_a_courier_that_has_finished_leaves_no_thread_at_work(transactional_db: None) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def errand() -> Record:
        begun.set()
        go_on.wait(10)
        return lambda: None

    courier = Courier(hands=1, take=lambda limit: [errand] * limit)
    courier.wake()
    assert begun.wait(10)
    assert courier.finish(seconds=0.05) is False
    go_on.set()
    assert courier.finish(seconds=10) is True
