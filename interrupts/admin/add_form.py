"""Adding by a form of our own, for records that a service makes from what was typed."""

from __future__ import annotations

from typing import Any, ClassVar, cast

from django import forms
from django.contrib.admin.helpers import AdminForm
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from interrupts.admin.base import ExplainedAdmin
from interrupts.errors import WopError
from interrupts.problems import in_lines


class AddFormAdmin(ExplainedAdmin):
    """Shows ``add_form`` and hands what it accepts to ``added``; what the service refuses is shown on the form."""

    add_form: ClassVar[type[forms.Form]]
    add_help: Any = ""

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = self.add_form(request.POST, request.FILES) if request.method == "POST" else self.add_form()
        if form.is_valid():
            try:
                return self.added(request, form.cleaned_data)
            except WopError as error:
                for line in in_lines(error):
                    form.add_error(None, line)
        return TemplateResponse(request, "admin/wop/add_form.html", self._context(request, form))

    def change_view(
        self, request: HttpRequest, object_id: str, form_url: str = "", extra_context: dict[str, Any] | None = None
    ) -> HttpResponse:
        # Django takes a post with "_saveasnew" for an addition, which would go past the service.
        if request.method == "POST":
            raise PermissionDenied
        return super().change_view(request, object_id, form_url, extra_context)

    def added(self, request: HttpRequest, data: dict[str, Any]) -> HttpResponse:
        """Make the record by one service call and return the page that follows. May raise WopError."""
        raise NotImplementedError

    def _context(self, request: HttpRequest, form: forms.Form) -> dict[str, Any]:
        shown = AdminForm(cast("Any", form), [(None, {"fields": list(form.fields)})], {}, model_admin=self)
        return {
            **self.admin_site.each_context(request),
            "title": _("Add %s") % self.opts.verbose_name,
            "opts": self.opts,
            "adminform": shown,
            "media": self.media + shown.media,
            "help": self.add_help,
            "has_view_permission": self.has_view_permission(request),
        }
