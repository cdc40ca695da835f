"""The words of a form: what an input is called, what fits into it, and what is wrong with what was typed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from approvals.forms.decode import Fault
from approvals.forms.labels import Label
from approvals.forms.merging import Condition
from approvals.forms.nodes import Node
from approvals.forms.placing import Placed
from approvals.forms.shapes import Kind, Option
from approvals.inbox.presenters.text import one_line, visible
from interrupts.contracts.types import JsonValue

_EXAMPLES: Final = 3
_SHOWN: Final = 80
# Nobody counts up to a longer limit.
_LONGEST_TOLD: Final = 10_000

_LABELS: Final[Mapping[str, str | Promise]] = {
    "answer": gettext_lazy("Your answer"),
    "yes": gettext_lazy("Yes"),
    "no": gettext_lazy("No"),
    "null": gettext_lazy("Nothing (null)"),
    "string": gettext_lazy("Text"),
    "number": gettext_lazy("Number"),
    "integer": gettext_lazy("Whole number"),
    "boolean": gettext_lazy("Yes or no"),
    "object": gettext_lazy("Several fields"),
    "array": gettext_lazy("List"),
    "list-of-string": gettext_lazy("List of texts"),
    "list-of-number": gettext_lazy("List of numbers"),
    "list-of-integer": gettext_lazy("List of whole numbers"),
    "list-of-boolean": gettext_lazy("List of yes or no"),
    "list-of-object": gettext_lazy("List of several fields each"),
    "list-of-array": gettext_lazy("List of lists"),
    "list-of-null": gettext_lazy("List of nothing"),
}
_FAULTS: Final[Mapping[str, str | Promise]] = {
    "required": gettext_lazy("Write an answer."),
    "date": gettext_lazy("Write the date as year, month and day, such as 2031-05-17."),
    "time": gettext_lazy("Write the time, such as 14:30 or 14:30:05."),
    "offset": gettext_lazy("Choose one of the offsets offered."),
    "choose": gettext_lazy("Choose one."),
    "number": gettext_lazy("Write a number, such as 12 or 1.5."),
    "comma": gettext_lazy("Write 1.5, not 1,5."),
    "option": gettext_lazy("Choose one of those offered."),
    "both": gettext_lazy("You filled this in and also ticked the box below it. Do one of the two."),
    "character": gettext_lazy("This holds a character that cannot be stored."),
    "key-missing": gettext_lazy("Write a name for this entry."),
    "key-twice": gettext_lazy("Another entry has this name. Change one of the two."),
    "too-much": gettext_lazy("This is more than a form can hold. Take some lines away."),
}
_OUTCOMES: Final[Mapping[str, str | Promise]] = {
    "submitted": gettext_lazy("Submit"),
    "cancelled": gettext_lazy("Cancel"),
    "canceled": gettext_lazy("Cancel"),
    "approved": gettext_lazy("Approve"),
    "rejected": gettext_lazy("Reject"),
}
# Identifiers are written in_one_way, in-another or inAThird.
_WORD_ENDS: Final = re.compile(r"[_\-]+|(?<=[a-z0-9])(?=[A-Z])")
_FORMATS: Final[Mapping[str, str | Promise]] = {
    "date-time": gettext_lazy("A date and time with its offset, such as 2031-05-17T14:30:00Z."),
    "time": gettext_lazy("A time with its offset, such as 14:30:00Z."),
    "email": gettext_lazy("An e-mail address."),
    "uri": gettext_lazy("A web address, such as https://example.org/a."),
    "uuid": gettext_lazy("A UUID."),
    "duration": gettext_lazy("A duration, such as P3DT4H."),
}


def in_words(label: Label) -> str:
    match label.code:
        case "author":
            return one_line(label.text)
        case "line":
            return _("Line %(number)s") % {"number": label.text}
        case "option":
            return _("Option %(number)s") % {"number": label.text}
        case "with":
            return _("With %(names)s") % {"names": one_line(label.text)}
        case code:
            return str(_LABELS.get(code, code))


def outcomes_in_words(options: Sequence[Option]) -> list[str]:
    """Name the ways out of a question as what pressing a button does; ways that would look alike keep their names."""
    found = [one_line(option.title) or _outcome(str(option.value)) for option in options]
    return found if len(set(found)) == len(found) else [one_line(str(option.value)) for option in options]


def _outcome(identifier: str) -> str:
    known = _OUTCOMES.get(identifier.casefold())
    spaced = " ".join(_WORD_ENDS.sub(" ", identifier).split())
    return str(known) if known else one_line(spaced[:1].upper() + spaced[1:]) or one_line(identifier)


def condition_in_words(condition: Condition) -> str:
    """Name a condition by the names and constants of its test, as far as it has any."""
    test: Any = condition.test if isinstance(condition.test, dict) else {}
    parts = [_tested(name, inner) for name, inner in test.get("properties", {}).items()]
    named = one_line(", ".join((parts or test.get("required", []))[:_EXAMPLES]))
    if not named:
        return _("Only in some cases")
    text = _("Unless %(condition)s") if condition.negated else _("Only if %(condition)s")
    return text % {"condition": named}


def _tested(name: str, inner: Any) -> str:
    if not isinstance(inner, dict):
        return name
    values = [inner["const"]] if "const" in inner else inner.get("enum", [])
    return f"{name}: {' / '.join(map(_shown, values[:_EXAMPLES]))}" if values else name


def fault_in_words(fault: Fault) -> str:
    if fault.code == "json":
        said = _("This is not JSON yet (line %(line)s, column %(column)s). %(problem)s")
        return visible(said % fault.details)
    is_choice = fault.node.kind in {Kind.CHOICE, Kind.YES_NO, Kind.BRANCH, Kind.CONSENT}
    return str(_FAULTS["choose" if fault.code == "required" and is_choice else fault.code])


def problem_in_words(placed: Placed) -> str:
    """Return what is wrong with a value; what has no input of its own is named by its place."""
    message = placed.problem.message
    if placed.problem.keyword == "required" and not placed.rest:
        message = fault_in_words(Fault(placed.node, "", "required"))
    if not placed.rest:
        return visible(message)
    return visible(_("At %(place)s: %(problem)s") % {"place": one_line(placed.rest, limit=_SHOWN), "problem": message})


def hints(node: Node) -> Iterator[str]:
    """Yield what fits into an input, a sentence each."""
    notes = node.notes
    if notes.get("deprecated") is True:
        yield _("No longer used.")
    if node.parts:
        yield _("The time is in UTC, unless you choose another offset.")
    elif isinstance(notes.get("format"), str) and str(notes["format"]) in _FORMATS and node.kind is not Kind.RAW:
        yield str(_FORMATS[str(notes["format"])])
    yield from _limits(node)
    examples = notes.get("examples")
    if isinstance(examples, list) and examples:
        shown = ", ".join(_shown(example) for example in examples[:_EXAMPLES])
        yield _("For example: %(examples)s") % {"examples": shown}


def _limits(node: Node) -> Iterator[str]:
    notes = node.notes
    match node.kind:
        case Kind.NUMBER:
            yield from _range(notes.get("minimum"), notes.get("maximum"))
        case Kind.TEXT | Kind.TEXTAREA if 0 < (most := _whole(notes.get("maxLength"))) <= _LONGEST_TOLD:
            yield ngettext("At most %(most)d character.", "At most %(most)d characters.", most) % {"most": most}
        case Kind.ARRAY if (least := _whole(notes.get("minItems"))) > 0:
            yield ngettext("At least %(least)d line.", "At least %(least)d lines.", least) % {"least": least}
        case Kind.FILE if notes.get("format") == "data-url":
            yield _("The content of a file, as a data: URL.")
        case Kind.FILE:
            yield _("The content of a file, as Base64 text.")
        case Kind.RAW:
            yield _("Written as JSON: text in double quotes, or a number, true, false, null, a list or an object.")


def _range(least: JsonValue, most: JsonValue) -> Iterator[str]:
    if _is_number(least) and _is_number(most):
        yield _("From %(least)s to %(most)s.") % {"least": _shown(least), "most": _shown(most)}
    elif _is_number(least):
        yield _("%(least)s or more.") % {"least": _shown(least)}
    elif _is_number(most):
        yield _("%(most)s or less.") % {"most": _shown(most)}


def _whole(value: JsonValue) -> int:
    return int(value) if isinstance(value, int | float) else 0


def _is_number(value: JsonValue) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _shown(value: JsonValue) -> str:
    return one_line(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False), limit=_SHOWN)
