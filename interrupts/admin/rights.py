"""guardian's pages of object permissions, for the one right that means something on a record here."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.models import Group, User
from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from guardian.admin import AdminGroupObjectPermissionsForm, AdminUserObjectPermissionsForm, GuardedModelAdminMixin

from interrupts.admin.base import ExplainedAdmin


class UserByName(forms.Form):
    """Which person's right to look at, by the name they sign in with."""

    user = forms.ModelChoiceField(
        label=_("User name"),
        queryset=User.objects.all(),
        to_field_name="username",
        widget=forms.TextInput,
        error_messages={"invalid_choice": _("There is no user of this name.")},
    )


class GroupByName(forms.Form):
    """Which group's right to look at."""

    group = forms.ModelChoiceField(
        label=_("Group name"),
        queryset=Group.objects.all(),
        to_field_name="name",
        widget=forms.TextInput,
        error_messages={"invalid_choice": _("There is no group of this name.")},
    )


class ObjectRightAdmin(GuardedModelAdminMixin, ExplainedAdmin):
    """Lets people and groups be given ``right`` on one record, and nothing else, and notes who gave it."""

    right = ""
    change_form_template = "admin/wop/rights_change_form.html"  # type: ignore[misc]  # guardian and Django differ
    obj_perms_manage_template = "admin/wop/rights.html"
    obj_perms_manage_user_template = "admin/wop/rights_of_user.html"
    obj_perms_manage_group_template = "admin/wop/rights_of_group.html"

    def has_change_permission(self, request: HttpRequest, obj: Model | None = None) -> bool:
        # The record itself never changes. Asked without one, as guardian does: may this person give the right?
        allowed: bool = super().has_change_permission(request)
        return obj is None and allowed

    def get_obj_perms_base_context(self, request: HttpRequest, obj: Model) -> dict[str, Any]:
        context: dict[str, Any] = super().get_obj_perms_base_context(request, obj)  # type: ignore[no-untyped-call]
        context["model_perms"] = [perm for perm in context["model_perms"] if perm.codename == self.right]
        context["title"] = gettext("Who holds it")
        return context

    def get_obj_perms_user_select_form(self, request: HttpRequest) -> type[forms.Form]:
        return UserByName

    def get_obj_perms_group_select_form(self, request: HttpRequest) -> type[forms.Form]:
        return GroupByName

    def get_obj_perms_manage_user_form(self, request: HttpRequest) -> type[forms.Form]:
        return _form_of(self, request, AdminUserObjectPermissionsForm)

    def get_obj_perms_manage_group_form(self, request: HttpRequest) -> type[forms.Form]:
        return _form_of(self, request, AdminGroupObjectPermissionsForm)


def _form_of(admin: ObjectRightAdmin, request: HttpRequest, base: Any) -> type[forms.Form]:
    """Return guardian's form with one checkbox, which leaves a note in the record's history."""

    class RightForm(base):  # type: ignore[misc]
        def get_obj_perms_field_choices(self) -> list[tuple[str, str]]:
            return [choice for choice in super().get_obj_perms_field_choices() if choice[0] == admin.right]

        def get_obj_perms_field_initial(self) -> list[str]:
            return [held for held in super().get_obj_perms_field_initial() if held == admin.right]

        def get_obj_perms_field_widget(self) -> forms.Widget:
            return forms.CheckboxSelectMultiple()

        @property
        def holds_it(self) -> bool:
            return bool(self.get_obj_perms_field_initial())

        def save_obj_perms(self) -> None:
            super().save_obj_perms()
            holder: User | Group = self.user if isinstance(self, AdminUserObjectPermissionsForm) else self.group
            given = "given to" if self.cleaned_data["permissions"] else "taken from"
            sort = "user" if isinstance(holder, User) else "group"
            admin.log_change(request, self.obj, f"The right {admin.right} was {given} the {sort} {holder}.")

    return RightForm
