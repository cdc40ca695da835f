"""Runs and their log, to look at."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from interrupts.admin.base import (
    ReadOnlyAdmin,
    ReadOnlyInline,
    StateFilter,
    instant,
    json_block,
    list_link,
    record_link,
)
from interrupts.models import OutboxMessage, Run, RunEvent, Suspension, Timer, Workflow
from interrupts.vocabulary import RunStatus

TIMELINE_LENGTH = 200


class SuspensionInline(ReadOnlyInline):
    model = Suspension
    fields = ("node_id", "kind", "title", "opened_at", "deadline", "outcome", "resolved_at")
    verbose_name_plural = _("What it waited for")


class TimerInline(ReadOnlyInline):
    model = Timer
    fields = ("purpose", "node_id", "due_at")


class OutboxInline(ReadOnlyInline):
    model = OutboxMessage
    fields = ("topic", "created_at", "available_at", "attempts", "delivered_at", "dead_at")


class RunStatusFilter(StateFilter):
    title = _("status")
    parameter_name = "status"
    words = tuple(str(status) for status in RunStatus)

    def queryset(self, request: HttpRequest, queryset: QuerySet[Run]) -> QuerySet[Run]:
        return queryset.filter(status=self.value()) if self.value() in self.words else queryset


@admin.register(Run)
class RunAdmin(ReadOnlyAdmin):
    about = _("What workflows are doing and have done. Runs are written by the host alone.")
    empty = _("There is no run yet. Start one: wop run start WORKFLOW --tenant TENANT")
    list_display = ("workflow_key", "status", "current_node_id", "created_at", "completed_at", "tenant", "id")
    list_display_links = ("workflow_key", "id")
    list_select_related = ("tenant",)
    list_filter = (RunStatusFilter, "tenant", "created_at")
    date_hierarchy = "created_at"
    search_fields = ("id__startswith", "workflow_key__startswith")
    search_help_text = _("Starts of a run's id (tenant/r-…) or of a workflow's id")
    ordering = ("-created_at", "-id")
    inlines = (SuspensionInline, TimerInline, OutboxInline)
    fieldsets = (
        (
            None,
            {
                "fields": (
                    "status",
                    "current_node_id",
                    "pause_asked",
                    "workflow_link",
                    "parent_link",
                    "children_link",
                    "created_at",
                    "completed_at",
                    "failure",
                )
            },
        ),
        (_("Log"), {"fields": ("timeline",)}),
        (
            _("What it was started with"),
            {"fields": ("started_by", "inputs_shown", "labels", "callback_url"), "classes": ("collapse",)},
        ),
        (_("Where it stands"), {"fields": ("variables_shown", "state_shown"), "classes": ("collapse",)}),
    )

    @admin.display(description=_("workflow"))
    def workflow_link(self, run: Run) -> SafeString | str:
        return record_link(Workflow, run.workflow_id, run.workflow)

    @admin.display(description=_("part of"))
    def parent_link(self, run: Run) -> SafeString | str:
        return record_link(Run, run.parent_run_id)

    @admin.display(description=_("sub-workflows"))
    def children_link(self, run: Run) -> SafeString | str:
        return list_link(Run, _("Runs it started"), parent_run__id__exact=run.pk)

    @admin.display(description=_("pause asked for"))
    def pause_asked(self, run: Run) -> SafeString | str:
        return json_block(run.pause_request)

    @admin.display(description=_("error"))
    def failure(self, run: Run) -> SafeString | str:
        return json_block(run.error)

    @admin.display(description=_("started by"))
    def started_by(self, run: Run) -> SafeString | str:
        return json_block(run.owner)

    @admin.display(description=_("inputs"))
    def inputs_shown(self, run: Run) -> SafeString | str:
        return json_block(run.inputs)

    @admin.display(description=_("tags, metadata, configuration"))
    def labels(self, run: Run) -> SafeString | str:
        return json_block({"tags": run.tags, "metadata": run.metadata, "configurable": run.configurable})

    @admin.display(description=_("variables"))
    def variables_shown(self, run: Run) -> SafeString | str:
        return json_block(run.variables)

    @admin.display(description=_("state"))
    def state_shown(self, run: Run) -> SafeString | str:
        return json_block(run.state)

    @admin.display(description=_("events"))
    def timeline(self, run: Run) -> SafeString:
        """The last events, oldest first: a long loop has thousands, and its page must still open."""
        latest = list(run.events.order_by("-sequence")[:TIMELINE_LENGTH])
        context: dict[str, Any] = {
            "events": [_timeline_row(event) for event in reversed(latest)],
            "earlier": run.last_sequence + 1 - len(latest),
            "whole_log": list_link(RunEvent, _("The whole log"), run__id__exact=run.pk),
        }
        return render_to_string("admin/wop/timeline.html", context)


def _timeline_row(event: RunEvent) -> dict[str, Any]:
    return {
        "link": record_link(RunEvent, event.pk, event.sequence),
        "when": instant(event.at),
        "type": event.type,
        "payload": json_block(event.payload),
        "node_id": event.node_id,
    }


@admin.register(RunEvent)
class RunEventAdmin(ReadOnlyAdmin):
    about = _("The log of all runs. It is only ever added to; the database itself refuses anything else.")
    empty = _("Nothing has happened yet: no run was started.")
    list_display = ("type", "when", "node_id", "run_link", "sequence")
    list_display_links = ("type",)
    search_fields = ("run__id__exact", "event_id__exact", "type__exact")
    search_help_text = _("A run's id, an event's id or a type, in full")
    show_full_result_count = False
    ordering = ("-id",)
    fields = ("run_link", "sequence", "type", "node_id", "when", "event_id", "payload_shown")

    @admin.display(description=_("run"))
    def run_link(self, event: RunEvent) -> SafeString | str:
        return record_link(Run, event.run_id)

    @admin.display(description=_("when (UTC)"))
    def when(self, event: RunEvent) -> str:
        return instant(event.at)

    @admin.display(description=_("payload"))
    def payload_shown(self, event: RunEvent) -> SafeString | str:
        return json_block(event.payload)
