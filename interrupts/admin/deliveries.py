"""What goes out to receivers: subscriptions, deliveries with their attempts, and the secrets of callbacks."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AutocompleteSelect
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils import timezone
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from interrupts.admin.add_form import AddFormAdmin
from interrupts.admin.base import ReadOnlyAdmin, ReadOnlyInline, StateFilter, list_link, record_link
from interrupts.models import CallbackSecret, Delivery, DeliveryAttempt, Run, RunEvent, Tenant, Webhook
from interrupts.services import callbacks, deliver
from interrupts.vocabulary import DeliveryOutcome


class AttemptInline(ReadOnlyInline):
    model = DeliveryAttempt
    fields = ("number", "started_at", "ended_at", "status", "error")
    ordering = ("number",)
    show_change_link = False
    verbose_name_plural = _("Attempts")


class OutcomeFilter(StateFilter):
    title = _("state")
    parameter_name = "state"
    words = ("waiting", *(str(outcome) for outcome in DeliveryOutcome))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> QuerySet[Delivery]:
        if self.value() == "waiting":
            return queryset.filter(outcome=None)
        return queryset.filter(outcome=self.value()) if self.value() in self.words else queryset


@admin.register(Delivery)
class DeliveryAdmin(ReadOnlyAdmin):
    about = _("Events on their way to webhooks and callback URLs. A dead one was tried until the host gave up.")
    empty = _("Nothing has been sent: no run has a callback URL, and there is no webhook.")
    list_display = ("event_link", "state", "destination", "run_link", "attempts_made", "last_status", "created_at")
    list_display_links = ("state",)
    list_select_related = ("event", "webhook", "run")
    list_filter = (OutcomeFilter,)
    search_fields = ("id__startswith", "run__id__startswith", "webhook__id__startswith")
    search_help_text = _("Start of the id of a delivery (tenant/d-…), a run or a webhook")
    ordering = ("-created_at", "-id")
    inlines = (AttemptInline,)
    actions = ("send_again",)
    fields = (
        "id",
        "state",
        "destination",
        "webhook_link",
        "run_link",
        "event_link",
        "created_at",
        "due_at",
        "attempts_made",
        "last_status",
        "last_error",
        "ended_at",
    )

    def has_send_again_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("interrupts.change_delivery")

    @admin.display(description=_("state"))
    def state(self, delivery: Delivery) -> str:
        return delivery.state(timezone.now())

    @admin.display(description=_("to"))
    def destination(self, delivery: Delivery) -> str:
        return delivery.run.callback_url if delivery.webhook is None else delivery.webhook.url

    @admin.display(description=_("run"))
    def run_link(self, delivery: Delivery) -> SafeString | str:
        return record_link(Run, delivery.run_id)

    @admin.display(description=_("webhook"))
    def webhook_link(self, delivery: Delivery) -> SafeString | str:
        return record_link(Webhook, delivery.webhook_id)

    @admin.display(description=_("event"))
    def event_link(self, delivery: Delivery) -> SafeString | str:
        return record_link(RunEvent, delivery.event_id, delivery.event.type)

    @admin.action(description=_("Send selected deliveries again"), permissions=["send_again"])
    def send_again(self, request: HttpRequest, queryset: QuerySet[Delivery]) -> None:
        chosen = list(queryset.values_list("pk", flat=True))
        count = deliver.send_again(delivery_ids=chosen, now=timezone.now())
        told = ngettext("%d delivery will be sent again.", "%d deliveries will be sent again.", count) % count
        self.message_user(request, told, messages.SUCCESS if count else messages.WARNING)


class WebhookStateFilter(StateFilter):
    title = _("state")
    parameter_name = "state"
    words = ("live", "ended")

    def queryset(self, request: HttpRequest, queryset: QuerySet[Webhook]) -> QuerySet[Webhook]:
        states = {"live": Q(ended_at=None), "ended": Q(ended_at__isnull=False)}
        return queryset.filter(states.get(self.value() or "", Q()))


@admin.register(Webhook)
class WebhookAdmin(ReadOnlyAdmin):
    about = _("Who is told what happens in runs. Programs subscribe and end their subscriptions by the API.")
    empty = _("Nobody has subscribed to events.")
    list_display = ("url", "tenant", "event_types", "created_at", "ended_at")
    list_select_related = ("tenant",)
    list_filter = (WebhookStateFilter, "tenant")
    search_fields = ("id__startswith", "url__icontains")
    search_help_text = _("Start of a webhook's id (tenant/w-…), or a part of its URL")
    ordering = ("-created_at", "-id")
    fields = (
        "id",
        "url",
        "tenant",
        "event_types",
        "run_tags",
        "is_standard",
        "created_by",
        "created_at",
        "previous_secret_expires_at",
        "ended_at",
        "its_deliveries",
    )

    @admin.display(description=_("events"))
    def event_types(self, webhook: Webhook) -> str:
        return ", ".join(webhook.events)

    @admin.display(description=_("only runs tagged"))
    def run_tags(self, webhook: Webhook) -> str:
        return ", ".join(webhook.tags) or "-"

    @admin.display(description=_("deliveries"))
    def its_deliveries(self, webhook: Webhook) -> SafeString:
        return list_link(Delivery, _("Its deliveries"), q=webhook.pk)


class CallbackSecretForm(forms.Form):
    """Whose callbacks are signed anew, and from when."""

    tenant = forms.ModelChoiceField(
        label=_("Tenant"),
        queryset=Tenant.objects.all(),
        widget=AutocompleteSelect(CallbackSecret._meta.get_field("tenant"), admin.site),
    )
    overlap_hours = forms.IntegerField(
        label=_("Hours of overlap"),
        min_value=0,
        max_value=720,
        initial=24,
        help_text=_(
            "For how long the secret in use signs on, while receivers learn the new one. A first one is used at once."
        ),
    )


@admin.register(CallbackSecret)
class CallbackSecretAdmin(AddFormAdmin):
    about = _("What notices to callback URLs are signed with. Without one a tenant's runs take no callback URL.")
    empty = _("No tenant has a secret, so no run may have a callback URL. Add one.")
    add_form = CallbackSecretForm
    add_help = _("The secret is shown once, on the next page.")
    fields = ("tenant", "active_from", "created_at")
    list_display = ("tenant", "active_from", "created_at")
    list_select_related = ("tenant",)
    list_filter = ("tenant",)
    ordering = ("tenant_id", "-active_from")
    actions = None

    def has_change_permission(self, request: HttpRequest, obj: CallbackSecret | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: CallbackSecret | None = None) -> bool:
        return False

    def added(self, request: HttpRequest, data: dict[str, Any]) -> HttpResponse:
        made = callbacks.rotate_secret(
            tenant=data["tenant"], overlap=timedelta(hours=data["overlap_hours"]), now=timezone.now()
        )
        self.log_addition(request, made, [{"added": {}}])
        # Answered at once, without a redirect: what would carry the secret over it would keep it.
        context = {**self.admin_site.each_context(request), "opts": self.opts, "title": _("New secret"), "made": made}
        return TemplateResponse(request, "admin/wop/new_callback_secret.html", context)
