"""Who may speak: tenants, the people in them and the keys that act for them (wire contract §4)."""

from __future__ import annotations

import secrets
from datetime import datetime
from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q

from interrupts.models.fields import JsonText


def new_subject_id() -> str:
    """Return an opaque, stable subject id: 22 url-safe characters, never a name or an address."""
    return f"u-{secrets.token_hex(12)}"


class Tenant(models.Model):
    """One customer, team or environment. Its id is the first segment of every bound id."""

    id = models.CharField(primary_key=True, max_length=128)
    title = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            # A tenant id is half of every run id: with a slash or a tilde in it no id of the tenant would resolve. The
            # whole grammar is the service's; a regular expression here would tie the SQLite file to Django's REGEXP.
            models.CheckConstraint(
                name="tenant_id_grammar",
                condition=~Q(id="") & ~Q(id__contains="/") & ~Q(id__contains="~") & ~Q(id__contains=" "),
            ),
        ]

    def __str__(self) -> str:
        return self.title or self.id


class Membership(models.Model):
    """A person in a tenant, with the subject id under which the tenant's log knows them."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    subject_id = models.CharField(max_length=256, unique=True, default=new_subject_id, editable=False)
    is_active = models.BooleanField(default=True, help_text="Uncheck to end this person's access to the tenant.")
    created_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "user"], name="membership_once_per_tenant"),
        ]

    def __str__(self) -> str:
        return f"{self.user} in {self.tenant_id}"


class ApiKey(models.Model):
    """A bearer key: only its prefix and hash are stored; it acts as one member, within its scopes."""

    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="api_keys")
    prefix = models.CharField(max_length=16, unique=True, editable=False)
    hash = models.CharField(max_length=64, editable=False)
    scopes = JsonText(default=list)
    created_at = models.DateTimeField()
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        verbose_name = "API key"

    def __str__(self) -> str:
        return self.prefix

    def state(self, now: datetime) -> str:
        """Return ``revoked``, ``expired`` or ``active``."""
        if self.revoked_at is not None:
            return "revoked"
        return "expired" if self.expires_at is not None and self.expires_at <= now else "active"
