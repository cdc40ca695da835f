"""From a planned form to what its templates draw, one view an input."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from django.utils.translation import gettext as _

from approvals.forms import names
from approvals.forms.labels import branch_labels, label_of, option_labels
from approvals.forms.names import Field
from approvals.forms.nodes import Node, Presence
from approvals.forms.scalars import is_date
from approvals.forms.shapes import Kind
from approvals.forms.sheet import Sheet
from approvals.inbox.presenters.artifact import Artifact, present_text
from approvals.inbox.presenters.form import words
from approvals.inbox.presenters.form.moments import PartView, present_parts
from approvals.inbox.presenters.text import visible
from interrupts import conf
from interrupts.contracts.types import JsonSchema

MAX_RADIOS: Final = 7
MAX_BRANCH_RADIOS: Final = 5
# A longer list of options has an input that narrows it.
MAX_UNFILTERED: Final = 200
_LONG_HELP: Final = 2_000

_TEMPLATES: Final = {
    Kind.TEXT: "input",
    Kind.NUMBER: "input",
    Kind.DATE: "input",
    Kind.TIME: "input",
    Kind.DATE_TIME: "input",
    Kind.TEXTAREA: "textarea",
    Kind.FILE: "file",
    Kind.RAW: "textarea",
    Kind.CHOICE: "choice",
    Kind.YES_NO: "choice",
    Kind.CONSENT: "tick",
    Kind.MULTICHOICE: "ticks",
    Kind.OBJECT: "object",
    Kind.MAP: "object",
    Kind.GROUP: "object",
    Kind.ARRAY: "array",
    Kind.BRANCH: "branch",
    Kind.LATER: "later",
}


@dataclass(frozen=True, slots=True)
class Choice:
    """One thing to choose or to tick: what is posted, its words, whether it is chosen, and what to read below it."""

    value: str
    label: str
    is_on: bool
    detail: Artifact | None = None


@dataclass(frozen=True, slots=True)
class Button:
    """A button that changes the form and sends nothing on. ``name`` is its whole name for who does not see it."""

    op: str
    label: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class Row:
    """What makes a view a row of its holder: the hidden key, the input for a name, and the buttons."""

    field: str
    key: str
    buttons: tuple[Button, ...]
    name_field: str = ""
    name_text: str = ""


@dataclass(frozen=True, slots=True)
class View:
    """One input or group as it is drawn. ``described_by`` names only ids that the template draws."""

    template: str
    id: str
    at: str
    name: str
    label: str
    mark: str = ""
    help: str = ""
    hints: tuple[str, ...] = ()
    error: str = ""
    text: str = ""
    look: str = ""
    lines: int = 3
    limit: int = 0
    options: tuple[Choice, ...] = ()
    parts: tuple[PartView, ...] = ()
    children: tuple[View, ...] = ()
    controls: tuple[Choice, ...] = ()
    presence: str = ""
    buttons: tuple[Button, ...] = ()
    row: Row | None = None
    source: str = ""
    is_bare: bool = False
    has_focus: bool = False

    @property
    def described_by(self) -> str:
        parts = [("help", self.help), ("hint", self.hints), ("error", self.error)]
        return " ".join(f"{self.id}-{name}" for name, text in parts if text)


@dataclass(frozen=True, slots=True)
class Look:
    """How a form is drawn: the messages by the inputs' ids, and places with a part of their own in the page.

    ``apart`` is drawn elsewhere, ``main`` is drawn without a frame. ``details`` has Markdown
    for each option of a choice, and ``marks`` what stands beside a label instead of "required", by their places.
    """

    messages: Mapping[str, str]
    apart: str = ""
    main: str = names.ROOT
    details: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    marks: Mapping[str, str] = field(default_factory=dict)


def present_sheet(sheet: Sheet, look: Look) -> tuple[View, ...]:
    presenter = _Presenter(look, sheet.focus)
    return tuple(map(presenter.view, sheet.trees))


@dataclass(frozen=True, slots=True)
class _Presenter:
    look: Look
    focus: str

    def view(self, node: Node, row: Row | None = None, *, branch: str = "") -> View:
        """Draw an input; ``row`` makes it a row of its holder, ``branch`` is what it was called when it was chosen."""
        is_main = node.at == self.look.main
        help_text = node.notes.get("description")
        options = self._detailed(node, _options(node))
        return View(
            template=f"forms/{_template(node, options)}.html",
            id=node.id,
            at=node.at,
            name=names.name_of(_field_of(node.kind), node.at),
            label=branch or _label(node),
            mark="" if branch else self._mark(node),
            help=visible(help_text)[:_LONG_HELP] if isinstance(help_text, str) else "",
            hints=tuple(words.hints(node)),
            error=self.look.messages.get(node.id, ""),
            text=_text(node),
            look=_look(node),
            lines=10 if node.kind is Kind.RAW and is_main else 3,
            limit=conf.limits().max_body_bytes if node.kind is Kind.FILE else 0,
            options=options,
            parts=present_parts(node, is_wrong=node.id in self.look.messages),
            children=self._children(node, options),
            controls=self._controls(node),
            presence=names.name_of(Field.PRESENCE, node.at),
            buttons=tuple(self._buttons(node)),
            row=row,
            source=_source(node.schema) if node.kind is Kind.RAW else "",
            is_bare=(self._is_whole(node) or branch != "") and node.kind in {Kind.OBJECT, Kind.MAP},
            has_focus=node.at == self.focus and node.kind is not Kind.GROUP,
        )

    def _children(self, node: Node, options: tuple[Choice, ...]) -> tuple[View, ...]:
        if node.kind is Kind.BRANCH:
            chosen = next((option.label for option in options if option.is_on), "")
            return tuple(self.view(child, branch=chosen) for child in node.children)
        rows = [child for child in node.children if child.row_key]
        places = {child.id: number for number, child in enumerate(rows)}
        return tuple(
            self.view(child, _row(node, child, places[child.id], len(rows)) if child.row_key else None)
            for child in node.children
            if child.at != self.look.apart
        )

    def _detailed(self, node: Node, options: tuple[Choice, ...]) -> tuple[Choice, ...]:
        texts = self.look.details.get(node.at, ())
        if len(texts) != len(options):
            return options
        return tuple(
            replace(option, detail=present_text(text)) if text else option
            for option, text in zip(options, texts, strict=True)
        )

    def _is_whole(self, node: Node) -> bool:
        return node.at in {names.ROOT, self.look.main}

    def _mark(self, node: Node) -> str:
        if node.kind is Kind.GROUP or node.row_key or self._is_whole(node):
            return ""
        return self.look.marks.get(node.at) or (_("required") if node.required else _("optional"))

    def _controls(self, node: Node) -> tuple[Choice, ...]:
        """A box for what is empty is drawn where it is the only input, or where something was missing."""
        if node.kind is Kind.CONST:
            return ()  # Its own box says it.
        has_error = node.id in self.look.messages
        shown = [
            presence
            for presence in Presence
            if presence in node.controls
            and (presence == Presence.NULL or has_error or node.presence or _says_more(node))
        ]
        return tuple(Choice(presence, _control_label(node, presence), node.presence == presence) for presence in shown)

    def _buttons(self, node: Node) -> list[Button]:
        label = words.in_words(label_of(node))
        found = []
        if node.kind in {Kind.ARRAY, Kind.MAP, Kind.OBJECT} and _has_rows(node) and not node.is_full:
            found.append(Button(f"add:{node.at}", _("Add a line"), _("Add a line to %(name)s") % {"name": label}))
        if node.kind is Kind.LATER:
            found.append(Button(f"add:{node.at}", _("Add"), _("Add %(name)s") % {"name": label}))
        if node.kind is Kind.BRANCH:
            found.append(Button(f"pick:{node.at}", _("Use this"), _("Use this for %(name)s") % {"name": label}))
        if node.kind is Kind.RAW and node.shape.kind is not Kind.RAW:
            found.append(Button(f"form:{node.at}", _("Use the form"), ""))
        return found


def _label(node: Node) -> str:
    return words.in_words(label_of(node)) if node.condition is None else words.condition_in_words(node.condition)


def _template(node: Node, options: tuple[Choice, ...]) -> str:
    if node.is_read_only:
        return "shown"
    if node.kind is Kind.CONST:
        return "shown" if node.required else "tick"
    if node.parts:
        return "moment"
    if node.kind is Kind.CHOICE and len(options) > MAX_RADIOS + (not node.required):
        return "select"
    return _TEMPLATES[node.kind]


def _field_of(kind: Kind) -> Field:
    match kind:
        case Kind.RAW:
            return Field.JSON
        case Kind.BRANCH:
            return Field.BRANCH
        case Kind.CONST:
            return Field.PRESENCE
        case _:
            return Field.TEXT


def _says_more(node: Node) -> bool:
    """Whether the box for an empty value says what nothing else here does."""
    nothing_to_fill_in = all(child.kind is Kind.CONST for child in node.children)
    return not node.is_row and node.kind in {Kind.ARRAY, Kind.OBJECT, Kind.MAP} and nothing_to_fill_in


def _has_rows(node: Node) -> bool:
    return node.shape.items is not False or node.shape.extra is not False


def _text(node: Node) -> str:
    if node.kind is Kind.CONST or node.is_read_only:
        key = "const" if node.kind is Kind.CONST else "default"
        return visible(json.dumps(node.notes.get(key), ensure_ascii=False)) if key in node.notes else ""
    return node.text


def _look(node: Node) -> str:
    match node.kind:
        case Kind.NUMBER:
            return "decimal"
        case Kind.DATE:
            # What is no date would be lost in an input for dates.
            return "date" if not node.text or is_date(node.text) else ""
        case Kind.RAW:
            return "code"
        case Kind.FILE:
            return "data-url" if node.notes.get("format") == "data-url" else "base64"
        case Kind.BRANCH if len(node.shape.branches) > MAX_BRANCH_RADIOS:
            return "select"
        case Kind.CHOICE | Kind.MULTICHOICE if len(node.shape.options) > MAX_UNFILTERED:
            return "long"
        case _:
            return ""


def _options(node: Node) -> tuple[Choice, ...]:
    none = Choice("", _("No answer"), not node.text.strip())
    match node.kind:
        case Kind.CHOICE | Kind.MULTICHOICE:
            labels = option_labels(node.shape.options)
            found = [
                Choice(str(index), words.in_words(label), str(index) in node.texts)
                for index, label in enumerate(labels)
            ]
            with_none = node.kind is Kind.CHOICE and (not node.required or len(found) > MAX_RADIOS)
            return (none, *found) if with_none else tuple(found)
        case Kind.YES_NO:
            both = (Choice("true", _("Yes"), node.text == "true"), Choice("false", _("No"), node.text == "false"))
            return both if node.required else (*both, none)
        case Kind.CONSENT:
            return (Choice("true", _("Yes"), node.text == "true"),)
        case Kind.CONST:
            return (Choice(Presence.VALUE, _text(node), node.presence == Presence.VALUE),)
        case Kind.BRANCH:
            labels = branch_labels(node.shape.root, node.shape.branches)
            branches = tuple(
                Choice(str(index), words.in_words(label), index == node.chosen) for index, label in enumerate(labels)
            )
            nothing = Choice("", _("No answer"), node.chosen is None)
            if len(branches) > MAX_BRANCH_RADIOS:
                return (nothing, *branches)
            return branches if node.required else (*branches, nothing)
        case _:
            return ()


def _control_label(node: Node, presence: Presence) -> str:
    match presence:
        case Presence.NULL:
            return _("No value (null)")
        case Presence.VALUE:
            return _("Include this even if it is empty")
        case _:
            return _("Send an empty list") if node.kind in {Kind.ARRAY, Kind.MULTICHOICE} else _("Send empty text")


def _row(holder: Node, child: Node, place: int, count: int) -> Row:
    line = words.in_words(label_of(child))
    buttons = [Button(f"del:{child.at}", _("Remove"), _("Remove %(line)s") % {"line": line})]
    if not child.is_extra:
        if place > 0:
            buttons.append(Button(f"up:{child.at}", _("Up"), _("Move %(line)s up") % {"line": line}))
        if place < count - 1:
            buttons.append(Button(f"down:{child.at}", _("Down"), _("Move %(line)s down") % {"line": line}))
    return Row(
        field=names.name_of(Field.ROWS, holder.at),
        key=child.row_key,
        buttons=tuple(buttons),
        name_field=names.name_of(Field.KEY, child.at) if child.is_extra else "",
        name_text=child.key,
    )


def _source(schema: JsonSchema) -> str:
    return "" if isinstance(schema, bool) or not schema else visible(json.dumps(schema, ensure_ascii=False, indent=2))
