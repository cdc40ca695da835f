"""The protocol's words in the words of people. Every state has a word of its own, and a tone for its colour."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, cast

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from approvals.eligibility import OPEN_GATE
from approvals.inbox.presenters.text import one_line
from interrupts.contracts.types import JsonObject
from interrupts.models import Suspension
from interrupts.vocabulary import (
    ANSWERED_BY,
    LINK_SUBJECT,
    TIMEOUT_ACTION,
    Action,
    Decision,
    InterruptKind,
    RefKind,
    RunStatus,
    SuspensionOutcome,
)

Words = str | Promise

# The order in which they are offered: never a rejection where the page before had an approval.
ACTIONS: Final[Mapping[Action, Words]] = {
    Action.ACCEPT: gettext_lazy("Approve"),
    Action.EDIT_ACCEPT: gettext_lazy("Approve with changes"),
    Action.REFINE: gettext_lazy("Ask for changes"),
    Action.ASK: gettext_lazy("Ask a question"),
    Action.REJECT: gettext_lazy("Reject"),
}
_DONE: Final[Mapping[str, Words]] = {
    Action.ACCEPT: gettext_lazy("approved"),
    Action.EDIT_ACCEPT: gettext_lazy("approved with changes"),
    Action.REFINE: gettext_lazy("asked for changes"),
    Action.ASK: gettext_lazy("asked a question"),
    Action.REJECT: gettext_lazy("rejected"),
    # Every other kind of interrupt has no actions.
    "": gettext_lazy("answered"),
}
_KINDS: Final[Mapping[str, Words]] = {
    InterruptKind.APPROVAL: gettext_lazy("Approval"),
    InterruptKind.CLARIFICATION: gettext_lazy("Question"),
    InterruptKind.EXTERNAL_EVENT: gettext_lazy("Outside event"),
    InterruptKind.CUSTOM: gettext_lazy("Request"),
    InterruptKind.CONVERSATION_START: gettext_lazy("Start of a conversation"),
    InterruptKind.CONVERSATION_EXCHANGE: gettext_lazy("Conversation"),
    InterruptKind.CONVERSATION_CLOSE: gettext_lazy("End of a conversation"),
    InterruptKind.LOW_CONFIDENCE: gettext_lazy("Unsure decision"),
    InterruptKind.CREDENTIAL: gettext_lazy("Account to connect"),
}
_STATUS: Final[Mapping[str, Words]] = {
    RunStatus.PENDING: gettext_lazy("Not started"),
    RunStatus.RUNNING: gettext_lazy("Running"),
    RunStatus.PAUSED: gettext_lazy("Paused"),
    RunStatus.WAITING_APPROVAL: gettext_lazy("Waiting for an approval"),
    RunStatus.WAITING_INPUT: gettext_lazy("Waiting for an answer"),
    RunStatus.WAITING_EXTERNAL: gettext_lazy("Waiting for an outside event"),
    RunStatus.COMPLETED: gettext_lazy("Completed"),
    RunStatus.FAILED: gettext_lazy("Failed"),
    RunStatus.CANCELLING: gettext_lazy("Being cancelled"),
    RunStatus.CANCELLED: gettext_lazy("Cancelled"),
}
_STATUS_TONES: Final[Mapping[str, str]] = {
    RunStatus.COMPLETED: "good",
    RunStatus.FAILED: "bad",
    RunStatus.CANCELLED: "off",
}
# interrupt.md §Approval, ``refineFeedback.scope``.
SCOPES: Final[Mapping[str, Words]] = {
    "whole": gettext_lazy("All of it"),
    "section": gettext_lazy("One section"),
    "items": gettext_lazy("Some items"),
}


@dataclass(frozen=True, slots=True)
class State:
    """A word for how something stands, and the tone of its colour: good, bad, warn, off, other or open."""

    word: str
    tone: str


def done(action: str) -> str:
    """Return what somebody did, as in "Ann approved with changes"."""
    return str(_DONE.get(action, action))


def kind(name: str) -> str:
    return str(_KINDS[name])


def approvals_of(count: int, needed: int) -> str:
    text = ngettext("%(count)d of %(needed)d approval", "%(count)d of %(needed)d approvals", needed)
    return text % {"count": count, "needed": needed}


def rejections_of(count: int, needed: int) -> str:
    text = ngettext("%(count)d of %(needed)d rejection", "%(count)d of %(needed)d rejections", needed)
    return text % {"count": count, "needed": needed}


def run_state(status: str) -> State:
    return State(str(_STATUS.get(status, status)), _STATUS_TONES.get(status, "open"))


def ending(suspension: Suspension) -> State:
    """Return how an interrupt ended. What was sent back for changes was not granted, whatever the record calls it."""
    resolution = cast("JsonObject", suspension.resolution or {})
    if suspension.outcome == SuspensionOutcome.RESOLVED and suspension.kind != InterruptKind.APPROVAL:
        return State(_("Answered"), "good")
    match suspension.outcome, resolution.get("decision"), resolution.get("action"):
        case SuspensionOutcome.TIMED_OUT, _decision, _action:
            return State(_("Timed out"), "warn")
        case SuspensionOutcome.CANCELLED, _decision, _action:
            return State(_("Cancelled"), "off")
        case _outcome, Decision.REJECTED, _action:
            return State(_("Rejected"), "bad")
        case _outcome, _decision, Action.REFINE:
            return State(_("Changes asked for"), "warn")
        case _outcome, Decision.OVERRIDDEN, _action:
            return State(_("Overridden"), "other")
        case _:
            return State(_("Granted"), "good")


def ref_words(kind: str, ref: str, names: Mapping[str, str]) -> str:
    """Return a reference in words: "role release-manager", "group finance", or the name of a person."""
    shown = one_line(ref)
    match kind:
        case RefKind.ROLE:
            return _("role %(name)s") % {"name": shown}
        case RefKind.GROUP:
            return _("group %(name)s") % {"name": shown}
        case _:
            return names.get(ref, shown)


def right_words(via: str, on_behalf_of: str, names: Mapping[str, str]) -> str:
    """Return by which right somebody answers, beyond being themselves: "as role …", "for …", or nothing."""
    if on_behalf_of:
        return _("for %(name)s") % {"name": names.get(on_behalf_of, one_line(on_behalf_of))}
    kind, _colon, ref = via.partition(":")
    if via == OPEN_GATE or kind not in (RefKind.ROLE, RefKind.GROUP):
        return ""
    return _("as %(reference)s") % {"reference": ref_words(kind, ref, names)}


def decider_of(resolution: object) -> str:
    """Return the subject id of whom an answer decided by, or nothing.

    An answer by a signed link is recorded without a Subject (wire contract §25 row 9); who gave it stands in its vote,
    or, of what takes no votes, in a member of our own.
    """
    record = cast("JsonObject", resolution) if isinstance(resolution, dict) else {}
    named = subject_of(record.get("resolvedBy") or record.get(ANSWERED_BY))
    votes = record.get("x-votes")
    if named or record.get("action") == TIMEOUT_ACTION or not isinstance(votes, list) or not votes:
        return named
    deciding = cast("JsonObject", votes[-1])
    return str(deciding.get("actor", ""))


def person(subject_id: str, names: Mapping[str, str]) -> str:
    """Return what somebody is called; the holder of a link that names nobody has no name."""
    if subject_id.startswith(LINK_SUBJECT):
        return _("Somebody with a link")
    return names.get(subject_id) or one_line(subject_id)


def subject_of(owner: object) -> str:
    """Return the subject id in an owner or Subject record, or nothing."""
    record = cast("JsonObject", owner) if isinstance(owner, dict) else {}
    subject = record.get("subject", record)
    found = subject.get("subjectId") if isinstance(subject, dict) else None
    return found if isinstance(found, str) else ""
