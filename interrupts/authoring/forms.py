"""Ready-made contracts: what is asked again and again, with its outcomes and both schemas.

A form is a dictionary of what :func:`~.documents.interrupt` takes: ``interrupt("review", **approve_or_reject())``. Each
may be given ``shows``, the schema of what is shown beside the question; without it any object may be.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict

from interrupts.authoring.plain import Faults, fault
from interrupts.authoring.schemas import Schema, json_schema
from interrupts.contracts.types import JsonObject, JsonValue

_WHAT: Final = "This form cannot be made."
_MAX_TEXT: Final = 10_000
_ANYTHING: Final[JsonObject] = {"type": "object", "additionalProperties": True}


class Form(TypedDict):
    """A contract: the kind of the question, the outcomes it may have, and the schemas of what goes out and comes in."""

    kind: str
    outcomes: list[str]
    request_schema: JsonObject
    resume_schema: JsonObject


def approve_or_reject(*, shows: Schema | None = None, reason_required: bool = False) -> Form:
    """Yes or no, and why: the outcomes ``approved`` and ``rejected``, with ``reason``.

    >>> form = approve_or_reject(reason_required=True)
    >>> form["outcomes"], form["resume_schema"]["required"]
    (['approved', 'rejected'], ['reason'])
    """
    reason = _text("Reason", at_least=1 if reason_required else 0)
    return _form(
        "approve_or_reject",
        ["approved", "rejected"],
        shows,
        {"reason": reason},
        required=["reason"] if reason_required else [],
    )


def pick_items(
    items: Sequence[str] | Mapping[str, str] | None = None,
    *,
    shows: Schema | None = None,
    at_least: int = 0,
    at_most: int | None = None,
) -> Form:
    """Some of a list: ``selected`` has their ids, and a ``comment`` may come with it.

    ``items`` are the ids to choose from, or the title by id. Without them the run brings the items: the payload must
    have ``items``, a list of objects with ``id`` and ``title``, and ``shows`` is not taken.

    >>> pick_items(["red", "blue"], at_least=1)["resume_schema"]["properties"]["selected"]["items"]
    {'type': 'string', 'enum': ['red', 'blue']}
    >>> pick_items()["request_schema"]["required"]
    ['items']
    """
    if at_least < 0 or (at_most is not None and at_most < max(at_least, 1)):
        raise fault(_WHAT, ["at_most"], "maximum", "At most must be one or more, and not less than at least.")
    if items is None and shows is not None:
        raise fault(_WHAT, ["shows"], "shows", "Items that the run brings have their schema already.")
    selected: JsonObject = {
        "type": "array",
        "title": "Selected",
        "items": _choice(items),
        "uniqueItems": True,
        "minItems": at_least,
    }
    if at_most is not None:
        selected["maxItems"] = at_most
    answer: JsonObject = {"selected": selected, "comment": _text("Comment")}
    return _form("pick_items", ["submitted"], _offered() if items is None else shows, answer, required=["selected"])


def free_text(*, title: str = "Text", shows: Schema | None = None, at_most: int = _MAX_TEXT) -> Form:
    """An answer in one's own words: ``text``, at least one character and at most ``at_most``.

    >>> free_text(title="Your answer")["resume_schema"]["properties"]["text"]["title"]
    'Your answer'
    """
    return _form("free_text", ["submitted"], shows, {"text": _text(title, at_least=1, at_most=at_most)}, ["text"])


def rating(*, lowest: int = 1, highest: int = 5, shows: Schema | None = None) -> Form:
    """A whole number from ``lowest`` to ``highest`` as ``rating``, and a ``comment`` if one likes.

    >>> rating(highest=10)["resume_schema"]["properties"]["rating"]["maximum"]
    10
    """
    if lowest >= highest:
        raise fault(_WHAT, ["highest"], "minimum", f"The highest rating must be above the lowest, {lowest}.")
    number: JsonObject = {"type": "integer", "title": "Rating", "minimum": lowest, "maximum": highest}
    return _form("rating", ["submitted"], shows, {"rating": number, "comment": _text("Comment")}, ["rating"])


def _form(kind: str, outcomes: list[str], shows: Schema | None, answer: JsonObject, required: list[str]) -> Form:
    resume_schema: JsonObject = {"type": "object", "properties": answer, "additionalProperties": False}
    if required:
        resume_schema["required"] = [*required]
    faults = Faults(_WHAT)
    with faults.at("shows"):
        request_schema = json_schema(_ANYTHING if shows is None else shows)
    faults.tell()
    return Form(
        kind=kind,
        outcomes=outcomes,
        request_schema=request_schema,
        resume_schema=json_schema(resume_schema),
    )


def _text(title: str, *, at_least: int = 0, at_most: int = _MAX_TEXT) -> JsonObject:
    least: JsonObject = {"minLength": at_least} if at_least else {}
    return {"type": "string", "title": title, **least, "maxLength": at_most}


def _choice(items: Sequence[str] | Mapping[str, str] | None) -> JsonObject:
    if items is None:
        return {"type": "string"}
    if not items or isinstance(items, str):
        raise fault(_WHAT, ["items"], "minItems", "There must be at least one item to choose, in a list or by id.")
    if isinstance(items, Mapping):
        titled: list[JsonValue] = [{"const": name, "title": title} for name, title in items.items()]
        return {"type": "string", "oneOf": titled}
    return {"type": "string", "enum": [*items]}


def _offered() -> JsonObject:
    item: JsonObject = {
        "type": "object",
        "properties": {"id": {"type": "string"}, "title": {"type": "string"}},
        "required": ["id", "title"],
    }
    return {"type": "object", "properties": {"items": {"type": "array", "items": item}}, "required": ["items"]}
