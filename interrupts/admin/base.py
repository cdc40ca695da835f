"""What the admin pages share: lists that say what they are for, records nobody may change, links and JSON."""

from __future__ import annotations

import json
from datetime import datetime
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.utils import quote
from django.db.models import Model
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

if TYPE_CHECKING:
    _ModelAdmin = admin.ModelAdmin[Any]
    _TabularInline = admin.TabularInline[Any, Any]
else:
    _ModelAdmin = admin.ModelAdmin
    _TabularInline = admin.TabularInline


class ExplainedAdmin(_ModelAdmin):
    """A list that says what it shows (``about``) and, while it is empty, what to do (``empty``)."""

    about: Any = ""
    empty: Any = ""
    change_list_template = "admin/wop/change_list.html"

    class Media:
        css = {"all": ["css/admin.css"]}

    def changelist_view(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        title = capfirst(self.opts.verbose_name_plural)
        return super().changelist_view(request, {"title": title, **(extra_context or {})})


class _NobodyChanges:
    """Refuses every write, to superusers as well: these rows have one writer each, and it is not the admin."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadOnlyAdmin(_NobodyChanges, ExplainedAdmin):
    """A list and pages to look at. ``actions = None`` also takes Django's bulk delete away."""

    actions: Any = None


class ReadOnlyInline(_NobodyChanges, _TabularInline):
    """Rows to look at on another record's page."""

    extra = 0
    can_delete = False
    show_change_link = True


def record_link(model: type[Model], pk: object, text: object = None) -> SafeString | str:
    """Return a link to the admin page of one record; nothing when there is no record."""
    if pk in {None, ""}:
        return "-"
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_change", args=[quote(str(pk))])
    return format_html('<a href="{}">{}</a>', url, pk if text is None else text)


def list_link(model: type[Model], text: object, **filters: object) -> SafeString:
    """Return a link to the admin list of a model with filters already chosen."""
    url = reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist", query=filters)
    return format_html('<a href="{}">{}</a>', url, text)


def json_block(value: object) -> SafeString | str:
    """Return a JSON value to be read by a person, in its own order."""
    if value is None:
        return "-"
    return format_html('<pre class="wop-json">{}</pre>', json.dumps(value, ensure_ascii=False, indent=2))


def instant(at: datetime) -> str:
    """Return a time to the millisecond, in UTC, as logs show it."""
    return f"{at:%Y-%m-%d %H:%M:%S}.{at.microsecond // 1000:03d}"


class StateFilter(admin.SimpleListFilter):
    """A filter of fixed words. The plain filter of a text column reads the whole table to learn which there are."""

    words: tuple[str, ...] = ()

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, Any]]:
        return [(word, _(word)) for word in self.words]
