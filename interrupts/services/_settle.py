"""The end of an interrupt, the same for an answer and for a passed deadline (docs/architecture.md)."""

from __future__ import annotations

from typing import cast

from interrupts import suspensions, timers
from interrupts.contracts.types import JsonObject
from interrupts.engine import advance
from interrupts.engine.advance import Execution
from interrupts.kinds.base import Resolution
from interrupts.models import Suspension
from interrupts.vocabulary import TIMEOUT_ACTION, Action, EventType, SuspensionOutcome, TimerPurpose


def settle(execution: Execution, suspension: Suspension, resolution: Resolution) -> None:
    """Close the suspension, record ``interrupt.resolved``, and let the run go on. The caller flushes the log."""
    log = execution.log
    payload = resolved_payload(suspension, resolution)
    timed_out = resolution.reason == TIMEOUT_ACTION
    outcome = SuspensionOutcome.TIMED_OUT if timed_out else SuspensionOutcome.RESOLVED
    suspensions.close(suspension.pk, outcome=outcome, resolution=payload, now=log.now)
    if suspension.deadline is not None:
        timers.disarm(run_id=suspension.run_id, node_id=suspension.node_id, purpose=TimerPurpose.DEADLINE)
    log.append(EventType.INTERRUPT_RESOLVED, payload, node_id=suspension.node_id)
    asked = cast("JsonObject", suspension.payload["data"])
    advance.resume(execution, resolution, node_id=suspension.node_id, asked=asked)


def resolved_payload(suspension: Suspension, resolution: Resolution) -> JsonObject:
    """Return the closed payload of ``interrupt.resolved`` (wire contract §8.3).

    A timeout has neither a resume value nor a resolver; refine and edit-accept carry their required field.
    """
    optional = {
        "reason": resolution.reason,
        "resolvedBy": resolution.resolved_by,
        "decision": resolution.decision,
        "action": resolution.action,
        "refineFeedback": resolution.refine_feedback,
    }
    payload: JsonObject = {"nodeId": suspension.node_id, "interruptId": suspension.pk, "kind": suspension.kind}
    payload.update(cast("JsonObject", {name: value for name, value in optional.items() if value is not None}))
    payload.update(resolution.extra)
    if resolution.reason != TIMEOUT_ACTION:
        payload["resumeValue"] = resolution.resume_value
    if resolution.action == Action.EDIT_ACCEPT:
        payload["editedArtifactData"] = resolution.edited_artifact_data
    return payload
