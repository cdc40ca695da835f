"""Reading a schema as a graph: every schema in it, and where its references lead. Nothing is fetched."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from referencing.exceptions import Unresolvable
from referencing.jsonschema import lookup_recursive_ref

from interrupts.contracts.checking import CompiledSchema
from interrupts.contracts.dialects import Dialect, dialect_of
from interrupts.contracts.locations import Path, children, in_place
from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.wording import quote

_REFERENCES: Final = ("$ref", "$dynamicRef", "$recursiveRef")
# Whatever a library makes of a malformed URI, pointer or anchor: it leads nowhere.
_LEADS_NOWHERE: Final = (Unresolvable, ValueError, TypeError, AttributeError, LookupError)


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """One schema of a document: its path, itself, and the resolver for references written in it.

    ``hidden`` when only a reference leads to it, past every keyword that holds schemas.
    """

    path: Path
    schema: dict[str, Any]
    resolver: Any
    hidden: bool = False


@dataclass(slots=True)
class Graph:
    """The schemas of a document in the order they were found, and the steps between those for the same value."""

    dialect: Dialect
    places: dict[int, Place] = field(default_factory=dict)
    steps: dict[int, list[tuple[Path, int]]] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)

    def add(self, place: Place) -> bool:
        new = id(place.schema) not in self.places
        self.places.setdefault(id(place.schema), place)
        return new


def read_graph(compiled: CompiledSchema, *, most: int) -> Graph:
    """Return the graph of a schema that is sound by its meta-schema; stops reading after ``most`` schemas."""
    graph = Graph(dialect_of(compiled.schema))
    if not isinstance(compiled.schema, dict):
        return graph
    waiting = [Place((), compiled.schema, compiled.validator._resolver)]  # noqa: SLF001 - no public way to it
    graph.add(waiting[0])
    while waiting and len(graph.places) <= most:
        place = waiting.pop()
        # Inner places first: one that is reached both ways is not hidden.
        found = [*_inner(graph, place), *_referred(graph, place)]
        waiting.extend(other for other in found if graph.add(other))
    return graph


def cycles(graph: Graph) -> list[Problem]:
    """Return a problem for every reference that closes a circle in which the value never gets smaller."""
    found: list[Problem] = []
    done: set[int] = set()
    for start in graph.places:
        if start not in done:
            _follow(graph, start, done, found)
    return found


def _follow(graph: Graph, start: int, done: set[int], found: list[Problem]) -> None:
    """Walk depth first, without recursion, from a schema that was not walked yet."""
    open_ids = {start}
    trail = [(start, iter(graph.steps.get(start, ())))]
    while trail:
        current, steps = trail[-1]
        step = next(steps, None)
        if step is None:
            trail.pop()
            open_ids.discard(current)
            done.add(current)
        elif step[1] in open_ids:
            message = "This refers back to itself without ever getting to a smaller value."
            found.append(Problem(to_pointer(step[0]), str(step[0][-1]), message))
        elif step[1] not in done:
            open_ids.add(step[1])
            trail.append((step[1], iter(graph.steps.get(step[1], ()))))


def _inner(graph: Graph, place: Place) -> list[Place]:
    inner = []
    for path, child in children(place.schema, graph.dialect.name):
        try:
            resolver = place.resolver.in_subresource(graph.dialect.specification.create_resource(child))
        except _LEADS_NOWHERE:
            graph.problems.append(Problem(to_pointer(place.path + path), "$id", "The identifier here is no URI."))
            continue
        inner.append(Place(place.path + path, child, resolver))
        if in_place(path):
            graph.steps.setdefault(id(place.schema), []).append((place.path + path, id(child)))
    return inner


def _referred(graph: Graph, place: Place) -> list[Place]:
    keywords = [k for k in _REFERENCES if k in graph.dialect.validator.VALIDATORS and k in place.schema]
    return [target for keyword in keywords for target in _target(graph, place, keyword)]


def _target(graph: Graph, place: Place, keyword: str) -> list[Place]:
    reference, path = str(place.schema[keyword]), (*place.path, keyword)
    try:
        resolved = _lookup(place, keyword)
    except _LEADS_NOWHERE:
        graph.problems.append(Problem(to_pointer(path), keyword, _nowhere(reference)))
        return []
    target = resolved.contents
    if isinstance(target, dict):
        graph.steps.setdefault(id(place.schema), []).append((path, id(target)))
        return [Place(_path_of(reference, path), target, resolved.resolver, hidden=True)]
    if not isinstance(target, bool):
        graph.problems.append(Problem(to_pointer(path), keyword, f"{quote(reference)} does not lead to a schema."))
    return []


def _lookup(place: Place, keyword: str) -> Any:
    if keyword == "$recursiveRef":
        return lookup_recursive_ref(place.resolver)
    return place.resolver.lookup(place.schema[keyword])


def _nowhere(reference: str) -> str:
    return f"{quote(reference)} leads nowhere inside this document, and nothing outside it is ever fetched."


def _path_of(reference: str, referrer: Path) -> Path:
    """Return the path a reference spells, or the referrer's when it names its target in another way."""
    if not reference.startswith("#/"):
        return referrer
    tokens = unquote(reference[2:]).split("/")
    return tuple(token.replace("~1", "/").replace("~0", "~") for token in tokens)
