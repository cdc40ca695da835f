"""Who may answer as whom, and what people answered: the operator's pages below ``/admin/``."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.contrib.auth.models import Group
from django.db.models import Exists, OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from approvals.grants import ANSWER_AS
from approvals.models import ApproverRef, GateApprover, Mail, Notice, Question, Vote
from interrupts.admin.base import ReadOnlyAdmin, ReadOnlyInline, json_block, list_link, record_link
from interrupts.admin.rights import ObjectRightAdmin
from interrupts.admin.suspensions import SuspensionAdmin
from interrupts.models import Membership, Suspension
from interrupts.vocabulary import RefKind


@admin.register(ApproverRef)
class ApproverRefAdmin(ObjectRightAdmin):
    about = _("The principals, groups and roles that gates name, and who may answer as them.")
    empty = _("No gate has named anybody yet. References appear when a workflow is registered; you can add one before.")
    right = ANSWER_AS
    list_display = ("name", "tenant", "holders")
    list_filter = ("kind", "tenant")
    search_fields = ("ref",)
    ordering = ("tenant_id", "kind", "ref")
    fields = ("tenant", "kind", "ref")
    # No bulk delete: each reference is asked whether a gate names it.
    actions = None

    def get_queryset(self, request: HttpRequest) -> QuerySet[ApproverRef]:
        refs: QuerySet[ApproverRef] = super().get_queryset(request)  # type: ignore[no-untyped-call]
        person = Q(user__username=OuterRef("ref")) | Q(subject_id=OuterRef("ref"))
        return (
            refs.select_related("tenant")
            .annotate(
                is_person=Exists(Membership.objects.filter(person, tenant_id=OuterRef("tenant_id"))),
                is_group=Exists(Group.objects.filter(name=OuterRef("ref"))),
            )
            .prefetch_related("user_rights__user", "user_rights__permission")
            .prefetch_related("group_rights__group", "group_rights__permission")
        )

    def get_fields(self, request: HttpRequest, obj: ApproverRef | None = None) -> tuple[str, ...]:
        return self.fields if obj is None else (*self.fields, "holders")

    def has_delete_permission(self, request: HttpRequest, obj: ApproverRef | None = None) -> bool:
        is_named = obj is not None and obj.gates.exists()
        return not is_named and super().has_delete_permission(request, obj)

    @admin.display(description=_("reference"), ordering="ref")
    def name(self, ref: ApproverRef) -> str:
        return str(ref)

    @admin.display(description=_("who may answer"))
    def holders(self, ref: Any) -> str:
        people = [str(held.user) for held in ref.user_rights.all() if held.permission.codename == ANSWER_AS]
        groups = [held.group.name for held in ref.group_rights.all() if held.permission.codename == ANSWER_AS]
        given = sorted(people) + [gettext("the group %s") % group for group in sorted(groups)]
        return "; ".join([*_by_name(ref), *given]) or gettext("nobody yet")


def _by_name(ref: Any) -> list[str]:
    """Return who answers because of the reference's own text."""
    if ref.kind == RefKind.PRINCIPAL and ref.is_person:
        return [gettext("%s, by name") % ref.ref]
    if ref.kind == RefKind.GROUP and ref.is_group:
        return [gettext("everyone in the group %s, by name") % ref.ref]
    return []


class _PeopleNamed:
    """Rows that hold subject ids, with the names of those people read along in the same query."""

    subjects: tuple[str, ...] = ()

    def get_queryset(self, request: HttpRequest) -> QuerySet[Any]:
        rows: QuerySet[Any] = super().get_queryset(request)  # type: ignore[misc]  # mixed into admins only
        names = {f"{subject}_name": _name_of(subject) for subject in self.subjects}
        named: QuerySet[Any] = rows.annotate(**names)
        return named

    @admin.display(description=_("counts for"), ordering="voter")
    def voter_shown(self, row: Any) -> str:
        return str(row.voter_name or row.voter)

    @admin.display(description=_("answered by"), ordering="actor")
    def actor_shown(self, row: Any) -> str:
        return str(row.actor_name or row.actor)

    @admin.display(description=_("interrupt"))
    def suspension_link(self, row: Any) -> SafeString | str:
        return record_link(Suspension, row.suspension_id)

    @admin.display(description=_("answer"))
    def answer_shown(self, row: Any) -> SafeString | str:
        return json_block(row.answer)


def _name_of(subject: str) -> Subquery:
    return Subquery(Membership.objects.filter(subject_id=OuterRef(subject)).values("user__username")[:1])


@admin.register(Vote)
class VoteAdmin(_PeopleNamed, ReadOnlyAdmin):
    about = _("What people answered, by which right. Votes are cast in the inbox or by the API, never here.")
    empty = _("Nobody has answered a gate yet.")
    subjects = ("voter", "actor")
    list_display = ("voter_shown", "action", "actor_shown", "via", "override", "suspension_link", "cast_at")
    list_filter = ("override",)
    search_fields = ("suspension__id__startswith", "voter__exact", "actor__exact")
    search_help_text = _("Start of an interrupt's id (tenant/i-…), or a subject id in full")
    ordering = ("-id",)
    fields = (
        "suspension_link",
        "action",
        ("voter_shown", "voter"),
        ("actor_shown", "actor"),
        "via",
        "on_behalf_of",
        "override",
        "cast_at",
        "answer_shown",
    )


@admin.register(Question)
class QuestionAdmin(_PeopleNamed, ReadOnlyAdmin):
    about = _("What approvers asked before deciding. The gate stayed open.")
    empty = _("Nobody has asked a question yet.")
    subjects = ("actor",)
    list_display = ("actor_shown", "text", "suspension_link", "asked_at")
    search_fields = ("suspension__id__startswith", "actor__exact")
    search_help_text = _("Start of an interrupt's id (tenant/i-…), or a subject id in full")
    ordering = ("-id",)
    fields = ("suspension_link", ("actor_shown", "actor"), "text", "asked_at", "answer_shown")


class VoteInline(_PeopleNamed, ReadOnlyInline):
    model = Vote
    subjects = ("voter", "actor")
    fields = readonly_fields = ("voter_shown", "action", "actor_shown", "via", "override", "cast_at")


class QuestionInline(_PeopleNamed, ReadOnlyInline):
    model = Question
    subjects = ("actor",)
    fields = readonly_fields = ("actor_shown", "text", "asked_at")


class GateApproverInline(ReadOnlyInline):
    model = GateApprover
    verbose_name_plural = _("Whom the gate names (none: everybody with the scope approvals:respond may answer)")
    fields = readonly_fields = ("ref_link",)
    show_change_link = False

    def get_queryset(self, request: HttpRequest) -> QuerySet[GateApprover]:
        named: QuerySet[GateApprover] = super().get_queryset(request).exclude(ref=None).select_related("ref")
        return named

    @admin.display(description=_("reference"))
    def ref_link(self, named: GateApprover) -> SafeString | str:
        return record_link(ApproverRef, named.ref_id, named.ref)


class NoticeInline(ReadOnlyInline):
    model = Notice
    verbose_name_plural = _("What people are told by mail, and when")
    fields = readonly_fields = ("occasion", "due_at", "spread_at", "its_mails")
    ordering = ("due_at",)
    show_change_link = False

    @admin.display(description=_("mails"))
    def its_mails(self, notice: Notice) -> SafeString | str:
        return list_link(Mail, _("Its mails"), q=notice.suspension_id) if notice.spread_at else "-"


class GateAdmin(SuspensionAdmin):
    """The page of an interrupt, with what people answered: only this package knows votes."""

    inlines = (VoteInline, QuestionInline, GateApproverInline, NoticeInline)


admin.site.unregister(Suspension)
admin.site.register(Suspension, GateAdmin)
