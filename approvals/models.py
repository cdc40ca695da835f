"""Whom gates name, and what people answered."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import ClassVar

from django.contrib.contenttypes.fields import GenericRelation
from django.db import models
from django.db.models import Q

from interrupts.models import Membership, Suspension, Tenant
from interrupts.models.fields import JsonText
from interrupts.vocabulary import Action, RefKind


class ApproverRef(models.Model):
    """A principal, group or role that gates may name: opaque text, surfaced unchanged.

    People come to it by being that principal, by a Django group of that name, or by the object permission
    ``answer_as`` given to them or to one of their groups.
    """

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="approver_refs")
    kind = models.CharField(max_length=16, choices=[(str(k), str(k)) for k in RefKind])
    ref = models.CharField(max_length=256)
    # guardian's rows: read along in lists, and gone when the reference goes.
    user_rights = GenericRelation("guardian.UserObjectPermission", object_id_field="object_pk")
    group_rights = GenericRelation("guardian.GroupObjectPermission", object_id_field="object_pk")

    class Meta:
        verbose_name = "approver reference"
        permissions: ClassVar = [("answer_as", "May answer gates that name this reference")]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["tenant", "kind", "ref"], name="approverref_once"),
            models.CheckConstraint(name="approverref_kind_known", condition=Q(kind__in=[str(k) for k in RefKind])),
        ]

    def __str__(self) -> str:
        return f"{self.kind}:{self.ref}"


class GateApprover(models.Model):
    """A gate names a reference. One that names nobody has one row without a reference.

    Such a gate, and every interrupt of another kind, is open to every holder of ``approvals:respond``. The row lets the
    inbox find it by an index: that a row is missing could only be found out by looking at every open gate (100,000 of
    them: 250 ms instead of 1 ms).
    """

    suspension = models.ForeignKey(Suspension, on_delete=models.PROTECT, related_name="gate_approvers")
    ref = models.ForeignKey(ApproverRef, on_delete=models.PROTECT, related_name="gates", null=True)

    class Meta:
        permissions: ClassVar = [("link_for_others", "May make signed links for the people whom gates name")]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["suspension", "ref"], name="gateapprover_once"),
        ]

    def __str__(self) -> str:
        return f"{self.ref or 'anyone'} at {self.suspension_id}"


class Vote(models.Model):
    """One person's say at one gate, with the right it was given by. Written by ``approvals.votes`` alone."""

    suspension = models.ForeignKey(Suspension, on_delete=models.PROTECT, related_name="votes")
    voter = models.CharField(max_length=256, help_text="Subject id of the person the vote counts for.")
    actor = models.CharField(max_length=256, help_text="Subject id of the person who answered.")
    action = models.CharField(max_length=16)
    answer = JsonText(help_text="The resume value as it was given.")
    via = models.CharField(max_length=300, help_text="The reference that let the actor in; 'anyone' at an open gate.")
    on_behalf_of = models.CharField(max_length=256, blank=True)
    override = models.BooleanField(default=False)
    cast_at = models.DateTimeField()

    class Meta:
        constraints: ClassVar = [
            # Two answers of one person at once, or a person and their stand-in: the quorum counts them once.
            models.UniqueConstraint(fields=["suspension", "voter"], name="vote_once_per_voter"),
            # One person who may also answer for an absent colleague must not fill two seats of a quorum.
            models.UniqueConstraint(fields=["suspension", "actor"], name="vote_once_per_actor"),
            models.CheckConstraint(
                name="vote_action_known",
                condition=Q(action__in=[str(a) for a in Action if a is not Action.ASK]),
            ),
        ]
        indexes: ClassVar = [
            # approvals.selectors.ended_for: what somebody answered, or what was answered for them.
            models.Index(fields=["actor"], name="vote_by_actor"),
            models.Index(fields=["voter"], name="vote_by_voter"),
        ]

    def __str__(self) -> str:
        return f"{self.action} by {self.actor}"


class Question(models.Model):
    """Something an approver asked before deciding; the gate stays open (interrupt.md §Approval, ``ask``)."""

    suspension = models.ForeignKey(Suspension, on_delete=models.PROTECT, related_name="questions")
    actor = models.CharField(max_length=256)
    text = models.TextField(blank=True)
    answer = JsonText(help_text="The resume value as it was given.")
    asked_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"Question by {self.actor}"


class Occasion(StrEnum):
    """What people are told of a gate."""

    ASKED = "asked"
    REMINDER = "reminder"
    TIMED_OUT = "timed-out"


class MailOutcome(StrEnum):
    """How a mail ended; one that is still to be sent has none."""

    SENT = "sent"
    DEAD = "dead"
    DROPPED = "dropped"


class Notice(models.Model):
    """People are to be told of a gate, at a time. Written by ``approvals.notices`` alone, as the gate opens.

    Whom to tell is found out when it is due, and becomes one ``Mail`` a person.
    """

    suspension = models.ForeignKey(Suspension, on_delete=models.PROTECT, related_name="notices")
    occasion = models.CharField(max_length=16)
    due_at = models.DateTimeField()
    spread_at = models.DateTimeField(null=True, help_text="When it became mails, or turned out to be needed no more.")

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["suspension", "occasion"], name="notice_once_per_occasion"),
            models.CheckConstraint(name="notice_occasion_known", condition=Q(occasion__in=[str(o) for o in Occasion])),
        ]
        indexes: ClassVar = [
            # approvals.notices.spread_next: what is due longest.
            models.Index(fields=["due_at"], condition=Q(spread_at__isnull=True), name="notice_due"),
            # approvals.notices.purge: those past their retention.
            models.Index(fields=["spread_at"], condition=Q(spread_at__isnull=False), name="notice_age"),
        ]

    def __str__(self) -> str:
        return f"{self.occasion} at {self.suspension_id}"


class Mail(models.Model):
    """One notice for one person, to be sent at least once. Written by ``approvals.mails`` alone.

    Neither the text nor the link is kept: both are made for each attempt.
    """

    notice = models.ForeignKey(Notice, on_delete=models.CASCADE, related_name="mails")
    membership = models.ForeignKey(Membership, on_delete=models.PROTECT, related_name="mails")
    attempts_made = models.IntegerField(default=0)
    attempts_before = models.IntegerField(default=0, help_text="Attempts made before it was last sent again by hand.")
    due_at = models.DateTimeField()
    leased_until = models.DateTimeField(null=True, help_text="An attempt is under way until then, or its worker died.")
    outcome = models.CharField(max_length=16, null=True)  # noqa: DJ001 - NULL is "still to be sent"
    last_error = models.TextField(blank=True)
    created_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)

    class Meta:
        constraints: ClassVar = [
            # Two workers that spread one notice at once: nobody is written to twice.
            models.UniqueConstraint(fields=["notice", "membership"], name="mail_once_per_person"),
            models.CheckConstraint(
                name="mail_ended_iff_outcome",
                condition=Q(outcome__isnull=True, ended_at__isnull=True)
                # NULL is in no list and outside none: without its own condition it would pass.
                | Q(
                    outcome__isnull=False,
                    outcome__in=[str(o) for o in MailOutcome],
                    ended_at__isnull=False,
                    leased_until__isnull=True,
                ),
            ),
        ]
        indexes: ClassVar = [
            # approvals.mails.claim: what is to be sent, oldest first.
            models.Index(fields=["due_at", "id"], condition=Q(outcome__isnull=True), name="mail_due"),
        ]

    def __str__(self) -> str:
        return f"mail {self.pk}"

    def state(self, now: datetime) -> str:
        """Return ``under way``, ``waiting``, or how it ended."""
        if self.outcome is not None:
            return self.outcome
        return "under way" if self.leased_until is not None and self.leased_until > now else "waiting"


class MailAttempt(models.Model):
    """One try at a mail, recorded before it starts: without an end its worker died or is still at it."""

    mail = models.ForeignKey(Mail, on_delete=models.CASCADE, related_name="attempts")
    number = models.IntegerField()
    started_at = models.DateTimeField()
    ended_at = models.DateTimeField(null=True)
    error = models.TextField(blank=True)

    class Meta:
        constraints: ClassVar = [
            # Two workers that took one mail at once: the later one fails instead of sending under the same number.
            models.UniqueConstraint(fields=["mail", "number"], name="mail_attempt_number_once"),
        ]

    def __str__(self) -> str:
        return f"attempt {self.number}"
