"""``core.subWorkflow``: starts a run of another workflow (wire contract §6.3)."""

from __future__ import annotations

from typing import Final, cast

from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.types import JsonObject
from interrupts.engine.nodes._variables import changed
from interrupts.engine.nodes.base import (
    ChildEnd,
    Completed,
    Dispatch,
    Failed,
    NodeContext,
    NodeResult,
    NodeType,
)
from interrupts.vocabulary import ChildFailure, RunStatus

_OWN_OUTPUTS: Final = frozenset({"childRunId", "childStatus", "childError"})
_NAME: Final[JsonObject] = {"type": "string", "minLength": 1, "maxLength": 256}
_MAPPING: Final[JsonObject] = {
    "type": "object",
    "maxProperties": 100,
    "propertyNames": _NAME,
    "additionalProperties": _NAME,
}


class SubWorkflow(NodeType):
    """Starts the newest version of a workflow in the same tenant and, unless told otherwise, waits for its end.

    ``inputMapping`` gives the child's inputs the values that this run's variables have now; the node's own input ports
    go before it. ``outputMapping`` names variables of this run, each with the child's variable, or else the child's
    output, that it takes over when the child has completed; what the child does not have is left as it is. The node
    puts out ``childRunId``, ``childStatus`` and what it mapped.

    A child that failed or was cancelled fails the node with the child's own error code, or, with ``onChildFailure:
    "continue"``, is put out as ``childStatus`` and ``childError``. With ``waitForCompletion: false`` the node completes
    at once. ``propagateCancellation: false`` lets the child go on when its parent is cancelled or fails.
    """

    type_id = "core.subWorkflow"
    title = "Run another workflow"
    config_schema = {
        "type": "object",
        "additionalProperties": False,
        "required": ["workflowId"],
        "properties": {
            "workflowId": {"type": "string", "pattern": "^[a-z][a-z0-9_-]*$", "maxLength": 128},
            "inputMapping": _MAPPING,
            "outputMapping": _MAPPING,
            "waitForCompletion": {"type": "boolean"},
            "onChildFailure": {"enum": [str(policy) for policy in ChildFailure]},
            "propagateCancellation": {"type": "boolean"},
        },
    }
    inputs = None
    outputs = None

    def execute(self, ctx: NodeContext) -> NodeResult:
        sources = _mapping(ctx.config, "inputMapping")
        mapped = {name: ctx.variables[source] for name, source in sources.items() if source in ctx.variables}
        return Dispatch(
            workflow_id=cast("str", ctx.config["workflowId"]),
            inputs={**mapped, **ctx.inputs},
            waits=_waits(ctx.config),
            ends_with_parent=cast("bool", ctx.config.get("propagateCancellation", True)),
            sources=sources,
            results=_mapping(ctx.config, "outputMapping"),
        )

    def child_ended(self, ctx: NodeContext, child: ChildEnd) -> NodeResult:
        outputs: JsonObject = {"childRunId": child.run_id, "childStatus": str(child.status)}
        if child.status is not RunStatus.COMPLETED:
            return _not_completed(ctx, child, outputs)
        values = {**child.outputs, **child.variables}
        results = {n: values[source] for n, source in _mapping(ctx.config, "outputMapping").items() if source in values}
        events = tuple(changed(ctx, name, value) for name, value in results.items())
        return Completed({**outputs, **results}, events)

    def check_config(self, config: JsonObject) -> list[Problem]:
        problems = [
            Problem(to_pointer(["outputMapping", name]), "reserved", f"The node itself puts out “{name}”.")
            for name in _mapping(config, "outputMapping")
            if name in _OWN_OUTPUTS
        ]
        for name in ("outputMapping", "onChildFailure"):
            if name in config and not _waits(config):
                message = f"“{name}” means nothing to a node that does not wait for the child."
                problems.append(Problem(to_pointer([name]), "waitForCompletion", message))
        return problems


def _mapping(config: JsonObject, name: str) -> dict[str, str]:
    return cast("dict[str, str]", config.get(name, {}))


def _waits(config: JsonObject) -> bool:
    return cast("bool", config.get("waitForCompletion", True))


def _not_completed(ctx: NodeContext, child: ChildEnd, outputs: JsonObject) -> NodeResult:
    error = child.error or {"code": "run_terminal", "message": "It was cancelled."}
    if ctx.config.get("onChildFailure") == ChildFailure.CONTINUE:
        return Completed(outputs if child.error is None else {**outputs, "childError": child.error})
    message = f"The sub-workflow “{child.workflow_id}” did not complete: {error['message']}"
    return Failed(str(error["code"]), message, details=outputs)
