"""Work on its way out of the host, who was there to do it, and outcomes kept for repeated requests, to look at."""

from __future__ import annotations

from django.contrib import admin
from django.db.models import Q, QuerySet
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _

from interrupts.admin.base import ReadOnlyAdmin, StateFilter, json_block, record_link
from interrupts.models import IdempotencyRecord, OutboxMessage, Run, Sighting


class DeliveryFilter(StateFilter):
    title = _("state")
    parameter_name = "state"
    words = ("waiting", "delivered", "dead")

    def queryset(self, request: HttpRequest, queryset: QuerySet[OutboxMessage]) -> QuerySet[OutboxMessage]:
        states = {
            "waiting": Q(delivered_at=None, dead_at=None),
            "delivered": Q(delivered_at__isnull=False),
            "dead": Q(dead_at__isnull=False),
        }
        return queryset.filter(states.get(self.value() or "", Q()))


@admin.register(OutboxMessage)
class OutboxMessageAdmin(ReadOnlyAdmin):
    about = _("Work that is done after a transaction. A dead message was tried until the host gave up.")
    empty = _("Nothing is on its way.")
    list_display = ("id", "topic", "run_link", "created_at", "attempts", "delivered_at", "dead_at")
    list_filter = (DeliveryFilter,)
    search_fields = ("run__id__startswith",)
    search_help_text = _("Start of a run's id (tenant/r-…)")
    ordering = ("-id",)
    fields = (
        "topic",
        "run_link",
        "created_at",
        "available_at",
        "attempts",
        "delivered_at",
        "dead_at",
        "last_error",
        "dedupe_key",
    )

    @admin.display(description=_("run"))
    def run_link(self, message: OutboxMessage) -> SafeString | str:
        return record_link(Run, message.run_id)


@admin.register(IdempotencyRecord)
class IdempotencyRecordAdmin(ReadOnlyAdmin):
    about = _("The outcome of each request that came with an Idempotency-Key, kept for two days.")
    empty = _("No request has come with an Idempotency-Key.")
    list_display = ("key", "endpoint", "tenant", "created_at")
    list_select_related = ("tenant",)
    search_fields = ("key__exact",)
    search_help_text = _("A key, in full")
    ordering = ("-id",)
    fields = ("tenant", "endpoint", "key", "digest", "created_at", "outcome_shown")

    @admin.display(description=_("outcome"))
    def outcome_shown(self, record: IdempotencyRecord) -> SafeString | str:
        return json_block(record.outcome)


@admin.register(Sighting)
class SightingAdmin(ReadOnlyAdmin):
    about = _("When each worker and beat was last seen, and when the timers were last swept. A minute ago is too long.")
    empty = _("No worker and no beat has been seen. Start them: deadlines and deliveries wait.")
    list_display = ("what", "name", "queues_shown", "seen_at")
    ordering = ("what", "name")
    fields = ("what", "name", "queues_shown", "seen_at")

    @admin.display(description=_("queues"))
    def queues_shown(self, sighting: Sighting) -> str:
        return ", ".join(sighting.queues) or "-"
