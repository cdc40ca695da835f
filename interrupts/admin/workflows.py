"""Workflow versions: uploaded or pasted, checked, and from then on only looked at."""

from __future__ import annotations

import json
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.utils import quote
from django.core.files import File
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _t
from django.utils.translation import gettext_lazy as _

from interrupts.admin.add_form import AddFormAdmin
from interrupts.admin.base import json_block, list_link
from interrupts.admin.rights import ObjectRightAdmin
from interrupts.contracts.json_limits import MAX_BYTES
from interrupts.contracts.json_text import MalformedJson, parse_json
from interrupts.contracts.types import JsonValue
from interrupts.models import Run, Tenant, Workflow
from interrupts.services.workflows import register_workflow


class WorkflowForm(forms.Form):
    """A definition, as a file or as text."""

    tenant = forms.ModelChoiceField(label=_("Tenant"), queryset=Tenant.objects.order_by("id"))
    file = forms.FileField(label=_("File"), required=False, help_text=_("A .json file with one workflow definition."))
    text = forms.CharField(
        label=_("Or paste it here"),
        required=False,
        strip=False,
        widget=forms.Textarea(attrs={"class": "vLargeTextField", "spellcheck": "false"}),
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        file, text = data.get("file"), data.get("text", "")
        if bool(file) == bool(text.strip()):
            raise forms.ValidationError(_("Choose a file or paste a definition: one of the two."))
        data["document"] = self._parse("file" if file else "text", _content(file) if file else text)
        return data

    def _parse(self, field: str, raw: bytes | str) -> JsonValue:
        try:
            return parse_json(raw)
        except MalformedJson as error:
            place = _("Line %(line)d, column %(column)d: ") % {"line": error.line, "column": error.column}
            self.add_error(field, f"{place}{error.message}")
            return None


def _content(file: File[bytes]) -> bytes:
    """Return the file, or enough of it to be refused as too large."""
    content: bytes = file.read(MAX_BYTES + 1)
    return content


@admin.register(Workflow)
class WorkflowAdmin(ObjectRightAdmin, AddFormAdmin):
    about = _("Every version that was ever registered. Versions never change: a new one goes beside the old ones.")
    empty = _("There is no workflow yet. Add one from a .json file, or use: wop workflow load PATH")
    right = "override_gate"
    add_form = WorkflowForm
    add_help = _("The definition is checked as a whole. Nothing is stored unless all of it is good.")
    fields = ("tenant", "workflow_id", "version", "name", "registered_at", "digest", "runs", "definition")
    list_display = ("workflow_id", "version", "name", "tenant", "registered_at")
    list_select_related = ("tenant",)
    list_filter = ("tenant",)
    search_fields = ("workflow_id", "name")
    ordering = ("-id",)
    actions = None

    def has_delete_permission(self, request: HttpRequest, obj: Workflow | None = None) -> bool:
        return False

    @admin.display(description=_("runs"))
    def runs(self, workflow: Workflow) -> SafeString:
        return list_link(Run, _("Runs of this version"), workflow__id__exact=workflow.pk)

    @admin.display(description=_("definition"))
    def definition(self, workflow: Workflow) -> SafeString | str:
        return json_block(json.loads(workflow.document))

    def added(self, request: HttpRequest, data: dict[str, Any]) -> HttpResponse:
        tenant: Tenant = data["tenant"]
        done = register_workflow(tenant_id=tenant.pk, document=data["document"], now=timezone.now())
        if done.is_new:
            self.log_addition(request, done.workflow, [{"added": {}}])
            told = _t("The workflow %(workflow)s is registered in the tenant %(tenant)s.")
        else:
            told = _t(
                "The workflow %(workflow)s had been registered in the tenant %(tenant)s before, exactly like this."
            )
        self.message_user(request, told % {"workflow": done.workflow, "tenant": tenant.pk}, messages.SUCCESS)
        return redirect("admin:interrupts_workflow_change", quote(done.workflow.pk))
