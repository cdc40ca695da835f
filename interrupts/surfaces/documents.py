"""Runs as the wire shows them: closed objects, with the members we have (wire contract §7.2)."""

from __future__ import annotations

from interrupts.contracts.types import JsonObject
from interrupts.events import isoformat
from interrupts.models import Run
from interrupts.run_state import NodeState, RunState
from interrupts.services.event_documents import sensitive_inputs, without
from interrupts.vocabulary import ENGINE_VERSION, EVENT_LOG_SCHEMA_VERSION, NodeStatus


def run_snapshot(run: Run) -> JsonObject:
    """Return the RunSnapshot of a run, read with its workflow.

    Members without a value are left out. What the workflow declares sensitive is not shown, neither as a variable nor
    as the input it came from.
    """
    state = RunState.from_json(run.state)
    hidden = sensitive_inputs(run)
    document: JsonObject = {
        "runId": run.pk,
        "workflowId": run.workflow_key,
        "status": run.status,
        "owner": run.owner,
        "eventLogSchemaVersion": EVENT_LOG_SCHEMA_VERSION,
        "engineVersion": ENGINE_VERSION,
        "startedAt": state.started_at or isoformat(run.created_at),
        "inputs": without(run.inputs, hidden),
        "variables": without(run.variables, hidden),
        "nodeStates": {name: _node_state(node) for name, node in state.nodes.items()},
        "tags": run.tags,
    }
    optional = {
        "currentNodeId": run.current_node_id or None,
        "completedAt": isoformat(run.completed_at) if run.completed_at else None,
        "error": run.error,
        "metadata": run.metadata,
        "configurable": run.configurable,
    }
    return document | {name: value for name, value in optional.items() if value is not None}


def _node_state(node: NodeState) -> JsonObject:
    shown: JsonObject = {"status": str(node.status), "visits": node.visits}
    if node.child_run_id is not None:
        shown["childRunId"] = node.child_run_id
    if node.error is not None:
        shown["error"] = node.error
    if node.status is NodeStatus.SUSPENDED and node.interrupt_id is not None:
        shown["interruptId"] = node.interrupt_id
    return shown
