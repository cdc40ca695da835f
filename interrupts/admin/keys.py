"""API keys: made here and shown once, looked at, revoked; never changed."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminSplitDateTime, AutocompleteSelect
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from interrupts.admin.add_form import AddFormAdmin
from interrupts.admin.base import StateFilter
from interrupts.models import ApiKey, Membership
from interrupts.services import identity
from interrupts.vocabulary import Scope


class ApiKeyForm(forms.Form):
    """Whom a key acts as, what it may do and for how long."""

    membership = forms.ModelChoiceField(
        label=_("Acts as"),
        queryset=Membership.objects.filter(is_active=True).select_related("user", "tenant"),
        widget=AutocompleteSelect(ApiKey._meta.get_field("membership"), admin.site),
    )
    scopes = forms.MultipleChoiceField(
        label=_("May do"),
        choices=[(str(scope), str(scope)) for scope in Scope],
        widget=forms.CheckboxSelectMultiple,
        help_text=_("No scope implies another."),
    )
    expires_at = forms.SplitDateTimeField(
        label=_("Expires at"), required=False, widget=AdminSplitDateTime, help_text=_("Empty: valid until revoked.")
    )

    def clean_expires_at(self) -> datetime | None:
        expires_at: datetime | None = self.cleaned_data["expires_at"]
        if expires_at is not None and expires_at <= timezone.now():
            raise forms.ValidationError(_("This time has passed already."))
        return expires_at


class KeyStateFilter(StateFilter):
    title = _("state")
    parameter_name = "state"
    words = ("active", "expired", "revoked")

    def queryset(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> QuerySet[ApiKey]:
        is_over = Q(expires_at__lte=timezone.now())
        states = {
            "active": Q(revoked_at=None) & (Q(expires_at=None) | ~is_over),
            "expired": Q(revoked_at=None) & is_over,
            "revoked": Q(revoked_at__isnull=False),
        }
        return queryset.filter(states.get(self.value() or "", Q()))


@admin.register(ApiKey)
class ApiKeyAdmin(AddFormAdmin):
    about = _("What programs sign in with. Of a key only the prefix and a hash are kept.")
    empty = _("There is no key yet. Add one for a program that starts runs or answers.")
    add_form = ApiKeyForm
    add_help = _("The key is shown once, on the next page.")
    fields = ("prefix", "membership", "scopes_held", "state", "created_at", "expires_at", "revoked_at", "last_used_at")
    list_display = ("prefix", "person", "tenant", "scopes_held", "state", "expires_at", "last_used_at")
    list_select_related = ("membership__user",)
    list_filter = (KeyStateFilter, "membership__tenant")
    search_fields = ("prefix", "membership__user__username")
    ordering = ("-created_at", "-id")
    actions = ("revoke",)

    def has_change_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: ApiKey | None = None) -> bool:
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("interrupts.change_apikey")

    @admin.display(description=_("person"), ordering="membership__user__username")
    def person(self, key: ApiKey) -> str:
        return key.membership.user.username

    @admin.display(description=_("tenant"), ordering="membership__tenant_id")
    def tenant(self, key: ApiKey) -> str:
        return key.membership.tenant_id

    @admin.display(description=_("may do"))
    def scopes_held(self, key: ApiKey) -> str:
        return ", ".join(key.scopes)

    @admin.display(description=_("state"))
    def state(self, key: ApiKey) -> str:
        return key.state(timezone.now())

    def added(self, request: HttpRequest, data: dict[str, Any]) -> HttpResponse:
        membership: Membership = data["membership"]
        new = identity.create_key(
            tenant=membership.tenant,
            username=membership.user.username,
            scopes=data["scopes"],
            expires_at=data["expires_at"],
            now=timezone.now(),
        )
        self.log_addition(request, new.key, [{"added": {}}])
        # Answered at once, without a redirect: what would carry the key over it would keep it.
        context = {**self.admin_site.each_context(request), "opts": self.opts, "title": _("New key"), "new": new}
        return TemplateResponse(request, "admin/wop/new_key.html", context)

    @admin.action(description=_("Revoke selected keys"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiKey]) -> HttpResponse | None:
        keys = list(queryset)
        if "confirmed" not in request.POST:
            context = {
                **self.admin_site.each_context(request),
                "opts": self.opts,
                "title": _("Revoke keys"),
                "keys": keys,
            }
            return TemplateResponse(request, "admin/wop/revoke_keys.html", context)
        for key in keys:
            identity.revoke_key(prefix=key.prefix, now=timezone.now())
            self.log_change(request, key, "Revoked.")
        told = ngettext("%d key is revoked.", "%d keys are revoked.", len(keys)) % len(keys)
        self.message_user(request, told, messages.SUCCESS)
        return None
