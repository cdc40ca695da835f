"""API keys in the admin: made, shown once, revoked."""

from __future__ import annotations

import re
from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.utils import timezone

from interrupts.errors import CredentialRevoked
from interrupts.models import ApiKey, Membership
from interrupts.services import identity
from tests import factories
from tests.surfaces.admin.conftest import add_page, list_page, record_page


def form(**changes: object) -> dict[str, object]:
    membership = Membership.objects.get(user__username="alice")
    return {
        "membership": membership.pk,
        "scopes": ["runs:create", "runs:read"],
        "expires_at_0": "",
        "expires_at_1": "",
        **changes,
    }


@pytest.fixture
def secret(admin: Client) -> str:
    """A key just made in the admin, as the page showed it."""
    factories.member("alice")
    page = admin.post(add_page(ApiKey), form())
    assert page.status_code == 200
    (shown,) = re.findall(r"wop_[0-9a-f]{12}_[\w-]{43}", page.content.decode())
    return str(shown)


def test_a_new_key_is_shown_and_works(admin: Client, secret: str) -> None:
    actor = identity.authenticate_key(secret=secret, now=timezone.now())
    assert (actor.username, sorted(actor.scopes)) == ("alice", ["runs:create", "runs:read"])
    assert LogEntry.objects.get().get_change_message() == "Added."


def test_the_page_that_shows_a_key_is_kept_by_no_cache(admin: Client) -> None:
    factories.member("alice")
    assert "no-store" in admin.post(add_page(ApiKey), form())["Cache-Control"]


def test_a_key_is_never_shown_again_and_its_hash_never(admin: Client, secret: str) -> None:
    key = ApiKey.objects.get()
    for path in (list_page(ApiKey), record_page(key), record_page(key, "history"), add_page(ApiKey), "/admin/"):
        page = admin.get(path).content.decode()
        assert secret not in page
        assert secret.rpartition("_")[2] not in page
        assert key.hash not in page
    assert key.prefix in admin.get(list_page(ApiKey)).content.decode()
    assert not any(secret in str(value) for value in admin.session.values())


def test_an_expiry_in_the_past_and_no_scope_are_refused(admin: Client) -> None:
    factories.member("alice")
    page = admin.post(add_page(ApiKey), form(expires_at_0="2020-01-01", expires_at_1="00:00:00"))
    assert "This time has passed already." in page.content.decode()
    page = admin.post(add_page(ApiKey), form(scopes=[]))
    assert "This field is required." in page.content.decode()
    page = admin.post(add_page(ApiKey), form(scopes=["runs:delete"]))
    assert "runs:delete is not one of the available choices." in page.content.decode()
    assert not ApiKey.objects.exists()


def test_an_expiry_is_kept(admin: Client) -> None:
    factories.member("alice")
    admin.post(add_page(ApiKey), form(expires_at_0="2999-12-31", expires_at_1="12:00:00"))
    expires_at = ApiKey.objects.get().expires_at
    assert expires_at is not None
    assert expires_at.isoformat() == "2999-12-31T12:00:00+00:00"


def test_revoking_asks_first_and_then_holds_on_the_next_request(admin: Client, secret: str) -> None:
    key = ApiKey.objects.get()
    chosen = {"action": "revoke", "_selected_action": [key.pk]}
    page = admin.post(list_page(ApiKey), {**chosen, "index": "0"}).content.decode()
    assert "The next request with one of these keys will be refused. This cannot be undone." in page
    assert identity.authenticate_key(secret=secret, now=timezone.now()).username == "alice"
    done = admin.post(list_page(ApiKey), {**chosen, "confirmed": "1"}, follow=True).content.decode()
    assert "1 key is revoked." in done
    with pytest.raises(CredentialRevoked):
        identity.authenticate_key(secret=secret, now=timezone.now())
    assert LogEntry.objects.order_by("-pk")[0].get_change_message() == "Revoked."


def test_looking_at_keys_is_no_right_to_make_or_revoke_them(db: None) -> None:
    secret = factories.api_key("alice")
    key = ApiKey.objects.get()
    client, viewer = Client(), User.objects.create_user("viewer", is_staff=True)
    viewer.user_permissions.add(Permission.objects.get(codename="view_apikey"))
    client.force_login(viewer)
    assert 'value="revoke"' not in client.get(list_page(ApiKey)).content.decode()
    client.post(list_page(ApiKey), {"action": "revoke", "_selected_action": [key.pk], "confirmed": "1"})
    assert client.post(add_page(ApiKey), form()).status_code == 403
    assert identity.authenticate_key(secret=secret, now=timezone.now()).username == "alice"
    assert ApiKey.objects.count() == 1


def test_keys_are_found_by_their_state(admin: Client) -> None:
    for name in ("active", "revoked", "expired"):
        factories.api_key(name)
    now = timezone.now()
    ApiKey.objects.filter(membership__user__username="revoked").update(revoked_at=now)
    ApiKey.objects.filter(membership__user__username="expired").update(expires_at=now - timedelta(days=1))
    for state in ("active", "revoked", "expired"):
        found = admin.get(f"{list_page(ApiKey)}?state={state}").context["cl"].result_list
        assert [key.membership.user.username for key in found] == [state]
        assert [key.state(now) for key in found] == [state]
