"""What a person typed, kept when the answer could not be taken."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.http import HttpRequest, QueryDict
from django.utils.translation import gettext as _

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
    labels = {
        "comment": _("Comment"),
        "question": _("Question"),
        "section": _("Section"),
        "items": _("Items"),
        "tags": _("Tags"),
        "changes": _("What should change"),
        "edited": _("Edited text"),
    }
    posted = [(label, str(request.POST.get(name, ""))) for name, label in labels.items()]
    posted += [(_label(name), str(request.POST.get(name, ""))) for name in request.POST if _is_reply(name)]
    return [Typed(label, text) for label, text in posted if text.strip()]


def _is_reply(name: str) -> bool:
    """Whether a field is one of ``replies.ReplyForm``, which has as many as there are questions."""
    return name == "value" or name.startswith("answer-")


def _label(name: str) -> str:
    number = name.removeprefix("answer-")
    return _("Answer %(number)d") % {"number": int(number) + 1} if number.isdecimal() else _("Answer")


def pack(request: HttpRequest) -> str:
    """Return the form of a request as one text, for a sign-in form to carry."""
    names = (*_NAMES, *filter(_is_reply, request.POST))
    fields = {name: request.POST[name] for name in names if request.POST.get(name)}
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
    fields.update({name: str(text) for name, text in draft["fields"].items() if name in _NAMES or _is_reply(name)})
    return fields
