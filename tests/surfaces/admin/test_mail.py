"""Mails to approvers in the admin: looked at with their attempts, and sent again."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.core import mail as box
from django.test import Client

from approvals import mails, notices
from approvals.models import Mail
from tests import factories
from tests.services.mailing import Post, token_in, with_address
from tests.surfaces.admin.conftest import list_page, record_page

CHOSEN = {"action": "send_again", "index": "0"}


@pytest.fixture
def dead(db: None) -> Mail:
    """A mail that was given up."""
    with_address("ann")
    factories.start_flow(factories.one_gate(approversList=["ann"]))
    notices.spread_next(now=factories.NOW)
    for number in range(mails.MAX_ATTEMPTS):
        now = factories.after(hours=number)
        (attempt,) = mails.claim(now=now, limit=9)
        mails.failed(attempt, reason=f"Trouble {number}.", wait=timedelta(0), now=now)
    return Mail.objects.get(outcome="dead")


def test_every_attempt_at_a_mail_is_shown_with_its_reason(admin: Client, dead: Mail) -> None:
    page = admin.get(record_page(dead)).content.decode()
    for number in range(mails.MAX_ATTEMPTS):
        assert f"Trouble {number}." in page
    assert record_page(dead.notice.suspension) in page


def test_a_gate_shows_what_was_told_of_it_and_leads_to_its_mails(admin: Client, dead: Mail) -> None:
    page = admin.get(record_page(dead.notice.suspension)).content.decode()
    assert "What people are told by mail, and when" in page
    assert list_page(Mail) in page
    found = admin.get(list_page(Mail), {"q": dead.notice.suspension_id}).context["cl"]
    assert found.result_count == 1


def test_mails_are_found_by_their_state(admin: Client, dead: Mail) -> None:
    for state, count in (("dead", 1), ("waiting", 0), ("sent", 0)):
        assert admin.get(f"{list_page(Mail)}?state={state}").context["cl"].result_count == count


def test_a_dead_mail_is_sent_again_by_the_press_of_a_button(admin: Client, dead: Mail) -> None:
    page = admin.post(list_page(Mail), {**CHOSEN, "_selected_action": [dead.pk]}, follow=True).content.decode()
    assert "1 mail will be sent again." in page
    again = Mail.objects.get()
    assert (again.outcome, again.attempts_before) == (None, mails.MAX_ATTEMPTS)


def test_who_may_only_look_is_not_offered_to_send_again(dead: Mail) -> None:
    clerk = User.objects.create_user("clerk", password="a long password", is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="view_mail"))
    client = Client()
    client.force_login(clerk)
    assert b"send_again" not in client.get(list_page(Mail)).content
    client.post(list_page(Mail), {**CHOSEN, "_selected_action": [dead.pk]})
    assert Mail.objects.get().outcome == "dead"


def test_no_page_shows_a_link(admin: Client, db: None) -> None:
    with_address("ann")
    factories.start_flow(factories.one_gate(approversList=["ann"]))
    Post().send_all()
    mail = Mail.objects.get(outcome="sent")
    assert token_in(Post().last)
    assert len(box.outbox) == 1
    for page in (list_page(Mail), record_page(mail), record_page(mail.notice.suspension)):
        assert "ow2." not in admin.get(page).content.decode()
