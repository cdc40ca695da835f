"""Tenants, people and keys (wire contract §4). What is created here can be ended here, from the next request on."""

from __future__ import annotations

import hashlib
import logging
import re
import secrets
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.contrib.auth.models import Group, User
from django.core.exceptions import ValidationError
from django.db import transaction

from interrupts.actor import Actor
from interrupts.errors import (
    CredentialExpired,
    CredentialRevoked,
    NameTaken,
    NotFound,
    Unauthenticated,
    ValidationFailed,
)
from interrupts.models import ApiKey, Membership, Tenant
from interrupts.vocabulary import LINK_SUBJECT, TENANT_PATTERN, Lane, Scope

logger = logging.getLogger(__name__)

KEY_MARK = "wop"
MAX_TITLE = 200
_PREFIX_PATTERN = r"[0-9a-f]{12}"
LAST_USED_RESOLUTION = timedelta(minutes=1)
SESSION_SCOPES = frozenset(
    {Scope.MANIFEST_READ, Scope.RUNS_CREATE, Scope.RUNS_READ, Scope.RUNS_CANCEL, Scope.APPROVALS_RESPOND}
)


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key just made. ``secret`` is shown once and never stored."""

    key: ApiKey
    secret: str


def create_tenant(*, name: str, now: datetime, title: str = "") -> Tenant:
    """Create a tenant whose id is ``name``. Raises ValidationFailed for a name that cannot be an id, NameTaken."""
    if not re.fullmatch(TENANT_PATTERN, name):
        raise ValidationFailed("A tenant's name is 1 to 128 letters, digits, '.', '_' or '-', for example acme.")
    if len(title) > MAX_TITLE:
        raise ValidationFailed(f"A tenant's title has at most {MAX_TITLE} characters.")
    tenant, is_new = Tenant.objects.get_or_create(id=name, defaults={"title": title, "created_at": now})
    if not is_new:
        raise NameTaken(f"There is already a tenant {name}.")
    return tenant


def get_tenant(name: str) -> Tenant:
    tenant = Tenant.objects.filter(pk=name).first()
    if tenant is None:
        raise NotFound(f"There is no tenant {name}.")
    return tenant


def get_user(username: str) -> User:
    user = User.objects.filter(username=username).first()
    if user is None:
        raise NotFound(f"There is no user {username}.")
    return user


def get_membership(*, tenant: Tenant, username: str) -> Membership:
    """Return a person as an active member of a tenant. Raises NotFound."""
    members = Membership.objects.filter(tenant=tenant, user__username=username, is_active=True, user__is_active=True)
    membership = members.select_related("user").first()
    if membership is None:
        raise NotFound(f"There is no active user {username} in the tenant {tenant.pk}.")
    return membership


def create_group(*, name: str) -> Group:
    """Create a group of people. Raises ValidationFailed when the name is empty or too long, NameTaken."""
    if not 1 <= len(name) <= 150:
        raise ValidationFailed("A group's name is 1 to 150 characters.")
    group, is_new = Group.objects.get_or_create(name=name)
    if not is_new:
        raise NameTaken(f"There is already a group {name}.")
    return group


def get_group(name: str) -> Group:
    group = Group.objects.filter(name=name).first()
    if group is None:
        raise NotFound(f"There is no group {name}. Create it first: wop group create {name}")
    return group


def add_member(
    *, tenant: Tenant, username: str, groups: Iterable[str], password: str | None, now: datetime
) -> Membership:
    """Create a person, or bring a known one into a further tenant, and put them into groups.

    Without a password a new person cannot sign in to the inbox, only use keys. An existing person's password is left
    alone. Raises NameTaken for someone who is in the tenant already, NotFound for an unknown group.
    """
    # As Django stores names: of two spellings of one name the second is the same person, and not a failing insert.
    username = User.normalize_username(username)
    with transaction.atomic():
        user = User.objects.filter(username=username).first() or _create_user(username, password)
        user.groups.add(*[get_group(group) for group in groups])
        membership, is_new = Membership.objects.get_or_create(tenant=tenant, user=user, defaults={"created_at": now})
        if not is_new:
            raise NameTaken(f"{username} is already in the tenant {tenant.pk}.")
    return membership


def _create_user(username: str, password: str | None) -> User:
    try:
        User(username=username).clean_fields(exclude=["password"])
    except ValidationError as error:
        raise ValidationFailed("A user's name is 1 to 150 letters, digits, '@', '.', '+', '-' or '_'.") from error
    return User.objects.create_user(username=username, password=password)


def create_key(
    *, tenant: Tenant, username: str, scopes: Iterable[str], now: datetime, expires_at: datetime | None = None
) -> NewKey:
    """Make a key for a member of the tenant. Raises NotFound for a stranger, ValidationFailed for an unknown scope."""
    wanted = sorted(set(scopes))
    unknown = [scope for scope in wanted if scope not in set(Scope)]
    if unknown or not wanted:
        raise ValidationFailed(f"Unknown scope {', '.join(unknown) or '(none given)'}. Scopes: {', '.join(Scope)}.")
    membership = Membership.objects.filter(tenant=tenant, user__username=username).first()
    if membership is None:
        raise NotFound(f"There is no user {username} in the tenant {tenant.pk}.")
    prefix = secrets.token_hex(6)
    secret = f"{KEY_MARK}_{prefix}_{secrets.token_urlsafe(32)}"
    key = ApiKey(
        membership=membership,
        prefix=prefix,
        hash=_hash(secret),
        scopes=wanted,
        created_at=now,
        expires_at=expires_at,
    )
    key.save(force_insert=True)
    logger.info("key created prefix=%s tenant=%s user=%s", prefix, tenant.pk, username)
    return NewKey(key, secret)


def keys_of(tenant: Tenant) -> list[ApiKey]:
    """Return the tenant's keys, newest first, ended ones too."""
    keys = ApiKey.objects.filter(membership__tenant=tenant).select_related("membership__user")
    return list(keys.order_by("-created_at", "-id"))


def revoke_key(*, prefix: str, now: datetime) -> ApiKey:
    """End a key, effective on the next request. Revoking it again changes nothing. Raises NotFound.

    A whole key is taken for its prefix. What was given is repeated only when it is a prefix: it may hold a secret.
    """
    prefix = prefix_of(prefix)
    key = ApiKey.objects.filter(prefix=prefix).first()
    if key is None:
        is_prefix = re.fullmatch(_PREFIX_PATTERN, prefix)
        raise NotFound(f"There is no key with {f'the prefix {prefix}' if is_prefix else 'this prefix'}.")
    ApiKey.objects.filter(pk=key.pk, revoked_at=None).update(revoked_at=now)
    logger.info("key revoked prefix=%s", prefix)
    return key


def prefix_of(key: str) -> str:
    """Return the prefix of a whole key; any other text as it is."""
    mark, _, rest = key.partition("_")
    return rest.partition("_")[0] if mark == KEY_MARK and rest else key


def authenticate_key(*, secret: str, now: datetime) -> Actor:
    """Return who a bearer key acts as, read anew on every request so that revocation holds on the next one.

    Raises Unauthenticated, CredentialRevoked or CredentialExpired. Comparison is constant-time.
    """
    key = _find_key(secret)
    if key is None or not secrets.compare_digest(key.hash, _hash(secret)):
        raise Unauthenticated
    if key.revoked_at is not None:
        raise CredentialRevoked
    if key.expires_at is not None and key.expires_at <= now:
        raise CredentialExpired
    if not (key.membership.is_active and key.membership.user.is_active):
        raise CredentialRevoked("The person this key acts for is no longer active in the tenant.")
    if key.last_used_at is None or key.last_used_at <= now - LAST_USED_RESOLUTION:
        ApiKey.objects.filter(pk=key.pk).update(last_used_at=now)
    return _actor(key.membership, Lane.API_KEY, frozenset(key.scopes))


def session_actor(membership: Membership) -> Actor:
    """Return the actor of a person who signed in with a browser."""
    return _actor(membership, Lane.SESSION, SESSION_SCOPES)


def approver_actor(membership: Membership) -> Actor:
    """Return the person a signed link was made for, as they are now."""
    return _actor(membership, Lane.LINK, frozenset({Scope.APPROVALS_RESPOND}))


def link_actor(*, tenant_id: str, interrupt_id: str) -> Actor:
    """Return the holder of a link that names nobody: one voter in total, and on no approver list (§25 row 8)."""
    return Actor(
        tenant_id=tenant_id,
        subject_id=LINK_SUBJECT + interrupt_id.partition("/")[2],
        lane=Lane.LINK,
        scopes=frozenset({Scope.APPROVALS_RESPOND}),
    )


def command_line_actor(tenant: Tenant) -> Actor:
    """Return the host's own operator, who may register workflows and start runs, and is nobody's approver."""
    scopes = frozenset(
        {Scope.MANIFEST_READ, Scope.RUNS_CREATE, Scope.RUNS_READ, Scope.RUNS_CANCEL, Scope.WORKFLOWS_WRITE}
    )
    return Actor(tenant_id=tenant.pk, subject_id="operator", lane=Lane.WORKLOAD, scopes=scopes)


def memberships_of(user: User) -> list[Membership]:
    """Return the tenants a person may act in, by name."""
    memberships = Membership.objects.filter(user=user, is_active=True).select_related("tenant", "user")
    return list(memberships.order_by("tenant_id"))


def _find_key(secret: str) -> ApiKey | None:
    prefix = prefix_of(secret)
    if prefix == secret or not re.fullmatch(_PREFIX_PATTERN, prefix):
        return None
    return ApiKey.objects.select_related("membership__user").filter(prefix=prefix).first()


def _actor(membership: Membership, lane: Lane, scopes: frozenset[str]) -> Actor:
    return Actor(
        tenant_id=membership.tenant_id,
        subject_id=membership.subject_id,
        lane=lane,
        scopes=scopes,
        user_id=membership.user_id,
        username=membership.user.username,
    )


def _hash(secret: str) -> str:
    return hashlib.sha256(secret.encode("utf-8", "replace")).hexdigest()
