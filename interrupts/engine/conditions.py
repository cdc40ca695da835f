"""Edge conditions (wire contract §6.1, §6.2): whether an edge is taken, apart from its trigger rule."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from interrupts.contracts.budget import Meter, NotChecked, metering
from interrupts.contracts.fingerprints import fingerprint
from interrupts.contracts.leaves import compile_pattern
from interrupts.contracts.pointers import position
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.expressions import ExpressionError, compile_expression, evaluate
from interrupts.engine.plan import Condition, PlanEdge
from interrupts.engine.work import TooMuchWork, counted

# Time to match grows with pattern times text; admission bounds the pattern, this bounds the text.
MAX_MATCHED: Final = 10_000


class ConditionError(Exception):
    """The condition cannot be decided. The run then fails, naming the edge: a guess could open a gate."""

    def __init__(self, edge_id: str, message: str) -> None:
        self.edge_id = edge_id
        self.message = f"The condition of the edge “{edge_id}” cannot be decided. {message}"
        super().__init__(self.message)


def condition_holds(edge: PlanEdge, scope: JsonObject) -> bool:
    """Return whether the edge's condition is true; an edge without one is always taken. Raises ConditionError.

    ``scope`` holds ``inputs``, ``variables``, ``nodes`` and ``output``, the outputs of the edge's source. ``left`` is
    a path such as ``decision`` or ``variables.amount``: it is looked up in the source's outputs first, then in the
    scope; what it does not find is null. Truthy is all but null, false, 0, and an empty text, list or object.
    """
    if edge.condition is None:
        return True
    try:
        with counted(), metering(Meter()):
            return _holds(edge.condition, scope)
    except (ExpressionError, NotChecked, TooMuchWork) as error:
        raise ConditionError(edge.id, str(error)) from error


def _holds(condition: Condition, scope: JsonObject) -> bool:
    if condition.kind == "expression":
        return _truth(evaluate(compile_expression(condition.expression), scope))
    return _TESTS[condition.kind](look_up(condition.left, scope), condition.right)


def _truth(value: JsonValue) -> bool:
    if not isinstance(value, bool):
        raise ExpressionError("The expression must give true or false.")
    return value


def look_up(path: str, scope: JsonObject) -> JsonValue:
    """Return what a dotted path names: in the source's outputs first, then in the scope; null when in neither."""
    steps = path.split(".")
    for root in (scope.get("output"), scope):
        found, value = _walk(root, steps)
        if found:
            return value
    return None


def _walk(value: JsonValue, steps: list[str]) -> tuple[bool, JsonValue]:
    for step in steps:
        if isinstance(value, dict) and step in value:
            value = value[step]
        elif isinstance(value, list) and (at := position(step, len(value))) is not None:
            value = value[at]
        else:
            return False, None
    return True, value


def _is_equal(left: JsonValue, right: JsonValue) -> bool:
    """JSON equality: 1 equals 1.0, and true is not 1."""
    return fingerprint(left) == fingerprint(right)


def _contains(left: JsonValue, right: JsonValue) -> bool:
    """A text contains a text; a list an equal item; an object a member of that name. Nothing else contains anything."""
    if isinstance(left, list):
        return any(_is_equal(item, right) for item in left)
    return isinstance(left, str | dict) and isinstance(right, str) and right in left


def _matches(left: JsonValue, pattern: JsonValue) -> bool:
    """A text in which the pattern is found; what is no text matches nothing."""
    if not isinstance(left, str) or not isinstance(pattern, str):
        return False
    if len(left) > MAX_MATCHED:
        raise NotChecked(f"A text of more than {MAX_MATCHED} characters is not matched against a pattern.")
    return compile_pattern(pattern).found_in(left)


_TESTS: Final[dict[str, Callable[[JsonValue, JsonValue], bool]]] = {
    "equals": _is_equal,
    "notEquals": lambda left, right: not _is_equal(left, right),
    "contains": _contains,
    "regex": _matches,
    "truthy": lambda left, _: bool(left),
    "falsy": lambda left, _: not left,
}
