"""Interrupts and timers, to look at."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from interrupts.admin.base import ReadOnlyAdmin, StateFilter, json_block, record_link
from interrupts.models import Run, Suspension, Timer
from interrupts.vocabulary import SuspensionOutcome

_PROMISES = ("kind", "outcomes", "typed", "request_schema", "resume_schema")


class OutcomeFilter(StateFilter):
    title = _("outcome")
    parameter_name = "outcome"
    words = ("open", *(str(outcome) for outcome in SuspensionOutcome))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Suspension]) -> QuerySet[Suspension]:
        if self.value() == "open":
            return queryset.filter(outcome=None)
        return queryset.filter(outcome=self.value()) if self.value() in self.words else queryset


@admin.register(Suspension)
class SuspensionAdmin(ReadOnlyAdmin):
    about = _("What runs wait for, or waited for. Answers are given in the inbox or by the API, never here.")
    empty = _("No run has waited for anything yet.")
    list_display = ("heading", "state", "opened_at", "deadline", "node_id", "run_link")
    list_filter = (OutcomeFilter, "tenant")
    search_fields = ("id__startswith", "run__id__startswith")
    search_help_text = _("Starts of the interrupt's id (tenant/i-…) or of its run's id (tenant/r-…)")
    ordering = ("-opened_at", "-id")
    fieldsets = (
        (None, {"fields": ("title", "kind", "run_link", "node_id", "state", "opened_at", "deadline", "resolved_at")}),
        (_("Answer"), {"fields": ("resolution_shown",)}),
        (_("Contract"), {"fields": tuple(f"contract_{name}" for name in _PROMISES), "classes": ("collapse",)}),
        (_("As it was asked"), {"fields": ("payload_shown", "schema_shown", "key"), "classes": ("collapse",)}),
    )

    @admin.display(description=_("what is asked"), ordering="title")
    def heading(self, suspension: Suspension) -> str:
        return suspension.title or str(suspension)

    @admin.display(description=_("run"))
    def run_link(self, suspension: Suspension) -> SafeString | str:
        return record_link(Run, suspension.run_id)

    @admin.display(description=_("outcome"))
    def state(self, suspension: Suspension) -> str:
        return suspension.outcome or "open"

    @admin.display(description=_("resolution"))
    def resolution_shown(self, suspension: Suspension) -> SafeString | str:
        return json_block(suspension.resolution)

    @admin.display(description=_("payload"))
    def payload_shown(self, suspension: Suspension) -> SafeString | str:
        return json_block(suspension.payload)

    @admin.display(description=_("kind"))
    def contract_kind(self, suspension: Suspension) -> str:
        return str(_promised(suspension, "kind") or "-")

    @admin.display(description=_("outcomes"))
    def contract_outcomes(self, suspension: Suspension) -> SafeString | str:
        return json_block(_promised(suspension, "outcomes"))

    @admin.display(description=_("schemas declared"), boolean=True)
    def contract_typed(self, suspension: Suspension) -> object:
        return _promised(suspension, "typed")

    @admin.display(description=_("schema of what is asked"))
    def contract_request_schema(self, suspension: Suspension) -> SafeString | str:
        return json_block(_promised(suspension, "request_schema"))

    @admin.display(description=_("schema of an answer's payload"))
    def contract_resume_schema(self, suspension: Suspension) -> SafeString | str:
        return json_block(_promised(suspension, "resume_schema"))

    @admin.display(description=_("schema of an answer"))
    def schema_shown(self, suspension: Suspension) -> SafeString | str:
        return json_block(suspension.resume_schema)


def _promised(suspension: Suspension, name: str) -> object:
    """Return a member of the contract. Interrupts from before contracts were kept have none."""
    return (suspension.contract or {}).get(name)


@admin.register(Timer)
class TimerAdmin(ReadOnlyAdmin):
    about = _("When runs will be looked at again: deadlines, delays, time limits. A timer goes once it has fired.")
    empty = _("No run waits for a point in time.")
    list_display = ("due_at", "purpose", "run_link", "node_id")
    search_fields = ("run__id__startswith",)
    search_help_text = _("Start of a run's id (tenant/r-…)")
    ordering = ("due_at", "id")
    fields = ("due_at", "purpose", "run_link", "node_id", "ordinal")

    @admin.display(description=_("run"))
    def run_link(self, timer: Timer) -> SafeString | str:
        return record_link(Run, timer.run_id)
