"""What is to be approved, as values that a template can show: never less than everything, and nothing that runs."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals.inbox.presenters.markdown import MAX_CHARACTERS, render_markdown
from approvals.inbox.presenters.text import visible
from interrupts.contracts.types import JsonObject, JsonValue

# A tree of more than this is slower to draw, and to read, than its JSON.
MAX_NODES: Final = 1500
MAX_COLUMNS: Final = 8
# Templates draw a tree level by level on one stack; what is deeper is told as JSON.
_MAX_DEPTH: Final = 20
_OPEN_DEPTH: Final = 2
_OPEN_ITEMS: Final = 12
_MARKDOWN_TYPE: Final = re.compile(r"\b(markdown|md)\b", re.IGNORECASE)
_MARKDOWN_LINE: Final = re.compile(r"^(#{1,6} \S|[-*+] \S|\d+[.)] \S|> |```|\|.*\|)|\*\*\S|\]\(", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Table:
    """A list of like objects: a column for each name, a cell for each value in words."""

    columns: tuple[str, ...]
    rows: tuple[tuple[tuple[str, str], ...], ...]


@dataclass(frozen=True, slots=True)
class Node:
    """One value of a tree. A leaf has ``text``; a container has ``summary`` and ``children``, or a ``table``."""

    label: str
    text: str = ""
    tone: str = ""
    summary: str = ""
    is_open: bool = False
    children: tuple[Node, ...] = ()
    table: Table | None = None

    @property
    def is_leaf(self) -> bool:
        return not self.summary


@dataclass(frozen=True, slots=True)
class Artifact:
    """Exactly one of ``html``, ``text``, ``table`` and ``nodes`` is set; ``source`` is all of it as it came."""

    html: SafeString | None = None
    text: str | None = None
    table: Table | None = None
    nodes: tuple[Node, ...] | None = None
    source: str = ""


def present_text(text: str) -> Artifact:
    """Show a text as Markdown, or as it stands when it is too long for that."""
    if len(text) > MAX_CHARACTERS:
        return Artifact(text=visible(text))
    return Artifact(html=render_markdown(text))


def present_artifact(data: JsonObject) -> Artifact | None:
    """Show a gate's ``artifactData``; None when the gate has none."""
    if "artifactData" not in data:
        return None
    value = data["artifactData"]
    if isinstance(value, str):
        return _present_string(value, str(data["artifactType"]))
    source = visible(to_source(value))
    if _is_table(value):
        return Artifact(table=_table(value), source=source)
    if isinstance(value, Mapping | list) and value and _count(value, MAX_NODES) <= MAX_NODES:
        return Artifact(nodes=_children(value, 1), source=source)
    return Artifact(text=source)


def to_source(value: JsonValue) -> str:
    """Return the value as JSON on indented lines."""
    return json.dumps(value, ensure_ascii=False, indent=2)


def in_words(value: JsonValue) -> str:
    """Return a value without parts in words, such as "yes (true)"."""
    return _scalar(value)[0]


def _present_string(text: str, artifact_type: str) -> Artifact:
    looks_like_markdown = _MARKDOWN_TYPE.search(artifact_type) or _MARKDOWN_LINE.search(text[:MAX_CHARACTERS])
    if not looks_like_markdown or len(text) > MAX_CHARACTERS:
        return Artifact(text=visible(text))
    return Artifact(html=render_markdown(text), source=visible(text))


def _count(value: JsonValue, limit: int) -> int:
    """Count the values inside, giving up soon after ``limit``."""
    pending, seen = [value], 0
    while pending and seen <= limit:
        current = pending.pop()
        seen += 1
        if isinstance(current, Mapping):
            pending.extend(current.values())
        elif isinstance(current, list):
            pending.extend(current)
    return seen


def _is_table(value: JsonValue) -> bool:
    if not isinstance(value, list) or not 2 <= len(value) <= MAX_NODES // MAX_COLUMNS:
        return False
    rows = [row for row in value if isinstance(row, dict) and not any(isinstance(v, dict | list) for v in row.values())]
    columns = {name for row in rows for name in row}
    return (
        len(rows) == len(value) and 1 <= len(columns) <= MAX_COLUMNS and all(2 * len(r) >= len(columns) for r in rows)
    )


def _table(value: JsonValue) -> Table:
    objects = [row for row in value if isinstance(row, dict)] if isinstance(value, list) else []
    columns = tuple(dict.fromkeys(name for row in objects for name in row))
    labels = tuple(visible(name) for name in columns)
    rows = tuple(
        tuple(
            (label, _scalar(row[name])[0] if name in row else "") for name, label in zip(columns, labels, strict=True)
        )
        for row in objects
    )
    return Table(labels, rows)


def _children(value: JsonValue, depth: int) -> tuple[Node, ...]:
    if isinstance(value, Mapping):
        return tuple(_node(visible(name), item, depth) for name, item in value.items())
    items: Sequence[JsonValue] = value if isinstance(value, list) else ()
    return tuple(_node(str(number), item, depth) for number, item in enumerate(items, start=1))


def _node(label: str, value: JsonValue, depth: int) -> Node:
    if not isinstance(value, Mapping | list) or not value:
        text, tone = _scalar(value)
        return Node(label, text=text, tone=tone)
    if depth >= _MAX_DEPTH:
        return Node(label, text=visible(json.dumps(value, ensure_ascii=False)), tone="text")
    is_open = depth < _OPEN_DEPTH or len(value) <= _OPEN_ITEMS
    if _is_table(value):
        return Node(label, summary=_size(value), is_open=is_open, table=_table(value))
    return Node(label, summary=_size(value), is_open=is_open, children=_children(value, depth + 1))


def _size(value: Mapping[str, JsonValue] | list[JsonValue]) -> str:
    count = len(value)
    if isinstance(value, list):
        return ngettext("%(count)d item", "%(count)d items", count) % {"count": count}
    return ngettext("%(count)d field", "%(count)d fields", count) % {"count": count}


def _scalar(value: JsonValue) -> tuple[str, str]:
    """Return a value in words and its tone: words that stand for no text must not look like text."""
    match value:
        case None:
            return _("nothing (null)"), "word"
        case True:
            return _("yes (true)"), "word"
        case False:
            return _("no (false)"), "word"
        case "":
            return _("empty text"), "word"
        case str():
            return visible(value), "text"
        case int() | float():
            return json.dumps(value), "number"
        case list():
            return _("empty list"), "word"
        case _:
            return _("empty object"), "word"
