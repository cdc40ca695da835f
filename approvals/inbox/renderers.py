"""Kinds of questions that have a page of their own. Every other one shows its payload and the form of its schema.

A renderer draws the same answer in a better way: it changes what the form is made from, never what an answer is judged
by. It returns None for a payload, or a schema, that it does not know how to draw; then the page is the general one.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from django.utils.translation import gettext as _

from approvals.forms import names
from approvals.forms.judging import judging
from approvals.forms.merging import document
from approvals.forms.shapes import Kind, shape_of
from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue
from interrupts.models import Suspension
from interrupts.vocabulary import InterruptKind

_MAX_ISSUES: Final = 100
_PICKED: Final = "selected_issue_ids"
_CALLED_OFF: Final = "cancelled"
# What nobody has to fill in to call it off.
_NOTHING: Final[JsonObject] = {_PICKED: [], "approved": False}
_WORDS: Final = ("description", "body", "body_markdown", "summary")


@dataclass(frozen=True, slots=True)
class Drawing:
    """How one question is drawn.

    ``text`` is Markdown to read first, ``offered`` has a title and Markdown for each thing to choose from, and ``rest``
    is what else was asked. ``schema`` is what the form is made from;
    ``details`` has more Markdown for each option of a choice, by the choice's place in the form. ``empty`` names the
    lists of the payload that are empty, not absent, when nothing in them is chosen. ``marks`` says beside an input, by
    its place, what has to be done there; ``called_off`` are the members of the payload of an answer that calls it off.
    """

    text: str
    rest: JsonObject
    schema: JsonSchema
    offered: tuple[tuple[str, str], ...]
    details: Mapping[str, tuple[str, ...]]
    marks: Mapping[str, str]
    empty: tuple[str, ...]
    called_off: JsonObject

    def complete(self, answer: JsonValue) -> JsonValue:
        """Return the answer with its empty lists, and without any choice where it calls the whole thing off."""
        payload = answer.get("payload") if isinstance(answer, dict) else None
        if not isinstance(answer, dict) or not isinstance(payload, dict):
            return answer
        fixed = self.called_off if answer.get("outcome") == _CALLED_OFF else {}
        return {**answer, "payload": {**{name: [] for name in self.empty}, **payload, **fixed}}


def drawing_of(suspension: Suspension) -> Drawing | None:
    """Return how a question is drawn in a way of its own; None for the general page."""
    if suspension.kind != InterruptKind.CUSTOM:
        return None
    data = cast("JsonObject", suspension.payload["data"])
    request, schema = data.get("payload"), suspension.payload.get("resumeSchema")
    renderer = RENDERERS.get(str(data["customKind"]))
    if renderer is None or not isinstance(request, dict) or not isinstance(schema, dict):
        return None
    return renderer(request, schema)


def issue_review(request: JsonObject, schema: JsonObject) -> Drawing | None:
    """A report to read, and the issues it proposes to tick: ``{report_markdown, proposed_issues}``."""
    report, issues = request.get("report_markdown"), _issues(request.get("proposed_issues"))
    drawn = None if issues is None else _drawn(schema, issues)
    if not isinstance(report, str) or issues is None or drawn is None:
        return None
    rest = {name: value for name, value in request.items() if name not in {"report_markdown", "proposed_issues"}}
    place = names.child(names.child(names.ROOT, "payload"), _PICKED)
    may_be_none = _takes(schema, _PICKED, [])
    return Drawing(
        text=report,
        rest=rest,
        schema=drawn,
        offered=tuple((_title(issue), _details(issue)) for issue in issues),
        details={place: tuple(map(_details, issues))},
        marks={place: _("tick any, or none")} if may_be_none else {},
        empty=(_PICKED,) if may_be_none else (),
        called_off={name: value for name, value in _NOTHING.items() if _takes(schema, name, value)},
    )


RENDERERS: Final[Mapping[str, Callable[[JsonObject, JsonObject], Drawing | None]]] = {"issue_review": issue_review}


def _issues(value: JsonValue) -> list[JsonObject] | None:
    if not isinstance(value, list) or len(value) > _MAX_ISSUES:
        return None
    issues = [issue for issue in value if isinstance(issue, dict) and isinstance(issue.get("id"), str)]
    are_known = len(issues) == len(value) and len({str(issue["id"]) for issue in issues}) == len(issues)
    return issues if are_known else None


def _drawn(schema: JsonObject, issues: list[JsonObject]) -> dict[str, Any] | None:
    """Return the schema with a choice of these issues in the place of a list of any texts."""
    members: Any = schema.get("properties", {})
    payload = members.get("payload")
    inner = payload.get("properties") if isinstance(payload, dict) else None
    if not isinstance(inner, dict) or not _takes_ids(schema, payload, inner.get(_PICKED)):
        return None
    may_be_none = _takes(schema, _PICKED, [])
    if not issues and not may_be_none:
        return None
    required = [name for name in payload.get("required", []) if name != _PICKED or not may_be_none]
    others = {name: member for name, member in inner.items() if name != _PICKED}
    if issues:
        options = [{"const": issue["id"], "title": _title(issue)} for issue in issues]
        picked = {"title": _("Issues to take up"), **inner[_PICKED]}
        inner = {**inner, _PICKED: {**picked, "uniqueItems": True, "items": {"oneOf": options}}}
    drawn = {**payload, "properties": inner if issues else others, "required": required}
    return {**schema, "properties": {**members, "payload": drawn}}


def _takes_ids(schema: JsonObject, payload: JsonObject, picked: Any) -> bool:
    if not isinstance(picked, dict):
        return False
    root = document(schema).inside(payload)
    shape = shape_of(root, picked)
    return shape.kind is Kind.ARRAY and not shape.prefix and shape_of(shape.root, shape.items).kind is Kind.TEXT


def _takes(schema: JsonObject, name: str, value: JsonValue) -> bool:
    """Tell whether a member of the payload is declared, and may have this value."""
    payload: Any = cast("JsonObject", schema["properties"])["payload"]
    member = payload["properties"].get(name)
    return member is not None and judging(schema)(document(schema).inside(payload), member, value)


def _title(issue: JsonObject) -> str:
    title = issue.get("title")
    return title if isinstance(title, str) and title.strip() else str(issue["id"])


def _details(issue: JsonObject) -> str:
    """Return what an issue says besides its title, as Markdown."""
    texts = [str(issue[name]) for name in _WORDS if isinstance(issue.get(name), str)]
    facts = [f"{name}: {value}" for name, value in issue.items() if name not in {"id", "title", *_WORDS}]
    return "\n\n".join([*texts, ", ".join(facts)]).strip()
