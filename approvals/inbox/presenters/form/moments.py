"""The parts of a date and time, or of a time, as they are drawn."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from approvals.forms.moments import OFFSETS, PARTS, Part, is_native, is_readable
from approvals.forms.nodes import Node

_LABELS: Final[Mapping[Part, str | Promise]] = {
    Part.DATE: gettext_lazy("Date"),
    Part.TIME: gettext_lazy("Time"),
    Part.OFFSET: gettext_lazy("Offset from UTC"),
}


@dataclass(frozen=True, slots=True)
class PartView:
    """One part: an input of the type ``look``, or a list with ``options``, each an offset and its label."""

    id: str
    label: str
    text: str
    look: str
    is_wrong: bool
    options: tuple[tuple[str, str], ...] = ()


def present_parts(node: Node, *, is_wrong: bool) -> tuple[PartView, ...]:
    """Return the parts of an input, none for one without; ``is_wrong`` says whether there is a message at it.

    The message is of the parts that cannot be read, else of all of them together. The first of these, or of all parts
    where there is no message, has the id of the whole input: a link to it leads there.
    """
    parts = [(part, text.strip()) for part, text in zip(PARTS.get(node.kind, ()), node.parts, strict=False)]
    every = [part for part, _text in parts]
    wrong = ([part for part, text in parts if not is_readable(part, text)] or every) if is_wrong else []
    return tuple(
        PartView(
            id=node.id if part is (wrong or every)[0] else f"{node.id}-{part}",
            label=str(_LABELS[part]),
            text=text,
            look=part if is_native(part, text) else "text",
            is_wrong=part in wrong,
            options=_offsets(text) if part is Part.OFFSET else (),
        )
        for part, text in parts
    )


def _offsets(chosen: str) -> tuple[tuple[str, str], ...]:
    known = OFFSETS if chosen in ("", *OFFSETS) or not is_readable(Part.OFFSET, chosen) else (chosen, *OFFSETS)
    return ("", _("UTC")), *((offset, offset) for offset in known)
