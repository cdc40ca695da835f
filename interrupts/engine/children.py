"""Sub-workflows, as far as the parent's own transaction goes (wire contract §6.3, §7.4).

A child is a run of its own. One transaction changes one run, so a parent only asks for its child: it records the
dispatch, with the child's id, and the outbox starts the child after the parent's commit. In the same way a child that
has ended tells its parent, and a parent that was cut short has its children cancelled.
"""

from __future__ import annotations

from typing import cast

from interrupts import outbox, selectors
from interrupts.conf import MAX_RUNS_OF_A_TREE, MAX_SUBWORKFLOW_DEPTH
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.nodes.base import Dispatch, Failed
from interrupts.engine.offers import check_offered
from interrupts.engine.plan import Plan, load_plan
from interrupts.errors import WopError
from interrupts.events import RunLog
from interrupts.ids import child_run_id
from interrupts.kinds import registry
from interrupts.models import Run, Workflow
from interrupts.vocabulary import EventType, RunStatus, Topic


def dispatch(log: RunLog, plan: Plan, node_id: str, wish: Dispatch) -> JsonObject | Failed:
    """Ask for a child: log it under its id and leave its start to the outbox.

    Returns ``{childRunId, childStatus}``, or why the node fails. All that could refuse the child is looked at here and
    its version is fixed: once it is dispatched, only the end of its parent keeps it from starting. A visit that was cut
    short (wire contract §7.5) asks for the same child again.
    """
    node = log.state.nodes[node_id]
    child_id = child_run_id(log.run.pk, node_id, node.visits)
    child = selectors.run_of(log.run.tenant_id, child_id) if node.attempt else None
    workflow = _choose(log.run, plan, wish) if child is None else child.workflow
    if isinstance(workflow, Failed):
        return workflow
    status = RunStatus.PENDING if child is None else RunStatus(child.status)
    told: JsonObject = {"childRunId": child_id, "childWorkflowId": wish.workflow_id, "childStatus": str(status)}
    log.append(EventType.NODE_DISPATCHED, told, node_id=node_id)
    outbox.enqueue(
        topic=Topic.START_CHILD,
        run=log.run,
        dedupe_key=f"{Topic.START_CHILD}:{child_id}:{node.attempt}",
        now=log.clock,
        payload=_order(node_id, child_id, workflow, wish),
    )
    return {"childRunId": child_id, "childStatus": str(status)}


def _choose(run: Run, plan: Plan, wish: Dispatch) -> Workflow | Failed:
    workflow = selectors.latest_workflow(run.tenant_id, wish.workflow_id)
    if workflow is None:
        return Failed("not_found", f"There is no workflow “{wish.workflow_id}” to start.")
    return _too_deep(run) or too_many(run) or _unfit(plan, load_plan(workflow.document), wish) or workflow


def _order(node_id: str, child_id: str, workflow: Workflow, wish: Dispatch) -> JsonObject:
    return {
        "nodeId": node_id,
        "childRunId": child_id,
        "version": workflow.pk,
        "inputs": wish.inputs,
        "waits": wish.waits,
        "endsWithParent": wish.ends_with_parent,
    }


def end_family(log: RunLog) -> None:
    """After a run's end: tell its parent, and have the children cancelled that were to end with it."""
    run, status = log.run, log.state.status
    if run.parent_run_id is not None:
        outbox.enqueue(topic=Topic.CHILD_ENDED, run=run, dedupe_key=f"{Topic.CHILD_ENDED}:{run.pk}", now=log.clock)
    if log.state.dispatched and status is not RunStatus.COMPLETED:
        reason = "parent-cancelled" if status is RunStatus.CANCELLED else "parent-failed"
        key = f"{Topic.CANCEL_CHILDREN}:{run.pk}"
        outbox.enqueue(topic=Topic.CANCEL_CHILDREN, run=run, dedupe_key=key, now=log.clock, payload={"reason": reason})


def _too_deep(run: Run) -> Failed | None:
    if run.depth >= MAX_SUBWORKFLOW_DEPTH:
        message = f"Sub-workflows may be nested {MAX_SUBWORKFLOW_DEPTH} deep."
        return Failed("recursion_limit_exceeded", message, details={"limit": MAX_SUBWORKFLOW_DEPTH})
    return None


def too_many(run: Run) -> Failed | None:
    """Return why nothing more may come of the run at the root: what calls itself many times over must end somewhere.

    Looked at again when the child starts, because meanwhile others of the tree have asked for children too.
    """
    if selectors.runs_of_tree(run.tree or run.pk) >= MAX_RUNS_OF_A_TREE:
        message = f"At most {MAX_RUNS_OF_A_TREE} runs may come of one."
        return Failed("recursion_limit_exceeded", message, details={"limit": MAX_RUNS_OF_A_TREE})
    return None


def _unfit(plan: Plan, child: Plan, wish: Dispatch) -> Failed | None:
    try:
        check_offered(child, kinds=registry.served())
    except WopError as error:
        return Failed(error.code, error.message, details=error.details)
    problems = child.input_problems(wish.inputs)
    if problems:
        told: list[JsonValue] = [{"pointer": problem.pointer, "message": problem.message} for problem in problems]
        message = f"What this node gives to “{wish.workflow_id}” does not fit it."
        return Failed("validation_error", message, details=cast("JsonObject", {"problems": told}))
    return _discloses(plan, child, wish)


def _discloses(plan: Plan, child: Plan, wish: Dispatch) -> Failed | None:
    """What one of the two workflows calls sensitive must not be shown by the other, nor by a node's outputs."""
    ours, theirs = ({v.name for v in each.variables if v.sensitive} for each in (plan, child))
    leaks = [name for name, source in wish.sources.items() if source in ours and name not in theirs]
    leaks += [name for name, source in wish.results.items() if source in theirs or name in ours]
    if not leaks:
        return None
    message = f"The mapping of “{leaks[0]}” would show what is declared sensitive."
    return Failed("node_config_invalid", message, details={"field": leaks[0]})
