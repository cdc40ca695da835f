"""The state of a run as the fold of its log: pure, and the same for every reader (wire contract §21).

``RunState.fold(events)`` is the truth; ``Run.state`` is its cache. A state knows nothing of the workflow: what may run
next is decided from it and the plan by ``engine.routing``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Final

from interrupts.contracts.types import JsonObject
from interrupts.vocabulary import TERMINAL_STATUSES, WAITING_STATUS, EventType, InterruptKind, NodeStatus, RunStatus


@dataclass(frozen=True, slots=True)
class Event:
    """One entry of a log, before or after it is stored."""

    sequence: int
    type: str
    node_id: str
    payload: dict[str, Any]
    at: str


@dataclass(frozen=True, slots=True)
class NodeState:
    """Where a node stands in its latest visit.

    ``activated`` and ``settled`` are sequences in the log: of the start (or skip) of the latest visit, and of its end.
    ``visits`` counts starts; ``resolved`` counts the node's ``interrupt.resolved`` events; ``resolved_before`` counts
    those from before the latest visit, and so is its visit index (interrupt.md §Re-entry).
    ``attempt`` counts, from zero, the starts within the visit: a pause may cut one short (wire contract §7.5), and the
    next belongs to the same visit (§25 row 34). ``is_reopened`` tells a visit over a back edge,
    ``child_run_id`` the sub-workflow that the visit started.
    """

    status: NodeStatus
    activated: int
    settled: int | None = None
    visits: int = 0
    resolved: int = 0
    resolved_before: int = 0
    outputs: JsonObject = field(default_factory=dict)
    error: JsonObject | None = None
    interrupt_id: str | None = None
    kind: str | None = None
    attempt: int = 0
    is_reopened: bool = False
    child_run_id: str | None = None

    @property
    def is_active(self) -> bool:
        return self.status in (NodeStatus.RUNNING, NodeStatus.SUSPENDED)

    @property
    def is_interrupted(self) -> bool:
        return self.status is NodeStatus.INTERRUPTED


@dataclass(frozen=True, slots=True)
class RunState:
    """Everything the engine needs to go on, and everything a snapshot shows.

    ``turns`` holds the number of turns that each conversation has had in this run; ``paused_ms`` is the time it spent
    paused; ``variables`` are those that changed since the start; ``dispatched`` counts starts of sub-workflows.
    """

    status: RunStatus = RunStatus.PENDING
    last_sequence: int = -1
    last_event_at: str | None = None
    executions: int = 0
    inputs: JsonObject = field(default_factory=dict)
    nodes: dict[str, NodeState] = field(default_factory=dict)
    waiting: tuple[str, ...] = ()
    error: JsonObject | None = None
    failed_node_id: str | None = None
    outputs: JsonObject | None = None
    started_at: str | None = None
    completed_at: str | None = None
    turns: dict[str, int] = field(default_factory=dict)
    paused_at: str | None = None
    paused_ms: int = 0
    variables: JsonObject = field(default_factory=dict)
    dispatched: int = 0

    @property
    def is_terminal(self) -> bool:
        return self.status in TERMINAL_STATUSES

    @property
    def current_node_id(self) -> str | None:
        """The node that has waited longest for an answer (wire contract §25 row 13)."""
        return self.waiting[0] if self.waiting else None

    @classmethod
    def fold(cls, events: Iterable[Event]) -> RunState:
        state = cls()
        for event in events:
            state = state.apply(event)
        return state

    def apply(self, event: Event) -> RunState:
        """Return the state after ``event``. Types that change nothing only move the sequence and the time."""
        handler = _HANDLERS.get(event.type)
        state = handler(self, event) if handler else self
        return replace(state, last_sequence=event.sequence, last_event_at=event.at)

    def with_node(self, node_id: str, node: NodeState) -> RunState:
        return replace(self, nodes={**self.nodes, node_id: node})

    def waiting_changed(self, waiting: tuple[str, ...]) -> RunState:
        """Derive the status from the oldest open interrupt, so that it and ``current_node_id`` agree."""
        if self.is_terminal:
            return replace(self, waiting=())
        status = RunStatus.RUNNING
        if self.status is RunStatus.PAUSED:
            status = RunStatus.PAUSED
        elif waiting:
            status = WAITING_STATUS[InterruptKind(self.nodes[waiting[0]].kind or InterruptKind.CUSTOM)]
        return replace(self, waiting=waiting, status=status)

    def to_json(self) -> JsonObject:
        return {**asdict(self), "waiting": list(self.waiting)}

    @classmethod
    def from_json(cls, data: JsonObject) -> RunState:
        fields: dict[str, Any] = dict(data)
        fields["status"] = RunStatus(fields["status"])
        fields["waiting"] = tuple(fields["waiting"])
        fields["nodes"] = {
            node_id: NodeState(**{**node, "status": NodeStatus(node["status"])})
            for node_id, node in fields["nodes"].items()
        }
        return cls(**fields)


def _run_started(state: RunState, event: Event) -> RunState:
    inputs = event.payload.get("inputs", {})
    return replace(state, status=RunStatus.RUNNING, inputs=inputs, started_at=event.at)


def _run_completed(state: RunState, event: Event) -> RunState:
    return _ended(state, RunStatus.COMPLETED, event, outputs=event.payload["outputs"])


def _run_failed(state: RunState, event: Event) -> RunState:
    error = {name: value for name, value in event.payload["error"].items() if name != "retryable"}
    return _ended(state, RunStatus.FAILED, event, error=error, failed_node_id=event.payload.get("failedNodeId"))


def _run_cancelled(state: RunState, event: Event) -> RunState:
    return _ended(state, RunStatus.CANCELLED, event)


def _ended(state: RunState, status: RunStatus, event: Event, **changes: Any) -> RunState:
    return replace(state, status=status, waiting=(), completed_at=event.at, paused_at=None, **changes)


def _run_paused(state: RunState, event: Event) -> RunState:
    """What still runs is cut: its next attempt starts when the run goes on."""
    nodes = {
        node_id: replace(node, status=NodeStatus.INTERRUPTED) if node.status is NodeStatus.RUNNING else node
        for node_id, node in state.nodes.items()
    }
    return replace(state, status=RunStatus.PAUSED, paused_at=event.at, nodes=nodes)


def _run_resumed(state: RunState, event: Event) -> RunState:
    if state.paused_at is None:
        return state
    paused = datetime.fromisoformat(event.at) - datetime.fromisoformat(state.paused_at)
    paused_ms = state.paused_ms + max(0, paused // timedelta(milliseconds=1))
    resumed = replace(state, status=RunStatus.RUNNING, paused_at=None, paused_ms=paused_ms)
    return resumed.waiting_changed(state.waiting)


def _node_started(state: RunState, event: Event) -> RunState:
    before = state.nodes.get(event.node_id)
    if before is not None and before.is_interrupted:
        again = replace(before, status=NodeStatus.RUNNING, attempt=event.payload["attempt"])
        return replace(state.with_node(event.node_id, again), executions=state.executions + 1)
    node = NodeState(
        status=NodeStatus.RUNNING,
        activated=event.sequence,
        visits=(before.visits if before else 0) + 1,
        resolved=before.resolved if before else 0,
        resolved_before=before.resolved if before else 0,
        is_reopened=event.payload.get("x-reopened", False),
    )
    return replace(state.with_node(event.node_id, node), executions=state.executions + 1)


def _node_skipped(state: RunState, event: Event) -> RunState:
    before = state.nodes.get(event.node_id)
    node = NodeState(
        status=NodeStatus.SKIPPED,
        activated=event.sequence,
        settled=event.sequence,
        visits=before.visits if before else 0,
        resolved=before.resolved if before else 0,
    )
    return state.with_node(event.node_id, node)


def _node_settled(state: RunState, event: Event, status: NodeStatus, **changes: Any) -> RunState:
    node = replace(
        state.nodes[event.node_id], status=status, settled=event.sequence, interrupt_id=None, kind=None, **changes
    )
    return _no_longer_waiting(state.with_node(event.node_id, node), event.node_id)


def _node_completed(state: RunState, event: Event) -> RunState:
    return _node_settled(state, event, NodeStatus.COMPLETED, outputs=event.payload.get("outputs", {}))


def _node_failed(state: RunState, event: Event) -> RunState:
    return _node_settled(state, event, NodeStatus.FAILED, error=event.payload["error"])


def _node_cancelled(state: RunState, event: Event) -> RunState:
    return _node_settled(state, event, NodeStatus.CANCELLED)


def _node_suspended(state: RunState, event: Event) -> RunState:
    node = replace(
        state.nodes[event.node_id],
        status=NodeStatus.SUSPENDED,
        interrupt_id=event.payload["interruptId"],
        kind=event.payload.get("kind"),
    )
    return state.with_node(event.node_id, node).waiting_changed((*state.waiting, event.node_id))


def _node_dispatched(state: RunState, event: Event) -> RunState:
    node = replace(state.nodes[event.node_id], child_run_id=event.payload["childRunId"])
    return replace(state.with_node(event.node_id, node), dispatched=state.dispatched + 1)


def _variable_changed(state: RunState, event: Event) -> RunState:
    return replace(state, variables={**state.variables, event.payload["name"]: event.payload["next"]})


def _interrupt_resolved(state: RunState, event: Event) -> RunState:
    before = state.nodes[event.node_id]
    node = replace(before, status=NodeStatus.RUNNING, resolved=before.resolved + 1, interrupt_id=None, kind=None)
    return _no_longer_waiting(state.with_node(event.node_id, node), event.node_id)


def _conversation_exchanged(state: RunState, event: Event) -> RunState:
    turns = event.payload["turnIndex"] + 1
    return replace(state, turns={**state.turns, event.payload["conversationId"]: turns})


def _no_longer_waiting(state: RunState, node_id: str) -> RunState:
    if node_id not in state.waiting:
        return state
    return state.waiting_changed(tuple(waiting for waiting in state.waiting if waiting != node_id))


_HANDLERS: Final[dict[str, Callable[[RunState, Event], RunState]]] = {
    EventType.RUN_STARTED: _run_started,
    EventType.RUN_COMPLETED: _run_completed,
    EventType.RUN_FAILED: _run_failed,
    EventType.RUN_CANCELLED: _run_cancelled,
    EventType.RUN_PAUSED: _run_paused,
    EventType.RUN_RESUMED: _run_resumed,
    EventType.NODE_STARTED: _node_started,
    EventType.NODE_SKIPPED: _node_skipped,
    EventType.NODE_COMPLETED: _node_completed,
    EventType.NODE_FAILED: _node_failed,
    EventType.NODE_CANCELLED: _node_cancelled,
    EventType.NODE_SUSPENDED: _node_suspended,
    EventType.NODE_DISPATCHED: _node_dispatched,
    EventType.VARIABLE_CHANGED: _variable_changed,
    EventType.INTERRUPT_RESOLVED: _interrupt_resolved,
    EventType.CONVERSATION_EXCHANGED: _conversation_exchanged,
}
