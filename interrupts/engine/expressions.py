"""Expressions of ports and edge conditions, in a fixed part of CEL (the Common Expression Language).

CEL is small, typed, has no side effects and is what policy languages elsewhere use; ``common-expression-language``
runs it in Rust. The library sets no limits of its own, so an expression written to harm could hold a process or end
it: nested comprehensions take minutes, a ``map`` copies its list on each step, doubling a list aborts on memory, and
deep nesting overruns a small thread's stack. None of these can be caught as an exception. What may run is therefore
decided before it runs, so that each operation of at most 1,000 characters of text runs at most once, over bounded data:

- no comprehensions (``map``, ``filter``, ``exists``, ``all``, ``exists_one``), the only way to repeat or double;
- no function but those of ``FUNCTIONS``: ``matches`` takes time in the product of pattern and text (an edge condition
  of type ``regex`` is the bounded way), and bytes, timestamps and durations are not JSON;
- at most 40 opening brackets, and 32 uses of the scope, whose data is cut down to the members that the text names;
- data nested no deeper than JSON from outside may be, and of bounded size; the same for the value.

Numbers follow CEL: ``1 == 1.0`` and ``99.5 < 100`` hold, but arithmetic does not mix integers with fractions; write
``double(inputs.amount) * 1.2``. An integer beyond 64 bits is read as a fraction.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import ModuleType
from typing import Final

from interrupts.contracts.json_limits import MAX_DEPTH, MalformedJson
from interrupts.contracts.json_values import check_value
from interrupts.contracts.types import JsonObject, JsonValue

# The package would load its command line, and with it libraries that draw on terminals: a quarter of the start of every
# process of ours, none of which needs them.
sys.modules.setdefault("cel.cli", ModuleType("cel.cli"))
import cel  # noqa: E402 - after its command line is kept out

MAX_TEXT: Final = 1_000
MAX_BRACKETS: Final = 40
MAX_USES: Final = 32
MAX_DATA: Final = 65_536
ROOTS: Final = frozenset({"inputs", "variables", "nodes", "output"})
FUNCTIONS: Final = frozenset({"size", "contains", "startsWith", "endsWith", "int", "double", "string"})
_OPERATORS: Final = frozenset({
    "_+_", "_-_", "_*_", "_/_", "_%_", "-_", "!_", "_&&_", "_||_", "_?_:_", "_[_]", "@in",
    "_==_", "_!=_", "_<_", "_<=_", "_>_", "_>=_",
})  # fmt: skip
# Also finds these words in a text literal, as in "all (of it)": better to refuse that than to miss a comment between.
_COMPREHENSION: Final = re.compile(r"\b(map|filter|exists|all|exists_one|existsOne)\s*(?://[^\n]*\n\s*)*\(")
_USE: Final = re.compile(
    r"""\b(inputs|variables|nodes|output)\b(?:\s*\.\s*([A-Za-z_]\w*)|\s*\[\s*(?:"([^"\\]*)"|'([^'\\]*)')\s*\])?""",
    re.ASCII,
)
_DEPTH_OF_SCOPE: Final = 4


class ExpressionError(Exception):
    """The expression is not one we run, or has no value here; ``message`` is for the person who wrote it."""

    def __init__(self, message: str) -> None:
        self.message = message
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class CompiledExpression:
    """An expression that may run. ``members`` are what it may look at in each root; None is all of it."""

    text: str
    program: cel.Program
    members: Mapping[str, frozenset[str] | None]


@lru_cache(maxsize=1024)
def compile_expression(text: str) -> CompiledExpression:
    """Return the compiled expression. Raises ExpressionError, in plain words, for one that we do not run."""
    _check_text(text)
    try:
        program = cel.compile(text)
    except ValueError as error:
        raise ExpressionError(f"The expression does not read as CEL: {_first_line(error)}") from error
    _check_references(program)
    return CompiledExpression(text, program, _members(text))


def evaluate(compiled: CompiledExpression, scope: JsonObject) -> JsonValue:
    """Return the value of the expression over ``scope``, whose members are the roots. Raises ExpressionError."""
    data = _cut(compiled.members, scope)
    _check_size(data, "The data that the expression looks at")
    try:
        value = compiled.program.execute(data)
    except KeyError as error:
        raise ExpressionError(f"The expression looks at “{error.args[0]}”, which is not there.") from error
    except Exception as error:  # The library raises seven unrelated types, and all mean the same here.
        raise ExpressionError(f"The expression has no value: {_first_line(error)}") from error
    _check_size(value, "The value of the expression")
    return _in_order(value)


def _check_text(text: str) -> None:
    if len(text) > MAX_TEXT:
        raise ExpressionError(f"An expression may have at most {MAX_TEXT} characters; this one has {len(text)}.")
    if sum(map(text.count, "([{")) > MAX_BRACKETS:
        raise ExpressionError(f"An expression may have at most {MAX_BRACKETS} opening brackets.")
    if (found := _COMPREHENSION.search(text)) is not None:
        raise ExpressionError(f"Expressions do not loop here: “{found[1]}(…)” is not available.")
    if sum(1 for _ in _USE.finditer(text)) > MAX_USES:
        raise ExpressionError(f"An expression may look at the run's data at most {MAX_USES} times.")


def _check_references(program: cel.Program) -> None:
    for name in program.functions():
        if name not in FUNCTIONS | _OPERATORS:
            raise ExpressionError(f"There is no function “{name}” here. There are: {', '.join(sorted(FUNCTIONS))}.")
    for name in program.variables():
        if name not in ROOTS:
            raise ExpressionError(f"There is no “{name}” here. An expression may look at: {', '.join(sorted(ROOTS))}.")


def _members(text: str) -> dict[str, frozenset[str] | None]:
    """Return what the text names in each root. Text literals are read too: that can only keep more than is needed."""
    members: dict[str, frozenset[str] | None] = {}
    for root, *names in _USE.findall(text):
        name = next(filter(None, names), None)
        known = members.get(root, frozenset())
        members[root] = None if name is None or known is None else known | {name}
    return members


def _cut(members: Mapping[str, frozenset[str] | None], scope: JsonObject) -> JsonObject:
    data: JsonObject = {}
    for root, names in members.items():
        value = scope.get(root, {})
        if names is not None and isinstance(value, dict):
            value = {name: item for name, item in value.items() if name in names}
        data[root] = value
    return data


def _check_size(value: object, what: str) -> None:
    try:
        check_value(value, max_bytes=MAX_DATA, max_depth=MAX_DEPTH + _DEPTH_OF_SCOPE)
    except MalformedJson as error:
        raise ExpressionError(f"{what} cannot be used: {error.message}") from error


def _in_order(value: JsonValue) -> JsonValue:
    """Sort the members of objects: the library gives them in an order that changes from run to run."""
    if isinstance(value, dict):
        return {name: _in_order(value[name]) for name in sorted(value)}
    if isinstance(value, list):
        return [_in_order(item) for item in value]
    return value


def _first_line(error: Exception) -> str:
    line = str(error).split("\n", 1)[0]
    return line.rpartition("ERROR: ")[2].partition(" expecting ")[0][:200]
