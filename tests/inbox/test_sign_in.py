"""Signing in and out."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tests.factories import member
from tests.inbox.conftest import SignIn
from tests.inbox.pages import hidden, text_of, title_of


@pytest.fixture
def ann() -> User:
    return member("ann", password="secret-pass-1").user


def test_the_root_leads_to_the_inbox_and_the_inbox_to_signing_in(client: Client) -> None:
    assert client.get("/").headers["Location"] == "/inbox/"
    assert client.get("/inbox/").headers["Location"] == "/accounts/login/?next=/inbox/"


def test_signing_in_leads_to_the_page_that_was_asked_for(client: Client, ann: User) -> None:
    page = client.get("/accounts/login/?next=/inbox/history/")
    posted = {"username": "ann", "password": "secret-pass-1", "next": hidden(page, "next")}
    assert client.post("/accounts/login/", posted).headers["Location"] == "/inbox/history/"


@pytest.mark.parametrize("target", ["https://evil.example/", "//evil.example/", "javascript:alert(1)", ""])
def test_signing_in_never_leads_to_a_foreign_site(client: Client, ann: User, target: str) -> None:
    posted = {"username": "ann", "password": "secret-pass-1", "next": target}
    assert client.post("/accounts/login/", posted).headers["Location"] == "/inbox/"


def test_a_wrong_password_is_told_in_plain_words_and_the_name_stays(client: Client, ann: User) -> None:
    page = client.post("/accounts/login/", {"username": "ann", "password": "wrong"})
    assert page.status_code == 200
    assert title_of(page) == "Error: Sign in | wopsite"
    assert "The name and the password do not belong together." in text_of(page)
    assert hidden(page, "username") == "ann"


def test_a_person_who_is_no_longer_active_cannot_sign_in(client: Client, ann: User) -> None:
    User.objects.filter(pk=ann.pk).update(is_active=False)
    page = client.post("/accounts/login/", {"username": "ann", "password": "secret-pass-1"})
    assert "do not belong together" in text_of(page)


def test_deactivating_a_person_ends_their_session_at_once(sign_in: SignIn) -> None:
    browser = sign_in("ann")
    assert browser.get("/inbox/").status_code == 200
    User.objects.filter(username="ann").update(is_active=False)
    assert browser.get("/inbox/").headers["Location"] == "/accounts/login/?next=/inbox/"


def test_signing_out_takes_a_form_and_not_a_link(sign_in: SignIn) -> None:
    browser = sign_in("ann")
    assert browser.get("/accounts/logout/").status_code == 405
    assert browser.post("/accounts/logout/").headers["Location"] == "/accounts/login/"
    assert browser.get("/inbox/").status_code == 302


def test_a_password_can_be_changed(client: Client, ann: User) -> None:
    client.force_login(ann)
    wrong = {"old_password": "no", "new_password1": "another-pass-2", "new_password2": "another-pass-2"}
    assert title_of(client.post("/accounts/password/", wrong)) == "Error: Change password | wopsite"
    done = client.post("/accounts/password/", {**wrong, "old_password": "secret-pass-1"})
    assert done.headers["Location"] == "/accounts/password/changed/"
    assert "Your password is changed" in text_of(client.get("/accounts/password/changed/"))
    ann.refresh_from_db()
    assert ann.check_password("another-pass-2")


@pytest.mark.parametrize("path", ["/inbox/", "/accounts/login/", "/inbox/i-unknown/"])
def test_every_page_carries_a_policy_without_inline_code(client: Client, path: str) -> None:
    policy = client.get(path).headers.get("Content-Security-Policy", "")
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy


def test_pages_of_people_are_not_kept_in_caches(sign_in: SignIn) -> None:
    assert "no-store" in sign_in("ann").get("/inbox/").headers["Cache-Control"]


def test_whoever_forgot_the_password_is_told_whom_to_ask(client: Client) -> None:
    assert "Forgotten your password? Ask your administrator." in text_of(client.get("/accounts/login/"))


@pytest.mark.parametrize(
    "path",
    [
        "/inbox/?after=%00",
        "/inbox/i-%00/",
        "/accounts/login/?next=%00",
        "/admin/?q=%00",
        "/admin/interrupts/run/a_00/change/",
    ],
)
def test_an_address_with_a_null_character_is_refused_on_a_page(client: Client, path: str) -> None:
    page = client.get(path)
    assert page.status_code == 400
    assert "The browser sent something we cannot read" in text_of(page)
