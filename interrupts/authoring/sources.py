"""Where a value comes from: written out, or looked up in the run."""

from __future__ import annotations

from interrupts.authoring.plain import plain
from interrupts.contracts.types import JsonObject


def literal(value: object) -> JsonObject:
    """Return the source that always gives this value.

    >>> literal([1, 2])
    {'type': 'static', 'value': [1, 2]}
    """
    return {"type": "static", "value": plain(value, what="This value cannot be stored.")}


def from_variable(name: str, *, optional: bool = False) -> JsonObject:
    """Return the source that gives a variable of the run. An optional one that is not set gives nothing.

    >>> from_variable("amount")
    {'type': 'variable', 'variableName': 'amount'}
    """
    return {"type": "variable", "variableName": name, **_optional(optional)}


def from_output(node_id: str, output: str, *, optional: bool = False) -> JsonObject:
    """Return the source that gives an output of a node that has completed.

    >>> from_output("review", "payload", optional=True)
    {'type': 'connection', 'nodeId': 'review', 'outputKey': 'payload', 'optional': True}
    """
    return {"type": "connection", "nodeId": node_id, "outputKey": output, **_optional(optional)}


def from_expression(text: str) -> JsonObject:
    """Return the source that gives what a CEL expression gives.

    >>> from_expression("variables.amount * 2")
    {'type': 'expression', 'expression': 'variables.amount * 2'}
    """
    return {"type": "expression", "expression": text}


def _optional(optional: bool) -> JsonObject:
    return {"optional": True} if optional else {}
