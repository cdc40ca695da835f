"""The form for every kind of interrupt but an approval: one field a question, or the answer as JSON."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from approvals.inbox.answers import shown_digest
from approvals.inbox.presenters.text import one_line, visible
from interrupts.contracts.json_text import MalformedJson, parse_json
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.models import Suspension
from interrupts.vocabulary import InterruptKind

SEND: Final = "send"
RAW: Final = "value"
MAX_CHARACTERS: Final = 400_000
# A longer list of choices is quicker typed than scrolled through.
_MAX_CHOICES: Final = 100
_COMPOSING: Final = ("const", "enum", "$ref", "$dynamicRef", "allOf", "anyOf", "oneOf", "not", "if")


@dataclass(frozen=True, slots=True)
class Question:
    """One question and how its answer is written: ``text``, ``choice`` or ``json``.

    ``choices`` are the values to choose from, ``schema`` is the JSON Schema of a JSON answer as a text.
    """

    field: str
    id: str
    words: str
    look: str
    choices: tuple[JsonValue, ...] = ()
    schema: str = ""


class ReplyForm(forms.Form):
    """What the page of a question posts. Every question needs an answer; the empty text counts as none."""

    def __init__(self, suspension: Suspension, data: QueryDict | None = None) -> None:
        self.payload = cast("JsonObject", suspension.payload)
        self.questions = _questions(suspension)
        self.values: dict[str, JsonValue] = {}
        super().__init__(data)
        for question in self.questions:
            self.fields[question.field] = _field(question)

    @property
    def pressed(self) -> str:
        return str(self.data.get("action", ""))

    @property
    def is_for_what_is_shown(self) -> bool:
        """Whether the page that was answered showed the question as it is."""
        return self.data.get("shown") == shown_digest(self.payload)

    @property
    def entries(self) -> list[tuple[Question, Any]]:
        """Each question with its bound field, for the template."""
        return [(question, self[question.field]) for question in self.questions]

    def clean(self) -> dict[str, Any]:
        for question in self.questions:
            text = str(self.cleaned_data.get(question.field) or "").replace("\r\n", "\n")
            if text.strip():
                self._read(question, text)
            elif not self.has_error(question.field):
                self.add_error(question.field, _("Write an answer."))
        return self.cleaned_data

    def resume_value(self) -> JsonValue:
        """Return the answer as the protocol writes it; the form must be valid."""
        if self.questions[0].field == RAW:
            return self.values[RAW]
        return {"answers": {question.id: self.values[question.field] for question in self.questions}}

    def _read(self, question: Question, text: str) -> None:
        try:
            self.values[question.field] = _decode(question, text)
        except MalformedJson as error:
            said = _("This is not JSON yet (line %(line)d, column %(column)d). %(problem)s")
            place = {"line": error.line, "column": error.column, "problem": error.message}
            self.add_error(question.field, said % place)


def _questions(suspension: Suspension) -> list[Question]:
    payload = cast("JsonObject", suspension.payload)
    data = cast("JsonObject", payload["data"])
    if suspension.kind == InterruptKind.CLARIFICATION:
        asked = cast("list[JsonObject]", data["questions"])
        return [_question(f"answer-{index}", question) for index, question in enumerate(asked)]
    schema = data.get("outcomeSchema", payload.get("resumeSchema"))
    return [Question(RAW, RAW, _("Your answer, as JSON"), "json", schema=_source(schema))]


def _question(field: str, asked: JsonObject) -> Question:
    question_id, words = cast("str", asked["id"]), visible(cast("str", asked["question"]))
    schema = cast("JsonObject", asked.get("schema", {}))
    choices = _choices(schema)
    if choices:
        return Question(field, question_id, words, "choice", choices=tuple(choices))
    if schema.get("type", "string") == "string" and not _is_composed(schema):
        return Question(field, question_id, words, "text")
    return Question(field, question_id, words, "json", schema=_source(schema))


def _choices(schema: JsonObject) -> Sequence[JsonValue]:
    options = schema.get("enum")
    if isinstance(options, list) and 0 < len(options) <= _MAX_CHOICES:
        return options
    return (True, False) if schema.get("type") == "boolean" else ()


def _is_composed(schema: JsonObject) -> bool:
    """Whether more than its own type says what fits: then a person must be able to write any JSON."""
    return any(name in schema for name in _COMPOSING)


def _field(question: Question) -> forms.Field:
    if question.look == "choice":
        labels = [(str(index), _label(value)) for index, value in enumerate(question.choices)]
        return forms.ChoiceField(required=False, choices=labels, label=one_line(question.words))
    return forms.CharField(required=False, strip=False, max_length=MAX_CHARACTERS, label=one_line(question.words))


def _label(value: JsonValue) -> str:
    if isinstance(value, bool):
        return _("Yes") if value else _("No")
    return one_line(value if isinstance(value, str) and value.strip() else json.dumps(value, ensure_ascii=False))


def _decode(question: Question, text: str) -> JsonValue:
    if question.look == "choice":
        return question.choices[int(text)]
    return text if question.look == "text" else parse_json(text)


def _source(schema: JsonValue) -> str:
    return "" if schema in (None, {}) else visible(json.dumps(schema, ensure_ascii=False, indent=2))
