"""How much a node may put into its run.

Values travel by reference while a run goes on, so two edges into two ports of the next node double a value at no cost,
until it is written down: thirty such nodes would make a state of gigabytes. What a node gives is therefore measured
before it is recorded.
"""

from __future__ import annotations

from typing import Final

from interrupts.contracts.json_limits import MAX_BYTES, MAX_DEPTH, MalformedJson
from interrupts.contracts.json_values import check_value
from interrupts.engine.nodes.base import Completed, Dispatch, Failed, NodeResult, Suspend
from interrupts.run_state import RunState

# What a request may bring into a run, a node may pass on; each hop over an edge without a port nests it once more.
MAX_OUTPUT: Final = MAX_BYTES
MAX_NESTING: Final = 2 * MAX_DEPTH
# What all nodes of a run may keep at once. Up to the smaller size a node is not asked what the others keep.
MAX_KEPT: Final = 4 * MAX_BYTES
_SMALL: Final = 16 * 1024


def bounded(result: NodeResult, state: RunState) -> NodeResult:
    """Return the result of a node's execution, or its failure when that holds more than a run may keep.

    Sizes count characters of text and members, so the JSON text is somewhat longer.
    """
    match result:
        case Completed(outputs):
            value: object = outputs
        case Suspend():
            value = result.data
        case Dispatch():
            value = result.inputs
        case _:
            return result
    if _fits(value, MAX_OUTPUT, MAX_NESTING) and (_fits(value, _SMALL, MAX_NESTING) or _has_room(value, state)):
        return result
    message = "What this node would put out is larger, or nested more deeply, than a run can keep."
    return Failed("payload_too_large", message)


def _has_room(value: object, state: RunState) -> bool:
    kept = [node.outputs for node in state.nodes.values()]
    return _fits([value, *kept], MAX_KEPT, MAX_NESTING + 1)


def _fits(value: object, max_bytes: int, max_depth: int) -> bool:
    try:
        check_value(value, max_bytes=max_bytes, max_depth=max_depth)
    except MalformedJson:
        return False
    return True
