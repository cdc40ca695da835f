"""Pausing a run (wire contract §7.5): when it takes effect, and what it does with attempts under way.

An attempt is what lies between a node's start and its end, whether a process works on it or only a clock runs: a delay
is one, and so is a sub-workflow. ``drain-current-node`` lets every attempt under way come to its end and starts nothing
after it; until then the run is still ``running`` and the wish to pause is kept beside the log, which tells only what
has happened. ``immediate`` cuts the attempts: they end without an event of their own, and start anew after the pause.

So a paused run has no attempt under way, waits for no clock and has no open interrupt: only resume and cancel can do
anything with it.
"""

from __future__ import annotations

from interrupts import timers
from interrupts.contracts.types import JsonObject
from interrupts.events import RunLog
from interrupts.vocabulary import DrainPolicy, EventType, NodeStatus, RunStatus


def is_held(log: RunLog) -> bool:
    """Return whether nothing may start now. A pause that waited for the last attempt begins here."""
    if log.run.pause_request is not None and not _is_busy(log):
        _pause_now(log, log.run.pause_request)
    return log.state.status is RunStatus.PAUSED or log.run.pause_request is not None


def pause(log: RunLog, *, policy: DrainPolicy, reason: str | None, by: str) -> None:
    """Pause a run that is ``running``: at once, or when what is under way has ended."""
    payload: JsonObject = {"drainPolicy": str(policy), "x-paused-by": by}
    if reason is not None:
        payload["reason"] = reason
    if policy is DrainPolicy.DRAIN_CURRENT_NODE and _is_busy(log):
        log.ask_for_pause(payload)
        return
    cut = [(node.activated, node_id) for node_id, node in log.state.nodes.items() if node.is_active]
    if cut:
        # The payload has room for one: that of the visit that began first. The others are cut all the same.
        node_id = min(cut)[1]
        payload |= {"interruptedNodeId": node_id, "interruptedAttempt": log.state.nodes[node_id].attempt + 1}
    _pause_now(log, payload)


def resume(log: RunLog, *, reason: str | None, by: str) -> None:
    """End a pause, or take back the wish for one that has not begun. What runs next is for the caller to decide."""
    payload: JsonObject = {"x-resumed-by": by}
    if reason is not None:
        payload["reason"] = reason
    if log.run.pause_request is not None:
        log.ask_for_pause(None)
        payload["x-pause-withdrawn"] = True
    log.append(EventType.RUN_RESUMED, payload)


def _is_busy(log: RunLog) -> bool:
    return any(node.status is NodeStatus.RUNNING for node in log.state.nodes.values())


def _pause_now(log: RunLog, payload: JsonObject) -> None:
    log.ask_for_pause(None)
    timers.disarm_run(log.run.pk)
    log.append(EventType.RUN_PAUSED, payload)
