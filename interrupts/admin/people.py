"""Django's own pages of users and groups, with the tenants of a person and the people of a group beside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.auth.admin import GroupAdmin, UserAdmin
from django.contrib.auth.models import Group, User
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from interrupts.admin.tenants import MembershipForm, subject_shown
from interrupts.models import Membership

if TYPE_CHECKING:
    _TabularInline = admin.TabularInline[Any, Any]
    _UserAdmin = UserAdmin[User]
else:
    _UserAdmin = UserAdmin
    _TabularInline = admin.TabularInline


class MembershipInline(_TabularInline):
    model = Membership
    form = MembershipForm
    fields = ("tenant", "is_active", "subject")
    readonly_fields = ("subject",)
    verbose_name_plural = _("Tenants this person is in")
    can_delete = False

    @admin.display(description=_("subject id"))
    def subject(self, membership: Membership) -> str:
        return subject_shown(membership)

    def get_extra(self, request: HttpRequest, obj: Any = None, **kwargs: Any) -> int:
        return 1 if obj is None else 0


class GroupMemberInline(_TabularInline):
    model = User.groups.through
    autocomplete_fields = ("user",)
    verbose_name = _("person")
    verbose_name_plural = _("People in this group")
    classes = ("wop-untitled",)
    extra = 0


class PersonAdmin(_UserAdmin):
    inlines = (MembershipInline,)
    list_display = ("username", "is_active", "is_staff", "is_superuser", "last_login")

    def get_fieldsets(self, request: HttpRequest, obj: Any = None) -> Any:
        """Offer the rights on these pages for staff alone: to everybody else they give nothing here."""
        fieldsets = super().get_fieldsets(request, obj)
        if obj is None or obj.is_staff:
            return fieldsets
        return [(title, _without(options, "user_permissions")) for title, options in fieldsets]


class PeopleGroupAdmin(GroupAdmin):
    """A group is whom gates name. Rights on these pages are given to staff one by one."""

    inlines = (GroupMemberInline,)
    fields = ("name",)

    class Media:
        css = {"all": ["css/admin.css"]}


def _without(options: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {**options, "fields": tuple(field for field in options["fields"] if field != name)}


admin.site.unregister([User, Group])
admin.site.register(User, PersonAdmin)
admin.site.register(Group, PeopleGroupAdmin)
