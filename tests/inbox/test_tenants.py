"""A person in none, one or several tenants."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from interrupts.models import Membership
from tests.factories import actor, member, one_gate, start_flow
from tests.inbox.conftest import SignIn
from tests.inbox.pages import page_of, row_titles, text_of


@pytest.fixture
def both(sign_in: SignIn) -> Client:
    """A browser of Ann, who is in acme and in globex; each has one open gate."""
    member("ann", of="acme")
    member("ann", of="globex")
    start_flow(one_gate(title="For acme"), by=actor("owner"))
    start_flow(one_gate(title="For globex"), by=actor("other", of="globex"))
    return sign_in("ann")


def test_a_person_in_no_tenant_is_told_so(client: Client) -> None:
    client.force_login(User.objects.create_user("nora"))
    page = client.get("/inbox/")
    assert page.status_code == 403
    assert "You are signed in as nora, but no tenant counts you among its members" in text_of(page)


def test_a_membership_that_has_ended_is_none(sign_in: SignIn) -> None:
    browser = sign_in("ann")
    Membership.objects.update(is_active=False)
    assert browser.get("/inbox/").status_code == 403


def test_switching_the_tenant_holds_for_the_session(both: Client) -> None:
    assert row_titles(both.get("/inbox/")) == ["For acme"]
    assert both.post("/inbox/tenant/", {"tenant": "globex"}).headers["Location"] == "/inbox/"
    assert row_titles(both.get("/inbox/")) == ["For globex"]


def test_a_tenant_of_others_cannot_be_switched_to(both: Client) -> None:
    member("eve", of="initech")
    assert both.post("/inbox/tenant/", {"tenant": "initech"}).status_code == 404
    assert row_titles(both.get("/inbox/")) == ["For acme"]


def test_a_link_cannot_switch_the_tenant(both: Client) -> None:
    assert both.get("/inbox/tenant/?tenant=globex").status_code == 405


@pytest.mark.parametrize(("target", "goes_to"), [("/inbox/history/", "/inbox/history/"), ("//evil.example", "/inbox/")])
def test_switching_leads_only_to_pages_of_ours(both: Client, target: str, goes_to: str) -> None:
    assert both.post("/inbox/tenant/", {"tenant": "globex", "next": target}).headers["Location"] == goes_to


def test_a_link_into_the_other_tenant_offers_to_switch(both: Client) -> None:
    page = both.get(page_of(start_flow(one_gate("other-flow", title="Its title"), by=actor("other", of="globex"))))
    assert page.status_code == 404
    assert "You are in acme now, and this is in globex." in text_of(page)
    assert "Its title" not in text_of(page)


def test_an_interrupt_of_a_foreign_tenant_is_not_found(sign_in: SignIn) -> None:
    url = page_of(start_flow(one_gate(), by=actor("other", of="globex")))
    assert sign_in("ann").get(url).status_code == 404
    assert sign_in("ann").post(url, {"action": "accept"}).status_code == 404
