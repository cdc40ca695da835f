"""A whole form: the values asked for, with what was posted for them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from approvals.forms.decode import Decoded, decode
from approvals.forms.encode import Out, encode
from approvals.forms.fields import Fields
from approvals.forms.judging import Judging, judging
from approvals.forms.names import Field
from approvals.forms.nodes import Node
from approvals.forms.operations import operate
from approvals.forms.plan import Part, Planner
from approvals.forms.shapes import Kind


@dataclass(frozen=True, slots=True)
class Sheet:
    """Planned parts. ``leftover`` is what was posted and has no input now; ``focus`` is where a button led to."""

    parts: tuple[Part, ...]
    fields: Fields
    judges: tuple[Judging, ...]
    trees: tuple[Node, ...]
    leftover: dict[str, list[str]] = field(default_factory=dict)
    focus: str = ""

    def decode(self) -> list[Decoded]:
        """Return what each part means, in order."""
        return [decode(tree, judge) for tree, judge in zip(self.trees, self.judges, strict=True)]

    def operate(self, pressed: str) -> Sheet | None:
        """Return the form after one of its buttons; None when it is none, or it can do nothing."""
        for tree, judge in zip(self.trees, self.judges, strict=True):
            applied = operate(pressed, self.fields, tree, judge)
            if applied is not None:
                return _planned(self.parts, self.judges, applied.fields, focus=applied.focus)
        return None

    def walk(self) -> Iterator[Node]:
        for tree in self.trees:
            yield from tree.walk()


def sheet(parts: Sequence[Part], fields: Fields) -> Sheet:
    """Return the form as it was posted."""
    return _planned(tuple(parts), tuple(judging(part.schema) for part in parts), fields)


def blank_sheet(parts: Sequence[Part]) -> Sheet:
    """Return the form as it is first shown, with the defaults of its schemas filled in."""
    blank = sheet(parts, Fields({}))
    filled: Out = {}
    for tree, judge in zip(blank.trees, blank.judges, strict=True):
        for node in _with_defaults(tree):
            fields = encode(node.schema, node.notes["default"], judge, root=node.shape.root, at=node.at)
            if node.kind is Kind.RAW or not any(name.startswith(f"{Field.JSON}:") for name in fields):
                filled.update(fields)
    return _planned(blank.parts, blank.judges, Fields(filled)) if filled else blank


def _planned(parts: tuple[Part, ...], judges: tuple[Judging, ...], fields: Fields, *, focus: str = "") -> Sheet:
    planner = Planner(fields)
    trees = tuple(planner.plan(part) for part in parts)
    return Sheet(parts, fields, judges, trees, planner.leftover(), focus)


def _with_defaults(node: Node) -> Iterator[Node]:
    """Yield the outermost inputs with a default. Whoever has to say yes or no says it themselves."""
    is_own_word = node.kind is Kind.CONSENT or (node.kind is Kind.YES_NO and node.required)
    if "default" in node.notes and not is_own_word:
        yield node
        return
    for child in node.children:
        yield from _with_defaults(child)
