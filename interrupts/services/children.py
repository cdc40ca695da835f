"""Sub-workflows after their parent's commit: started, reported and cancelled through the outbox, at least once.

The parent's row is the mutex between the start of a child and the end of its parent: a start holds it while the child
is created, so that either the end is seen and the child never starts, or the child is there when the end looks for it.
No transaction that holds a child's row asks for its parent's.
"""

from __future__ import annotations

import logging
from datetime import datetime
from typing import Any

from django.db import transaction

from interrupts import selectors
from interrupts.engine import advance, children
from interrupts.engine.advance import Execution
from interrupts.engine.nodes.base import ChildEnd, Failed
from interrupts.engine.plan import load_plan
from interrupts.events import RunLog
from interrupts.ids import tenant_of
from interrupts.models import OutboxMessage, Run, Workflow
from interrupts.run_state import RunState
from interrupts.services._locking import lock_run
from interrupts.services.runs import begin
from interrupts.vocabulary import TERMINAL_STATUSES, NodeStatus, RunStatus

logger = logging.getLogger(__name__)


def start_child(*, message: OutboxMessage, now: datetime) -> None:
    """Start the child that a node was promised. Does nothing when it is there, or no longer wanted."""
    order: dict[str, Any] = message.payload
    with transaction.atomic():
        parent = _lock(message.run_id, now)
        if not _is_wanted(parent, order):
            return
        child = selectors.run_of(tenant_of(message.run_id), order["childRunId"])
        if child is None:
            _create_or_refuse(parent, order, now)
    if child is not None and child.status in TERMINAL_STATUSES:
        # The visit was cut short and began anew; the end of its child was told while nobody waited for it.
        report_child(child_run_id=child.pk, now=now)


def _is_wanted(parent: Execution, order: dict[str, Any]) -> bool:
    state = parent.log.state
    if not order["waits"]:
        return not order["endsWithParent"] or state.status not in (RunStatus.FAILED, RunStatus.CANCELLED)
    return _waits_for(state, order["nodeId"], order["childRunId"])


def _waits_for(state: RunState, node_id: str, child_run_id: str) -> bool:
    node = state.nodes.get(node_id)
    return node is not None and node.status is NodeStatus.RUNNING and node.child_run_id == child_run_id


def _create_or_refuse(parent: Execution, order: dict[str, Any], now: datetime) -> None:
    refusal = children.too_many(parent.log.run)
    if refusal is None:
        _create(parent.log.run, order, now)
        logger.info("child started run=%s parent=%s", order["childRunId"], parent.log.run.pk)
        return
    logger.warning("child refused run=%s parent=%s", order["childRunId"], parent.log.run.pk)
    if order["waits"]:
        advance.go_on(parent, order["nodeId"], refusal)
        parent.log.flush()


def _create(parent: Run, order: dict[str, Any], now: datetime) -> None:
    """The child belongs to who started its parent, and keeps the parent's scope, tags and callback."""
    workflow = Workflow.objects.get(pk=order["version"], tenant_id=parent.tenant_id)
    plan = load_plan(workflow.document)
    run = Run(
        id=order["childRunId"],
        tenant_id=parent.tenant_id,
        workflow=workflow,
        workflow_key=workflow.workflow_id,
        status=RunStatus.PENDING,
        owner=parent.owner,
        inputs=order["inputs"],
        variables=plan.initial_variables(order["inputs"]),
        tags=parent.tags,
        scope_id=parent.scope_id,
        callback_url=parent.callback_url,
        parent_run=parent,
        parent_node_id=order["nodeId"],
        ends_with_parent=order["endsWithParent"],
        tree=parent.tree or parent.pk,
        depth=parent.depth + 1,
        created_at=now,
    )
    execution = Execution.of(run, RunLog(run, now=now, is_new=True))
    begin(execution, {"x-parent-run-id": parent.pk, "x-parent-node-id": run.parent_node_id})
    execution.log.flush()


def report_child(*, child_run_id: str, now: datetime) -> None:
    """Tell a parent how its child ended. Does nothing when the node no longer waits for that."""
    child = Run.objects.get(pk=child_run_id)
    with transaction.atomic():
        parent = _lock(str(child.parent_run_id), now)
        if not _waits_for(parent.log.state, child.parent_node_id, child.pk):
            return
        advance.child_ended(parent, child.parent_node_id, _end_of(child))
        parent.log.flush()
    logger.info("child reported run=%s parent=%s status=%s", child.pk, child.parent_run_id, child.status)


def _end_of(child: Run) -> ChildEnd:
    return ChildEnd(
        run_id=child.pk,
        workflow_id=child.workflow_key,
        status=RunStatus(child.status),
        variables=child.variables,
        outputs=RunState.from_json(child.state).outputs or {},
        error=child.error,
    )


def cancel_children(*, parent_run_id: str, reason: str, now: datetime) -> None:
    """Cancel the children that were to end with their parent, each in a transaction of its own (wire contract §7.4)."""
    for child_run_id in selectors.children_to_end(parent_run_id):
        with transaction.atomic():
            child = _lock(child_run_id, now)
            if child.log.state.is_terminal:
                continue
            advance.cancel_run(child, reason=reason, cancelled_by=None, parent_run_id=parent_run_id)
            child.log.flush()


def give_up_child(*, message: OutboxMessage, now: datetime) -> None:
    """Let a node fail whose child could not be started, so that its parent does not wait for ever."""
    order: dict[str, Any] = message.payload
    with transaction.atomic():
        parent = _lock(message.run_id, now)
        if _waits_for(parent.log.state, order["nodeId"], order["childRunId"]):
            failure = Failed("internal_error", "The host could not start the sub-workflow.")
            advance.go_on(parent, order["nodeId"], failure)
        parent.log.flush()


def _lock(run_id: str, now: datetime) -> Execution:
    return lock_run(run_id=run_id, tenant_id=tenant_of(run_id), now=now)
