"""From what is wrong with a value back to the inputs it was typed into."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from approvals.forms.decode import Decoded
from approvals.forms.judging import Judging
from approvals.forms.nodes import Node
from interrupts.contracts.problems import Problem


@dataclass(frozen=True, slots=True)
class Placed:
    """A problem at an input. ``rest`` is the JSON Pointer from there on, for what has no input of its own."""

    node: Node
    problem: Problem
    rest: str = ""


def place(decoded: Decoded, problems: Sequence[Problem], judging: Judging, *, base: str = "") -> list[Placed]:
    """Return each problem at the nearest input, at most one an input, in the order of the inputs.

    What could not be read is left out of the judged value, so problems that only come of that are dropped. A problem in
    a choice of forms is judged again by the form that was chosen. ``base`` is the pointer of the decoded value.
    """
    found = list(_nearest(decoded, _relevant(decoded, _rejudged(decoded, problems, judging, base), base), base))
    first: dict[str, Placed] = {}
    for placed in found:
        first.setdefault(placed.node.id, placed)
    return sorted(first.values(), key=lambda placed: int(placed.node.id[1:]))


def _nearest(decoded: Decoded, problems: Iterable[Problem], base: str) -> Iterator[Placed]:
    root = decoded.places[""]
    for problem in problems:
        inner = problem.pointer.removeprefix(base)
        at = inner
        while at and at not in decoded.places:
            at = at.rpartition("/")[0]
        yield Placed(decoded.places.get(at, root), problem, inner[len(at) :])


def _relevant(decoded: Decoded, problems: Iterable[Problem], base: str) -> Iterator[Problem]:
    unread = [base + fault.pointer for fault in decoded.faults]
    for problem in problems:
        if not any(_touches(problem.pointer, pointer) for pointer in unread):
            yield problem


def _touches(pointer: str, unread: str) -> bool:
    return pointer == unread or unread.startswith(f"{pointer}/") or pointer.startswith(f"{unread}/")


def _rejudged(decoded: Decoded, problems: Sequence[Problem], judging: Judging, base: str) -> list[Problem]:
    """Replace the problems under the outermost choices of forms by those of the forms that were chosen."""
    kept = list(problems)
    for pointer, node in _choices(decoded):
        under = [problem for problem in kept if _is_at_or_under(problem.pointer, base + pointer)]
        value = _value_at(decoded.value, pointer)
        if not under or node.chosen is None or value is _NOWHERE:
            continue
        judged = judging.problems(node.shape.root, node.shape.branches[node.chosen], value)
        if judged:
            kept = [problem for problem in kept if problem not in under]
            kept += [Problem(base + pointer + p.pointer, p.keyword, p.message) for p in judged]
    return kept


def _choices(decoded: Decoded) -> list[tuple[str, Node]]:
    """Return the choices of forms by the pointers of their values, the outermost first."""
    return sorted(decoded.choices.items(), key=lambda item: len(item[0]))


def _is_at_or_under(pointer: str, at: str) -> bool:
    return pointer == at or pointer.startswith(f"{at}/")


_NOWHERE = object()


def _value_at(value: Any, pointer: str) -> Any:
    found: Any = value
    for token in pointer.split("/")[1:]:
        name = token.replace("~1", "/").replace("~0", "~")
        try:
            found = found[int(name)] if isinstance(found, list) else found[name]
        except (KeyError, IndexError, ValueError, TypeError):
            return _NOWHERE
    return found
