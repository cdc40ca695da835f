"""Deliveries, webhooks and callback secrets in the admin: looked at, sent again, made once."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from interrupts import deliveries
from interrupts.conf import DELIVERY_MAX_ATTEMPTS
from interrupts.models import CallbackSecret, Delivery, Webhook
from interrupts.services.callbacks import signing_secret
from tests import factories
from tests.surfaces.admin.conftest import add_page, list_page, record_page


@pytest.fixture
def dead(db: None) -> Delivery:
    """A delivery that was given up."""
    factories.webhook(events=["run.started"])
    factories.start_flow(factories.one_gate())
    for attempt in range(DELIVERY_MAX_ATTEMPTS):
        now = factories.after(hours=attempt)
        (started,) = deliveries.claim(now=now, limit=9)
        deliveries.failed(started, reason=f"Trouble {attempt}.", status=500, wait=timedelta(0), now=now)
    return Delivery.objects.get(outcome="dead")


def test_every_attempt_at_a_delivery_is_shown_with_its_reason(admin: Client, dead: Delivery) -> None:
    page = admin.get(record_page(dead)).content.decode()
    for attempt in range(DELIVERY_MAX_ATTEMPTS):
        assert f"Trouble {attempt}." in page
    assert "https://93.184.216.34/hook" in page


def test_dead_deliveries_are_found_by_their_state(admin: Client, dead: Delivery) -> None:
    factories.start_flow(factories.one_gate("other"))
    assert admin.get(f"{list_page(Delivery)}?state=dead").context["cl"].result_count == 1
    assert admin.get(f"{list_page(Delivery)}?state=waiting").context["cl"].result_count == 1


def test_a_dead_delivery_is_sent_again_by_the_press_of_a_button(admin: Client, dead: Delivery) -> None:
    chosen = {"action": "send_again", "_selected_action": [dead.pk], "index": "0"}
    page = admin.post(list_page(Delivery), chosen, follow=True).content.decode()
    assert "1 delivery will be sent again." in page
    again = Delivery.objects.get()
    assert (again.outcome, again.attempts_before) == (None, DELIVERY_MAX_ATTEMPTS)


def test_who_may_only_look_is_not_offered_to_send_again(dead: Delivery) -> None:
    clerk = User.objects.create_user("clerk", password="a long password", is_staff=True)
    clerk.user_permissions.add(Permission.objects.get(codename="view_delivery"))
    client = Client()
    client.force_login(clerk)
    assert b"send_again" not in client.get(list_page(Delivery)).content
    client.post(list_page(Delivery), {"action": "send_again", "_selected_action": [dead.pk], "index": "0"})
    assert Delivery.objects.get().outcome == "dead"


def test_no_page_shows_a_webhooks_secret(admin: Client, dead: Delivery) -> None:
    hook = Webhook.objects.get()
    for page in (list_page(Webhook), record_page(hook), record_page(dead), list_page(Delivery)):
        assert hook.secret not in admin.get(page).content.decode()


def test_a_callback_secret_is_made_here_and_shown_once(admin: Client) -> None:
    factories.tenant()
    page = admin.post(add_page(CallbackSecret), {"tenant": "acme", "overlap_hours": "24"}).content.decode()
    secret = signing_secret(tenant_id="acme", now=timezone.now())
    assert secret is not None
    assert secret in page
    for place in (list_page(CallbackSecret), record_page(CallbackSecret.objects.get())):
        assert secret not in admin.get(place).content.decode()


def test_a_second_secret_waits_for_the_end_of_the_overlap(admin: Client) -> None:
    first = factories.callback_secret(now=timezone.now())
    admin.post(add_page(CallbackSecret), {"tenant": "acme", "overlap_hours": "2"})
    assert signing_secret(tenant_id="acme", now=timezone.now()) == first
    assert signing_secret(tenant_id="acme", now=timezone.now() + timedelta(hours=3)) != first


@pytest.mark.parametrize("hours", ["-1", "721", "x", ""])
def test_an_overlap_that_cannot_be_makes_no_secret(admin: Client, hours: str) -> None:
    factories.tenant()
    admin.post(add_page(CallbackSecret), {"tenant": "acme", "overlap_hours": hours})
    assert not CallbackSecret.objects.exists()
