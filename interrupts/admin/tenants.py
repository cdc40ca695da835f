"""Tenants and the people in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import quote, unquote
from django.db.models import PROTECT
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from interrupts.admin.base import ExplainedAdmin
from interrupts.models import Membership, Tenant
from interrupts.services import identity
from interrupts.vocabulary import TENANT_PATTERN

if TYPE_CHECKING:
    _TenantForm = forms.ModelForm[Tenant]
    _MembershipForm = forms.ModelForm[Membership]
else:
    _TenantForm = _MembershipForm = forms.ModelForm


class TenantForm(_TenantForm):
    """The id is chosen once: it is half of every run's id."""

    class Meta:
        model = Tenant
        fields = ("id", "title")
        labels = {"id": _("Name")}
        help_texts = {
            "id": _("1 to 128 letters, digits, '.', '_' or '-', for example acme. It cannot be changed later."),
            "title": _("What people see instead of the name."),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not self.instance._state.adding:
            self.fields["id"].disabled = True

    def clean_id(self) -> str:
        name = str(self.cleaned_data["id"])
        if not re.fullmatch(TENANT_PATTERN, name):
            raise forms.ValidationError(_("Use 1 to 128 letters, digits, '.', '_' or '-', for example acme."))
        return name


@admin.register(Tenant)
class TenantAdmin(ExplainedAdmin):
    about = _("Customers, teams or environments, kept apart from one another.")
    empty = _("There is no tenant yet. Add one, then add people to it under Memberships.")
    form = TenantForm
    list_display = ("id", "title", "created_at")
    search_fields = ("id", "title")
    readonly_fields = ("created_at",)
    ordering = ("id",)
    # No bulk delete: each tenant is asked what it still holds.
    actions = None

    def save_model(self, request: HttpRequest, obj: Tenant, form: forms.BaseForm, change: bool) -> None:
        if change:
            obj.save(update_fields=["title"])
            return
        obj.created_at = identity.create_tenant(name=obj.pk, title=obj.title, now=timezone.now()).created_at

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        tenant = self.get_object(request, unquote(object_id))
        held = [] if tenant is None else _held_by(tenant)
        if tenant is None or not held:
            return super().delete_view(request, object_id, extra_context)
        message = gettext(
            "The tenant %(tenant)s cannot be deleted, because it holds %(held)s. Their log is kept for good."
        )
        self.message_user(request, message % {"tenant": tenant.pk, "held": ", ".join(held)}, messages.ERROR)
        return redirect("admin:interrupts_tenant_change", quote(tenant.pk))


def _held_by(tenant: Tenant) -> list[str]:
    """Return what keeps a tenant from being deleted, counted: '3 runs'."""
    held = []
    for relation in Tenant._meta.related_objects:
        if relation.on_delete is PROTECT:
            count = relation.related_model._default_manager.filter(**{relation.field.name: tenant}).count()
            held += [f"{count} {relation.related_model._meta.verbose_name_plural}"] if count else []
    return held


class MembershipForm(_MembershipForm):
    """Who and where are chosen once: the subject id in the log stands for this person in this tenant."""

    class Meta:
        model = Membership
        fields = ("tenant", "user", "is_active")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("tenant", "user"):
            if name in self.fields and not self.instance._state.adding:
                self.fields[name].disabled = True

    def save(self, commit: bool = True) -> Membership:
        if self.instance._state.adding:
            self.instance.created_at = timezone.now()
        return super().save(commit)


def subject_shown(membership: Membership) -> str:
    """Return the subject id, once there is one: before saving, the model's default is another one each time."""
    return "-" if membership._state.adding else membership.subject_id


@admin.register(Membership)
class MembershipAdmin(ExplainedAdmin):
    about = _("People in tenants. Uncheck Active to end somebody's access; their votes stay on record.")
    empty = _("Nobody is in a tenant yet. Add a user under Users, then a membership here.")
    form = MembershipForm
    fields = ("tenant", "user", "is_active", "subject", "created_at")
    readonly_fields = ("subject", "created_at")
    autocomplete_fields = ("tenant", "user")
    list_display = ("user", "tenant", "subject_id", "is_active", "created_at")
    list_select_related = ("user", "tenant")
    list_filter = ("is_active", "tenant")
    search_fields = ("user__username", "subject_id", "tenant__id")
    ordering = ("tenant_id", "user__username")
    actions = None

    @admin.display(description=_("subject id"))
    def subject(self, membership: Membership) -> str:
        return subject_shown(membership)

    def has_delete_permission(self, request: HttpRequest, obj: Membership | None = None) -> bool:
        # The log names people by subject id; without the membership nobody could tell whose it was.
        return False
