"""What a person typed, kept when the answer could not be taken."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

from approvals.forms.names import Field, in_words, is_field
from approvals.inbox.presenters.text import one_line
from interrupts.contracts.json_text import MalformedJson, parse_json

_SESSION_KEY: Final = "draft"
_MAX_CHARACTERS: Final = 200_000
_NAMES: Final = ("comment", "question", "scope", "section", "items", "tags", "changes", "edited", "shown")


@dataclass(frozen=True, slots=True)
class Typed:
    """One text that a person wrote into a form."""

    label: str
    text: str


def typed(request: HttpRequest) -> list[Typed]:
    """Return what was written into the form of a request, to be shown for copying."""
    return typed_in(request.POST)


def typed_in(posted: QueryDict) -> list[Typed]:
    """Return what was written into a form, to be shown for copying."""
    labels = {
        "comment": _("Comment"),
        "question": _("Question"),
        "section": _("Section"),
        "items": _("Items"),
        "tags": _("Tags"),
        "changes": _("What should change"),
        "edited": _("Edited text"),
    }
    texts = [(label, str(posted.get(name, ""))) for name, label in labels.items()]
    texts += [(_label(name), text) for name in posted if _is_typed(name) for text in posted.getlist(name)]
    return [Typed(label, text) for label, text in texts if text.strip()]


def _is_typed(name: str) -> bool:
    """Whether a field is one that is written into, of a form made from a schema."""
    return is_field(name) and name[0] in (Field.TEXT, Field.JSON, Field.KEY)


def _label(name: str) -> str:
    return one_line(in_words(name)) or _("Answer")


def pack(request: HttpRequest) -> str:
    """Return the form of a request as one text, for a sign-in form to carry."""
    names = (*_NAMES, *filter(is_field, request.POST))
    fields = {name: request.POST.getlist(name) for name in names if any(request.POST.getlist(name))}
    return json.dumps({"path": request.path, "fields": fields})


def keep(request: HttpRequest, packed: str) -> None:
    """Remember a packed form in the session of a person who has just signed in. What is not one of ours is ignored."""
    if not packed or len(packed) > _MAX_CHARACTERS:
        return
    try:
        draft = parse_json(packed)
    except MalformedJson:
        return
    if isinstance(draft, dict) and isinstance(draft.get("fields"), dict):
        request.session[_SESSION_KEY] = draft


def take(request: HttpRequest) -> QueryDict | None:
    """Return the form that was kept for this page, and forget it."""
    draft = request.session.get(_SESSION_KEY)
    if not isinstance(draft, Mapping) or draft.get("path") != request.path:
        return None
    del request.session[_SESSION_KEY]
    fields = QueryDict(mutable=True)
    for name, texts in draft["fields"].items():
        if (name in _NAMES or is_field(name)) and isinstance(texts, list):
            fields.setlist(name, [str(text) for text in texts])
    return fields
