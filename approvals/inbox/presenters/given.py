"""An answer that was given, read through the schema it satisfied: what each part is called, and what it says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any, Final, cast

from django.utils.translation import gettext as _

from approvals.forms.merging import Document, Unmergeable, document, merge, same
from approvals.forms.shapes import Option, shape_of
from approvals.inbox.presenters.artifact import Artifact, in_words, present_artifact
from approvals.inbox.presenters.form.words import outcomes_in_words
from approvals.inbox.presenters.text import one_line, visible
from approvals.inbox.renderers import Drawing
from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue
from interrupts.models import Suspension
from interrupts.vocabulary import InterruptKind

_ENVELOPE: Final = {"outcome", "payload"}


@dataclass(frozen=True, slots=True)
class Given:
    """One part of an answer: its label, and its text or, where it has parts of its own, all of it as a tree."""

    label: str
    text: str = ""
    tree: Artifact | None = None


def outcome_of(suspension: Suspension) -> str:
    """Return which of its outcomes a question ended with, as its button said; nothing where it has none."""
    answer = _answer(suspension)
    if not _is_enveloped(suspension, answer):
        return ""
    chosen = str(cast("JsonObject", answer)["outcome"])
    outcomes = [str(outcome) for outcome in (suspension.contract or {}).get("outcomes", [])]
    labels = dict(zip(outcomes, outcomes_in_words([Option(outcome) for outcome in outcomes]), strict=True))
    return labels.get(chosen) or one_line(chosen)


def did_with(did: str, outcome: str) -> str:
    """Return what somebody did and, where it chose one, with which outcome."""
    return _("%(did)s with “%(outcome)s”") % {"did": did, "outcome": outcome} if outcome else did


def present_given(suspension: Suspension, drawing: Drawing | None) -> tuple[Given, ...]:
    """Return the parts of an answer, in the order of its schema; an answer without parts is one without a label."""
    answer = _answer(suspension)
    if answer is None:
        return ()
    if suspension.kind == InterruptKind.CLARIFICATION:
        return tuple(_answers(suspension, cast("JsonObject", answer)))
    schema: JsonSchema = drawing.schema if drawing else cast("JsonSchema", suspension.resume_schema or {})
    root, value = document(schema), cast("JsonValue", answer)
    if _is_enveloped(suspension, answer):
        value = cast("JsonObject", answer)["payload"]
        root, schema = _member(root, schema, "payload")
    return tuple(_parts(root, schema, value))


def _answer(suspension: Suspension) -> JsonValue:
    return cast("JsonObject", suspension.resolution or {}).get("resumeValue")


def _is_enveloped(suspension: Suspension, answer: JsonValue) -> bool:
    is_promised = (suspension.contract or {}).get("enveloped") is True
    return is_promised and isinstance(answer, dict) and set(answer) == _ENVELOPE


def _answers(suspension: Suspension, answer: JsonObject) -> Iterator[Given]:
    found = cast("JsonObject", answer.get("answers", {}))
    for asked in cast("list[JsonObject]", suspension.payload["data"]["questions"]):
        if str(asked["id"]) in found:
            schema = cast("JsonSchema", asked.get("schema") or {})
            yield _given(one_line(str(asked["question"])), document(schema), schema, found[str(asked["id"])])


def _parts(root: Document, schema: JsonSchema, value: JsonValue) -> Iterator[Given]:
    if not isinstance(value, dict):
        yield _given("", root, schema, value)
        return
    declared: Any = _merged(root, schema).get("properties", {})
    for name in [*(name for name in declared if name in value), *(name for name in value if name not in declared)]:
        inner_root, inner = _member(root, schema, name)
        title = _merged(inner_root, inner).get("title")
        label = title if isinstance(title, str) and title.strip() else name
        yield _given(one_line(label), inner_root, inner, value[name])


def _given(label: str, root: Document, schema: JsonSchema, value: JsonValue) -> Given:
    """Show texts and lists of texts by the titles that the schema gives them; only what is deeper is a tree."""
    if isinstance(value, list) and value and not any(isinstance(item, dict | list) for item in value):
        shape = shape_of(root, schema)
        options = shape.options or shape_of(shape.root, shape.items).options
        return Given(label, "\n".join(_titled(options, item) for item in value))
    if isinstance(value, dict | list) and value:
        return Given(label, tree=present_artifact({"artifactType": "", "artifactData": value}))
    return Given(label, _titled(shape_of(root, schema).options, value))


def _titled(options: Iterable[Option], value: JsonValue) -> str:
    titles = (option.title for option in options if option.title and same(option.value, value))
    return visible(next(titles, in_words(value)))


def _member(root: Document, schema: JsonSchema, name: str) -> tuple[Document, JsonSchema]:
    if isinstance(schema, dict):
        root = root.inside(schema)
    declared: Any = _merged(root, schema).get("properties", {})
    return root, declared.get(name, {})


def _merged(root: Document, schema: JsonSchema) -> dict[str, Any]:
    try:
        return merge(root, schema).schema
    except Unmergeable:
        return {}
