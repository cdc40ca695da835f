"""Mails to approvers: looked at with their attempts, and sent again."""

from __future__ import annotations

from typing import Final

from django.contrib import admin, messages
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from approvals import mails
from approvals.models import Mail, MailAttempt, MailOutcome, Occasion
from interrupts.admin.base import ReadOnlyAdmin, ReadOnlyInline, StateFilter, record_link
from interrupts.models import Membership, Suspension

OCCASIONS: Final[dict[str, str | Promise]] = {
    Occasion.ASKED: _("asked"),
    Occasion.REMINDER: _("reminded"),
    Occasion.TIMED_OUT: _("told that it timed out"),
}


class MailAttemptInline(ReadOnlyInline):
    model = MailAttempt
    fields = ("number", "started_at", "ended_at", "error")
    ordering = ("number",)
    show_change_link = False
    verbose_name_plural = _("Attempts")


class MailStateFilter(StateFilter):
    title = _("state")
    parameter_name = "state"
    words = ("waiting", *(str(outcome) for outcome in MailOutcome))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Mail]) -> QuerySet[Mail]:
        if self.value() == "waiting":
            return queryset.filter(outcome=None)
        return queryset.filter(outcome=self.value()) if self.value() in self.words else queryset


@admin.register(Mail)
class MailAdmin(ReadOnlyAdmin):
    about = _(
        "What approvers are told by mail. A dropped one was needed no more; a dead one was tried until the host gave "
        "up. Neither texts nor links are kept."
    )
    empty = _("Nobody was written to: no gate has named people with a mail address yet.")
    list_display = ("person", "occasion", "gate", "state", "attempts_made", "last_error", "created_at")
    list_display_links = ("person",)
    list_select_related = ("notice__suspension", "membership__user")
    list_filter = (MailStateFilter,)
    search_fields = ("notice__suspension__id__startswith", "membership__user__username__startswith")
    search_help_text = _("Start of an interrupt's id (tenant/i-…) or of a user name")
    ordering = ("-id",)
    inlines = (MailAttemptInline,)
    actions = ("send_again",)
    fields = (
        "person_link",
        "occasion",
        "gate",
        "state",
        "created_at",
        "due_at",
        "attempts_made",
        "last_error",
        "ended_at",
    )

    def has_send_again_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("approvals.change_mail")

    @admin.display(description=_("to"))
    def person(self, mail: Mail) -> str:
        return mail.membership.user.username

    @admin.display(description=_("to"))
    def person_link(self, mail: Mail) -> SafeString | str:
        return record_link(Membership, mail.membership_id, mail.membership)

    @admin.display(description=_("what for"))
    def occasion(self, mail: Mail) -> str:
        return str(OCCASIONS[mail.notice.occasion])

    @admin.display(description=_("interrupt"))
    def gate(self, mail: Mail) -> SafeString | str:
        return record_link(Suspension, mail.notice.suspension_id, mail.notice.suspension.title)

    @admin.display(description=_("state"))
    def state(self, mail: Mail) -> str:
        return mail.state(timezone.now())

    @admin.action(description=_("Send selected mails again"), permissions=["send_again"])
    def send_again(self, request: HttpRequest, queryset: QuerySet[Mail]) -> None:
        count = mails.send_again(queryset.values_list("pk", flat=True), now=timezone.now())
        told = ngettext("%d mail will be sent again.", "%d mails will be sent again.", count) % count
        self.message_user(request, told, messages.SUCCESS if count else messages.WARNING)
