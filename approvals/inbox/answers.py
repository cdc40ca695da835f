"""The answer form: what a person typed and pressed, and the resume value that it means (interrupt.md §Approval)."""

from __future__ import annotations

import re
from typing import Any, Final, cast

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from approvals.inbox.drafts import Typed, typed_in
from approvals.inbox.presenters.artifact import to_source
from approvals.inbox.presenters.words import SCOPES
from interrupts.contracts.json_text import MalformedJson, digest, parse_json
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import ValidationFailed
from interrupts.models import Suspension
from interrupts.vocabulary import Action

# Pressed by the Enter key alone: the first submit button of the form, which does nothing.
CHECK: Final = "check"
# The form posts the text to edit with every answer, and a body may hold 1 MiB.
MAX_EDITABLE: Final = 100_000
_SEPARATORS: Final = re.compile(r"[,\n]")


class AnswerForm(forms.Form):
    """Everything the decision page posts. Only what belongs to the pressed action is judged; the rest is kept."""

    shown = forms.CharField(required=False, max_length=64)
    action = forms.CharField(required=False, max_length=20)
    comment = forms.CharField(required=False, strip=False, max_length=10_000)
    question = forms.CharField(required=False, strip=False, max_length=10_000)
    scope = forms.ChoiceField(required=False, choices=list(SCOPES.items()))
    section = forms.CharField(required=False, max_length=500)
    items = forms.CharField(required=False, strip=False, max_length=5_000)
    tags = forms.CharField(required=False, max_length=1_000)
    changes = forms.CharField(required=False, strip=False, max_length=10_000)
    edited = forms.CharField(required=False, strip=False, max_length=4 * MAX_EDITABLE)

    def __init__(self, suspension: Suspension, data: QueryDict | None = None) -> None:
        self.payload = cast("JsonObject", suspension.payload)
        self.gate = cast("JsonObject", self.payload["data"])
        self.editable = editable_text(self.gate)
        super().__init__(data, initial={"edited": self.editable})
        self.edited_value: JsonValue = None

    @property
    def pressed(self) -> str:
        return str(self.data.get("action", ""))

    @property
    def is_submitted(self) -> bool:
        return self.pressed not in ("", CHECK)

    def operate(self) -> bool:
        """This form has no buttons but those that answer."""
        return False

    @property
    def is_for_what_is_shown(self) -> bool:
        """Whether the page that was answered showed the question as it is."""
        return self.data.get("shown") == shown_digest(self.payload)

    def clean(self) -> dict[str, Any]:
        match self.pressed:
            case Action.ASK if not self._text("question").strip():
                self.add_error("question", _("Write your question."))
            case Action.REFINE:
                self._check_changes()
            case Action.EDIT_ACCEPT:
                self._read_edit()
        return self.cleaned_data

    def resume_value(self) -> JsonObject:
        """Return the answer as the protocol writes it; the form must be valid."""
        answer: JsonObject = {"action": self.pressed}
        comment = self._text("question" if self.pressed == Action.ASK else "comment")
        if comment.strip():
            answer["feedback"] = comment
        if self.pressed == Action.REFINE:
            answer["refineFeedback"] = self._refine_feedback()
        if self.pressed == Action.EDIT_ACCEPT:
            answer["editedArtifactData"] = self.edited_value
        return answer

    def refuse(self, error: ValidationFailed) -> None:
        """Take in why the answer was refused."""
        listed = error.details.get("problems")
        problems = listed if isinstance(listed, list) else []
        messages = [str(item["message"]) for item in problems if isinstance(item, dict)]
        for message in messages or [error.message]:
            self.add_error(None, message)

    def typed(self) -> list[Typed]:
        """Return what was written into the form, to be shown for copying."""
        return typed_in(cast("QueryDict", self.data))

    def _check_changes(self) -> None:
        scope = self._text("scope") or "whole"
        if scope == "section" and not self._text("section"):
            self.add_error("section", _("Name the section that should change."))
        if scope == "items" and not self._list("items"):
            self.add_error("items", _("List the items that should change."))
        if not self._text("changes").strip():
            self.add_error("changes", _("Write what should change."))

    def _read_edit(self) -> None:
        text = self._text("edited")
        if isinstance(self.gate.get("artifactData"), str):
            self.edited_value = text
            return
        try:
            self.edited_value = parse_json(text)
        except MalformedJson as error:
            text = _("This is not JSON yet (line %(line)d, column %(column)d). %(problem)s")
            place = {"line": error.line, "column": error.column, "problem": error.message}
            self.add_error("edited", text % place)

    def _refine_feedback(self) -> JsonObject:
        scope = self._text("scope") or "whole"
        feedback: JsonObject = {"scope": scope, "text": self._text("changes")}
        if scope == "section":
            feedback["sectionPath"] = self._text("section")
        if scope == "items":
            feedback["itemIds"] = cast("list[JsonValue]", self._list("items"))
        if tags := self._list("tags"):
            feedback["tags"] = cast("list[JsonValue]", tags)
        return feedback

    def _text(self, name: str) -> str:
        """Return a field's text with the line ends of the rest of the world: browsers send CR LF."""
        return str(self.cleaned_data.get(name) or "").replace("\r\n", "\n")

    def _list(self, name: str) -> list[str]:
        return [word for part in _SEPARATORS.split(self._text(name)) if (word := part.strip())]


def shown_digest(payload: JsonObject) -> str:
    """Return the digest of what a decision page shows: the whole payload of the interrupt."""
    return digest(payload)


def editable_text(gate: JsonObject) -> str | None:
    """Return the text in which the artifact is edited; None when there is none, or it is too long for a form."""
    if "artifactData" not in gate:
        return ""
    value = gate["artifactData"]
    text = value if isinstance(value, str) else to_source(value)
    return text if len(text) <= MAX_EDITABLE else None
