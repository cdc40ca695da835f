"""Tenants, people and keys (wire contract §4)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User

from interrupts.errors import (
    CredentialExpired,
    CredentialRevoked,
    Forbidden,
    NotFound,
    Unauthenticated,
    ValidationFailed,
)
from interrupts.models import ApiKey, Membership
from interrupts.services import identity
from interrupts.services.identity import LAST_USED_RESOLUTION, SESSION_SCOPES
from interrupts.vocabulary import Lane, Scope
from tests.factories import ALL_SCOPES, NOW, actor, after, api_key, member, tenant


def test_a_key_acts_as_its_person_with_its_scopes() -> None:
    secret = api_key("ann", scopes=[Scope.RUNS_READ])
    found = identity.authenticate_key(secret=secret, now=NOW)
    row = Membership.objects.get(user__username="ann")
    assert (found.tenant_id, found.subject_id, found.user_id, found.username) == (
        "acme",
        row.subject_id,
        row.user_id,
        "ann",
    )
    assert (found.lane, found.scopes) == (Lane.API_KEY, frozenset({"runs:read"}))
    assert found.subject == {
        "issuer": "urn:wopsite:api-key",
        "subjectId": row.subject_id,
        "tenant": "acme",
        "lane": "api-key",
        "kind": "user",
    }


def test_no_scope_implies_another() -> None:
    found = identity.authenticate_key(secret=api_key("ann", scopes=[Scope.WORKFLOWS_WRITE]), now=NOW)
    found.require(Scope.WORKFLOWS_WRITE)
    for scope in set(ALL_SCOPES) - {Scope.WORKFLOWS_WRITE}:
        with pytest.raises(Forbidden) as refused:
            found.require(scope)
        assert refused.value.details == {"scopeRequired": str(scope)}


def test_the_secret_of_a_key_is_not_stored() -> None:
    secret = api_key("ann")
    row = ApiKey.objects.get()
    assert secret.startswith(f"wop_{row.prefix}_")
    assert secret.removeprefix(f"wop_{row.prefix}_") not in f"{row.hash}{row.prefix}{row.scopes}"
    assert len(row.hash) == 64


@pytest.mark.parametrize(
    "secret",
    ["", "wop", "wop_", "wop_xyz_abc", "wop_000000000000_abc", "Bearer x", "\x00", "wop_\ud800_", "w" * 100_000],
)
def test_something_that_is_no_key_of_ours_authenticates_nobody(secret: str) -> None:
    api_key("ann")
    with pytest.raises(Unauthenticated):
        identity.authenticate_key(secret=secret, now=NOW)


def test_a_key_with_another_secret_behind_its_prefix_authenticates_nobody() -> None:
    secret = api_key("ann")
    with pytest.raises(Unauthenticated):
        identity.authenticate_key(secret=secret[:-1] + ("a" if secret[-1] != "a" else "b"), now=NOW)


def test_a_revoked_key_ends_with_the_next_request_and_says_so() -> None:
    secret = api_key("ann")
    key = ApiKey.objects.get()
    assert key.state(NOW) == "active"
    identity.revoke_key(prefix=key.prefix, now=after(hours=1))
    identity.revoke_key(prefix=key.prefix, now=after(hours=2))
    key.refresh_from_db()
    assert (key.revoked_at, key.state(NOW)) == (after(hours=1), "revoked")
    with pytest.raises(CredentialRevoked):
        identity.authenticate_key(secret=secret, now=after(hours=1))


def test_revoking_an_unknown_key_finds_nothing() -> None:
    with pytest.raises(NotFound):
        identity.revoke_key(prefix="000000000000", now=NOW)


def test_a_key_ends_at_its_time() -> None:
    member("ann")
    new = identity.create_key(tenant=tenant(), username="ann", scopes=["runs:read"], now=NOW, expires_at=after(days=1))
    identity.authenticate_key(secret=new.secret, now=after(days=1) - timedelta(milliseconds=1))
    with pytest.raises(CredentialExpired):
        identity.authenticate_key(secret=new.secret, now=after(days=1))
    assert (new.key.state(NOW), new.key.state(after(days=1))) == ("active", "expired")


def test_the_key_of_an_inactive_user_or_member_ends() -> None:
    for model, lookup in ((User, {"username": "ann"}), (Membership, {"user__username": "ben"})):
        secret = api_key(next(iter(lookup.values())))
        model.objects.filter(**lookup).update(is_active=False)
        with pytest.raises(CredentialRevoked) as refused:
            identity.authenticate_key(secret=secret, now=NOW)
        assert "no longer active" in refused.value.message


def test_when_a_key_was_last_used_is_noted_once_a_minute() -> None:
    secret = api_key("ann")
    for at, noted in (
        (NOW, NOW),
        (NOW + LAST_USED_RESOLUTION / 2, NOW),
        (NOW + LAST_USED_RESOLUTION, NOW + LAST_USED_RESOLUTION),
    ):
        identity.authenticate_key(secret=secret, now=at)
        assert ApiKey.objects.get().last_used_at == noted


@pytest.mark.parametrize("scopes", [[], ["runs:fly"], ["runs:read", "runs:fly"]])
def test_a_key_needs_scopes_and_only_known_ones(scopes: list[str]) -> None:
    member("ann")
    with pytest.raises(ValidationFailed):
        identity.create_key(tenant=tenant(), username="ann", scopes=scopes, now=NOW)
    assert not ApiKey.objects.exists()


def test_a_stranger_gets_no_key() -> None:
    member("ann", of="other")
    with pytest.raises(NotFound):
        identity.create_key(tenant=tenant(), username="ann", scopes=["runs:read"], now=NOW)


def test_the_keys_of_a_tenant_are_listed_newest_first() -> None:
    api_key("eve", of="other")
    member("ann")
    made = [
        identity.create_key(tenant=tenant(), username="ann", scopes=["runs:read"], now=after(hours=hour)).key
        for hour in range(3)
    ]
    assert identity.keys_of(tenant()) == made[::-1]


@pytest.mark.parametrize("name", ["", "a/b", "a b", "ä", "x" * 129, "a\n"])
def test_a_tenant_must_have_a_name_that_can_be_an_id(name: str) -> None:
    with pytest.raises(ValidationFailed):
        identity.create_tenant(name=name, now=NOW)


def test_a_tenant_is_made_once() -> None:
    identity.create_tenant(name="acme", title="Acme", now=NOW)
    with pytest.raises(ValidationFailed, match="already a tenant acme"):
        identity.create_tenant(name="acme", now=NOW)
    with pytest.raises(ValidationFailed):
        identity.create_tenant(name="long", title="x" * 201, now=NOW)
    assert str(identity.get_tenant("acme")) == "Acme"
    with pytest.raises(NotFound):
        identity.get_tenant("other")


def test_one_person_may_be_in_two_tenants_under_two_subject_ids() -> None:
    first = member("ann", password="correct horse battery")
    second = member("ann", of="other", password="ignored")
    assert first.user_id == second.user_id
    assert first.subject_id != second.subject_id
    assert User.objects.get().check_password("correct horse battery")
    assert [row.tenant_id for row in identity.memberships_of(first.user)] == ["acme", "other"]
    Membership.objects.filter(pk=first.pk).update(is_active=False)
    assert [row.tenant_id for row in identity.memberships_of(first.user)] == ["other"]
    with pytest.raises(ValidationFailed, match="already in the tenant"):
        member("ann")


def test_a_person_with_an_unknown_group_or_an_impossible_name_is_not_made() -> None:
    with pytest.raises(NotFound):
        identity.add_member(tenant=tenant(), username="ann", groups=["ghosts"], password=None, now=NOW)
    with pytest.raises(ValidationFailed):
        member("ann smith")
    assert not User.objects.exists()
    with pytest.raises(NotFound):
        identity.get_user("ann")


def test_a_person_without_a_password_cannot_sign_in() -> None:
    assert not member("ann").user.has_usable_password()


def test_a_group_is_made_once_under_a_name_of_fitting_length() -> None:
    assert identity.create_group(name="legal").name == "legal"
    for name in ("legal", "", "x" * 151):
        with pytest.raises(ValidationFailed):
            identity.create_group(name=name)


def test_somebody_signed_in_may_do_all_but_register_workflows() -> None:
    found = actor("ann")
    assert (found.lane, found.scopes) == (Lane.SESSION, SESSION_SCOPES)
    assert Scope.WORKFLOWS_WRITE not in found.scopes


def test_the_command_line_is_a_workload_without_a_user() -> None:
    operator = identity.command_line_actor(tenant())
    assert (operator.user_id, operator.subject["kind"], operator.subject["lane"]) == (None, "workload", "workload")
    assert Scope.APPROVALS_RESPOND not in operator.scopes


def test_another_spelling_of_a_name_is_the_same_person() -> None:
    first = member("u1")
    second = member("\uff55\uff11", of="globex")
    assert (second.user, second.user.username) == (first.user, "u1")
    with pytest.raises(ValidationFailed, match="u1 is already in the tenant acme"):
        member("\uff551")
