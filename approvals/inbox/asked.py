"""One interrupt on a page, whatever its kind: its form, what the page shows of it, and the page's template."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Final

from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from approvals.inbox.answers import AnswerForm, shown_digest
from approvals.inbox.presenters.decision import Decision, present_decision
from approvals.inbox.presenters.question import QuestionPage, present_question
from approvals.inbox.replies import ReplyForm
from interrupts.actor import Actor
from interrupts.models import Suspension
from interrupts.vocabulary import InterruptKind

NOTHING_SENT: Final = gettext_lazy("Nothing was sent. Press one of the buttons that send an answer.")


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked. The approvals of a gate have pages of their own; every other kind has the form of its schema."""

    suspension: Suspension

    @property
    def is_approval(self) -> bool:
        return self.suspension.kind == InterruptKind.APPROVAL

    @property
    def template(self) -> str:
        return "inbox/decision.html" if self.is_approval else "inbox/question.html"

    def form(self, data: QueryDict | None) -> AnswerForm | ReplyForm:
        return AnswerForm(self.suspension, data) if self.is_approval else ReplyForm(self.suspension, data)

    def present(self, actor: Actor, now: datetime) -> Decision | QuestionPage:
        if self.is_approval:
            return present_decision(self.suspension, actor=actor, now=now)
        return present_question(self.suspension, actor=actor, now=now)

    def context(self, form: AnswerForm | ReplyForm, shown: Decision | QuestionPage, note: str) -> dict[str, Any]:
        """Return what the template needs. ``asked`` is what the heads of both pages share."""
        context = {"asked": shown, "form": form, "note": note, "shown": shown_digest(self.suspension.payload)}
        if isinstance(shown, QuestionPage):
            return {**context, "question": shown}
        # Templates look names up by attribute, where a hyphen cannot stand.
        actions = {choice.action.replace("-", "_"): choice for choice in shown.consequences}
        return {**context, "decision": shown, "actions": actions}


def outside(shown: Decision | QuestionPage, *, may_answer: bool) -> Decision | QuestionPage:
    """Return a page of the inbox for who is not in it: without ways into it."""
    shown = replace(shown, run_url="")
    if may_answer:
        return shown
    return replace(shown, cannot=_("this link only shows the question. Ask for one that may answer it."))
