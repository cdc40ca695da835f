"""Planning a form: which inputs, for a schema and what was posted so far."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Final

from approvals.forms import names
from approvals.forms.fields import Fields
from approvals.forms.merging import Document, document
from approvals.forms.names import Field
from approvals.forms.nodes import MAX_NODES, Node, Presence
from approvals.forms.shapes import Group, Kind, Shape, shape_of
from interrupts.contracts.pointers import position
from interrupts.contracts.types import JsonSchema

# Without data nothing is drawn below this depth until it is asked for.
MAX_DEPTH: Final = 8
# What a form may grow to with what was added to it.
MOST_NODES: Final = 2 * MAX_NODES
_CONTAINERS: Final = frozenset({Kind.OBJECT, Kind.ARRAY, Kind.MAP, Kind.BRANCH, Kind.LATER})


@dataclass(frozen=True, slots=True)
class Part:
    """One value asked for: its schema, where it stands in the form, and what it is called if not by its schema."""

    schema: JsonSchema
    at: str = names.ROOT
    title: str = ""


@dataclass(frozen=True, slots=True)
class _Spot:
    """Where the planner is: the schema's root, the place, and what leads there."""

    root: Document
    at: str
    depth: int = 0
    title: str = ""
    open_references: frozenset[str] = frozenset()
    name: str = ""
    required: bool = True
    is_property: bool = False
    is_extra: bool = False
    is_row: bool = False
    row_key: str = ""

    def inside(self, shape: Shape) -> Callable[..., _Spot]:
        return partial(_Spot, shape.root, depth=self.depth + 1, open_references=self.open_references | shape.references)


@dataclass(slots=True)
class Planner:
    """Plans the parts of one form: ids and the budget run through all of them."""

    fields: Fields
    count: int = 0
    used: set[str] = field(default_factory=set)

    def plan(self, part: Part) -> Node:
        return self._node(
            part.schema, _Spot(document(part.schema), part.at, open_references=frozenset({"#"}), title=part.title)
        )

    def leftover(self) -> dict[str, list[str]]:
        """Return what was posted and has no input now: it is posted again, for the day its branch is chosen again."""
        return {name: texts for name, texts in self.fields.posted.items() if name not in self.used}

    def _node(self, schema: JsonSchema, spot: _Spot) -> Node:
        self.count += 1
        shape = shape_of(spot.root, schema)
        kind = self._kind(shape, spot)
        node_id = f"n{self.count}"
        controls = self._controls(kind, shape, spot)
        presence = [posted for posted in self._take(Field.PRESENCE, spot.at) if posted in controls]
        chosen = self._chosen(shape, spot) if kind is Kind.BRANCH else None
        text_field = Field.JSON if kind is Kind.RAW else Field.TEXT
        texts = self._take(text_field, spot.at) if kind not in _CONTAINERS else []
        key = self._take(Field.KEY, spot.at) if spot.is_extra else []
        is_open = self.count < MAX_NODES
        children = tuple(self._children(kind, shape, spot, chosen))
        return Node(
            id=node_id,
            at=spot.at,
            kind=Kind.TEXTAREA if kind in {Kind.TEXT, Kind.FILE} and "\n" in "".join(texts) else kind,
            shape=shape,
            schema=schema,
            title=spot.title,
            name=spot.name,
            required=spot.required,
            texts=tuple(texts),
            presence=presence[-1] if presence else "",
            controls=controls,
            children=children,
            chosen=chosen,
            key=key[-1] if key else "",
            row_key=spot.row_key,
            is_property=spot.is_property,
            is_extra=spot.is_extra,
            is_row=spot.is_row,
            is_full=not is_open or len(children) >= shape.schema.get("maxItems", MAX_NODES),
            is_too_much=self.count > MOST_NODES,
        )

    def _take(self, kind: Field, at: str) -> list[str]:
        self.used.add(names.name_of(kind, at))
        return self.fields.texts(kind, at)

    def _kind(self, shape: Shape, spot: _Spot) -> Kind:
        if self.fields.has(Field.JSON, spot.at) or _cannot_be_named(shape, spot):
            return Kind.RAW
        if not (shape.properties or shape.groups or shape.prefix) or self.fields.is_filled(spot.at):
            return shape.kind
        if shape.references & spot.open_references or spot.depth > MAX_DEPTH:
            return Kind.LATER
        return shape.kind if self.count + len(shape.properties) < MAX_NODES else Kind.RAW

    def _controls(self, kind: Kind, shape: Shape, spot: _Spot) -> frozenset[Presence]:
        """An explicit control stands where what it says is allowed and would otherwise mean "no answer"."""
        posted = self.fields.text(Field.PRESENCE, spot.at)
        shown = {Presence.NULL} if shape.nullable and kind is not Kind.RAW else set()
        match kind:
            case Kind.OBJECT | Kind.MAP if not spot.required:
                shown.add(Presence.VALUE)
            case Kind.ARRAY | Kind.MULTICHOICE if spot.required and not shape.schema.get("minItems"):
                shown.add(Presence.EMPTY)
            case Kind.CONST if not spot.required:
                shown.add(Presence.VALUE)
            case Kind.TEXT | Kind.TEXTAREA | Kind.ARRAY | Kind.MULTICHOICE if posted == Presence.EMPTY:
                shown.add(Presence.EMPTY)
            case Kind.TEXT | Kind.TEXTAREA if spot.required and not _forbids_empty(shape):
                shown.add(Presence.EMPTY)
        return frozenset(shown)

    def _chosen(self, shape: Shape, spot: _Spot) -> int | None:
        posted = self._take(Field.BRANCH, spot.at)
        return position(posted[-1], len(shape.branches)) if posted else None

    def _children(self, kind: Kind, shape: Shape, spot: _Spot, chosen: int | None) -> Iterator[Node]:
        if self.count > MOST_NODES:
            return
        make = spot.inside(shape)
        match kind:
            case Kind.OBJECT | Kind.MAP:
                yield from self._properties(shape, spot, make)
            case Kind.ARRAY:
                yield from self._rows(shape, spot, make)
            case Kind.BRANCH if chosen is not None:
                yield self._node(shape.branches[chosen], make(spot.at))

    def _properties(self, shape: Shape, spot: _Spot, make: Callable[..., _Spot]) -> Iterator[Node]:
        for name, schema in shape.properties:
            at = names.child(spot.at, name)
            yield self._node(schema, make(at, name=name, required=name in shape.required, is_property=True))
        for group in shape.groups:
            yield self._group(group, spot, make)
        if shape.extra is not False:
            for number, key in enumerate(self._row_keys(spot.at), start=1):
                at = names.row(spot.at, key)
                yield self._node(shape.extra, make(at, name=str(number), is_extra=True, row_key=key))

    def _group(self, group: Group, spot: _Spot, make: Callable[..., _Spot]) -> Node:
        self.count += 1
        node_id = f"n{self.count}"
        children = []
        for name, schema in group.properties:
            at = names.child(spot.at, name)
            required = name in group.required
            children.append(self._node(schema, make(at, name=name, required=required, is_property=True)))
        return Node(
            id=node_id,
            at=spot.at,
            kind=Kind.GROUP,
            shape=Shape(Kind.GROUP, spot.root, {}),
            schema=True,
            children=tuple(children),
            condition=group.condition,
        )

    def _rows(self, shape: Shape, spot: _Spot, make: Callable[..., _Spot]) -> Iterator[Node]:
        least = shape.schema.get("minItems", 0)
        for number, schema in enumerate(shape.prefix, start=1):
            yield self._node(schema, make(names.position(spot.at, number), name=str(number), required=number <= least))
        if shape.items is False:
            return
        for number, key in enumerate(self._row_keys(spot.at), start=len(shape.prefix) + 1):
            at = names.row(spot.at, key)
            yield self._node(shape.items, make(at, name=str(number), required=False, is_row=True, row_key=key))

    def _row_keys(self, at: str) -> Iterator[str]:
        for key in dict.fromkeys(self._take(Field.ROWS, at)):
            if self.count <= MOST_NODES and names.is_row_key(key):
                yield key


def _cannot_be_named(shape: Shape, spot: _Spot) -> bool:
    inner = [name for name, _schema in shape.properties] + [
        name for g in shape.groups for name, _schema in g.properties
    ]
    return names.is_too_long(spot.at) or any(names.is_too_long(names.child(spot.at, name)) for name in inner)


def _forbids_empty(shape: Shape) -> bool:
    return bool(shape.schema.get("minLength") or shape.schema.get("format") or shape.schema.get("pattern"))
