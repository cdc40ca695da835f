"""``wop key``."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.utils import timezone

from interrupts.errors import CredentialExpired, CredentialRevoked
from interrupts.models import ApiKey
from interrupts.services import identity
from tests import factories
from tests.surfaces.cli.conftest import Wop

WORDS = ("key", "create", "--tenant", "acme", "--user", "alice", "--scope")


def test_a_new_key_is_printed_alone_and_works(wop: Wop) -> None:
    factories.member("alice")
    ended = wop(*WORDS, "runs:create", "runs:read")
    assert ended.status == 0
    actor = identity.authenticate_key(secret=ended.value, now=timezone.now())
    assert (actor.username, actor.tenant_id) == ("alice", "acme")
    assert actor.scopes == {"runs:create", "runs:read"}
    assert ended.err == "Keep it safe: it is shown this once.\n"


def test_scopes_may_be_given_one_by_one(wop: Wop) -> None:
    factories.member("alice")
    wop(*WORDS, "runs:create", "--scope", "runs:read")
    assert ApiKey.objects.get().scopes == ["runs:create", "runs:read"]


def test_an_unknown_scope_is_refused_with_the_known_ones(wop: Wop) -> None:
    factories.member("alice")
    ended = wop(*WORDS, "runs:delete")
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("Unknown scope runs:delete. Scopes: manifest:read, runs:create,")
    assert not ApiKey.objects.exists()


def test_a_key_ends_after_its_days(wop: Wop) -> None:
    factories.member("alice")
    with time_machine.travel(factories.NOW, tick=False):
        secret = wop(*WORDS, "runs:read", "--expires-in-days", "30").value
    last_moment = factories.NOW + timedelta(days=30, microseconds=-1)
    assert identity.authenticate_key(secret=secret, now=last_moment).username == "alice"
    with pytest.raises(CredentialExpired):
        identity.authenticate_key(secret=secret, now=factories.NOW + timedelta(days=30))


@pytest.mark.parametrize("days", ["0", "-1", "1.5", "x", "36501", "9" * 5000, "000000001" + "9" * 20, "\u0661"])
def test_a_number_of_days_that_is_none_is_a_usage_error(wop: Wop, days: str) -> None:
    ended = wop(*WORDS, "runs:read", f"--expires-in-days={days}")
    assert (ended.status, ended.out) == (2, "")
    assert "must be a whole number of days from 1 to 36500" in ended.err


def test_a_stranger_gets_no_key(wop: Wop) -> None:
    factories.tenant()
    factories.member("alice", of="globex")
    ended = wop(*WORDS, "runs:read")
    assert (ended.status, ended.err) == (3, "There is no user alice in the tenant acme.\n")


def test_a_revoked_key_is_refused_from_then_on(wop: Wop) -> None:
    secret = factories.api_key("alice")
    prefix = secret.split("_")[1]
    ended = wop("key", "revoke", prefix)
    assert (ended.status, ended.out, ended.err) == (0, f"{prefix}\n", "")
    with pytest.raises(CredentialRevoked):
        identity.authenticate_key(secret=secret, now=timezone.now())
    assert wop("key", "revoke", prefix).status == 0


def test_a_whole_key_is_revoked_by_its_prefix_and_never_repeated(wop: Wop) -> None:
    secret = factories.api_key("alice")
    prefix = secret.split("_")[1]
    ended = wop("key", "revoke", secret)
    assert (ended.status, ended.out, ended.err) == (0, f"{prefix}\n", "")
    with pytest.raises(CredentialRevoked):
        identity.authenticate_key(secret=secret, now=timezone.now())
    for other, told in (
        ("wop_0123456789ab_very-secret", "the prefix 0123456789ab"),
        (secret.removeprefix("wop_"), "this prefix"),
        (secret.split("_", 2)[2], "this prefix"),
    ):
        ended = wop("key", "revoke", "--", other)
        assert (ended.status, ended.out, ended.err) == (3, "", f"There is no key with {told}.\n")


def test_an_unknown_prefix_is_not_found(wop: Wop) -> None:
    ended = wop("key", "revoke", "0123456789ab")
    assert (ended.status, ended.err) == (3, "There is no key with the prefix 0123456789ab.\n")


def test_keys_are_listed_a_line_each_without_what_would_give_them_away(wop: Wop) -> None:
    with time_machine.travel(factories.NOW, tick=False):
        factories.api_key("olaf", of="globex")
        factories.member("alice")
        expired = wop(*WORDS, "runs:read", "--expires-in-days", "1").value.split("_")[1]
    used = factories.api_key("bob", scopes=["runs:create", "runs:read"])
    with time_machine.travel(factories.after(days=2), tick=False):
        identity.authenticate_key(secret=used, now=timezone.now())
        ended = wop("key", "list", "--tenant", "acme")
    assert sorted(ended.lines) == sorted(
        [
            f"{used.split('_')[1]}\tbob\tactive\t2026-03-04T09:00Z\truns:create,runs:read",
            f"{expired}\talice\texpired\tnever\truns:read",
        ]
    )
    assert used not in ended.out
    assert ApiKey.objects.get(prefix=expired).hash not in ended.out
