"""The words of the field, each spelled once: statuses, event types, actions, rules, scopes.

Sources: interrupt.md, wire contract §4.2, §6.2, §7.2, §8.3.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Final

PROTOCOL_VERSION: Final = "2.0"
EVENT_LOG_SCHEMA_VERSION: Final = 3
ENGINE_VERSION: Final = 1
IMPLEMENTATION_VERSION: Final = "0.1.0"


class RunStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    PAUSED = "paused"
    WAITING_APPROVAL = "waiting-approval"
    WAITING_INPUT = "waiting-input"
    WAITING_EXTERNAL = "waiting-external"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLING = "cancelling"
    CANCELLED = "cancelled"


TERMINAL_STATUSES: Final = frozenset({RunStatus.COMPLETED, RunStatus.FAILED, RunStatus.CANCELLED})


class NodeStatus(StrEnum):
    RUNNING = "running"
    SUSPENDED = "suspended"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"  # Its attempt was cut short by a pause; a new one follows when the run goes on.


SETTLED_STATUSES: Final = frozenset({NodeStatus.COMPLETED, NodeStatus.FAILED, NodeStatus.SKIPPED, NodeStatus.CANCELLED})


class EventType(StrEnum):
    RUN_STARTED = "run.started"
    RUN_COMPLETED = "run.completed"
    RUN_FAILED = "run.failed"
    RUN_CANCELLED = "run.cancelled"
    RUN_PAUSED = "run.paused"
    RUN_RESUMED = "run.resumed"
    NODE_STARTED = "node.started"
    NODE_COMPLETED = "node.completed"
    NODE_FAILED = "node.failed"
    NODE_SKIPPED = "node.skipped"
    NODE_CANCELLED = "node.cancelled"
    NODE_SUSPENDED = "node.suspended"
    NODE_DISPATCHED = "node.dispatched"
    NODE_RESUMED = "node.resumed"
    INTERRUPT_REQUESTED = "interrupt.requested"
    INTERRUPT_RESOLVED = "interrupt.resolved"
    CAP_BREACHED = "cap.breached"
    VARIABLE_CHANGED = "variable.changed"
    WORKFLOW_LOOPBACK_LIMIT = "workflow.loopback-limit"
    AGENT_DECIDED = "agent.decided"
    CONVERSATION_OPENED = "conversation.opened"
    CONVERSATION_EXCHANGED = "conversation.exchanged"
    CONVERSATION_CLOSED = "conversation.closed"
    CONNECTOR_AUTHORIZED = "connector.authorized"
    CONNECTOR_AUTH_EXPIRED = "connector.auth-expired"


class Sighted(StrEnum):
    """Whose signs of life are kept. A sweep is the work itself: a reminder went from beat to a worker and was done."""

    WORKER = "worker"
    BEAT = "beat"
    SWEEP = "sweep"


class DrainPolicy(StrEnum):
    """What a pause does with attempts that are under way (wire contract §7.5)."""

    DRAIN_CURRENT_NODE = "drain-current-node"
    IMMEDIATE = "immediate"


class ChildFailure(StrEnum):
    """What a sub-workflow node does when its child does not complete. The second is this host's own."""

    FAIL_PARENT = "fail-parent"
    CONTINUE = "continue"


class InterruptKind(StrEnum):
    APPROVAL = "approval"
    CLARIFICATION = "clarification"
    EXTERNAL_EVENT = "external-event"
    CUSTOM = "custom"
    CONVERSATION_START = "conversation.start"
    CONVERSATION_EXCHANGE = "conversation.exchange"
    CONVERSATION_CLOSE = "conversation.close"
    LOW_CONFIDENCE = "low-confidence"
    CREDENTIAL = "credential"


# interrupt.md §Payload fixes three of these; the rest are our choice (wire contract §25 row 37).
WAITING_STATUS: Final = {
    InterruptKind.APPROVAL: RunStatus.WAITING_APPROVAL,
    InterruptKind.CLARIFICATION: RunStatus.WAITING_INPUT,
    InterruptKind.EXTERNAL_EVENT: RunStatus.WAITING_EXTERNAL,
    InterruptKind.CUSTOM: RunStatus.WAITING_APPROVAL,
    InterruptKind.CONVERSATION_START: RunStatus.WAITING_INPUT,
    InterruptKind.CONVERSATION_EXCHANGE: RunStatus.WAITING_INPUT,
    InterruptKind.CONVERSATION_CLOSE: RunStatus.WAITING_INPUT,
    InterruptKind.LOW_CONFIDENCE: RunStatus.WAITING_APPROVAL,
    InterruptKind.CREDENTIAL: RunStatus.WAITING_INPUT,
}

# What a host must offer before a workflow may raise a kind: a family of discovery, or a facet of one.
CAPABILITY: Final = {
    InterruptKind.APPROVAL: "interrupt",
    InterruptKind.CLARIFICATION: "interrupt",
    InterruptKind.EXTERNAL_EVENT: "interrupt",
    InterruptKind.CUSTOM: "interrupt",
    InterruptKind.CONVERSATION_START: "conversationPrimitive",
    InterruptKind.CONVERSATION_EXCHANGE: "conversationPrimitive",
    InterruptKind.CONVERSATION_CLOSE: "conversationPrimitive",
    InterruptKind.LOW_CONFIDENCE: "interrupt",
    InterruptKind.CREDENTIAL: "oauth.credentialInterrupt",
}

# Below it an agent's decision waits for a person, unless the run's options say otherwise (wire contract §23).
DEFAULT_ESCALATION_THRESHOLD: Final = 0.7
# How many agents may take part in one conversation.
MAX_PARTICIPANTS: Final = 16


class Action(StrEnum):
    """What an answer to an approval may say (interrupt.md §Approval). A timeout is never an answer."""

    ACCEPT = "accept"
    REJECT = "reject"
    REFINE = "refine"
    EDIT_ACCEPT = "edit-accept"
    ASK = "ask"


TIMEOUT_ACTION: Final = "timeout"


class Decision(StrEnum):
    GRANTED = "granted"
    REJECTED = "rejected"
    OVERRIDDEN = "overridden"


class RejectionPolicy(StrEnum):
    SINGLE_VETO = "single-veto"
    MAJORITY = "majority"


class TriggerRule(StrEnum):
    ALL_SUCCESS = "all_success"
    ANY_SUCCESS = "any_success"
    ALL_COMPLETE = "all_complete"
    NONE_FAILED = "none_failed"
    ANY_FAILED = "any_failed"


# The pair over which a run may go on past a failed node (interrupt.md §Rejection).
RULES_ADMITTING_FAILURE: Final = frozenset({TriggerRule.ALL_COMPLETE, TriggerRule.ANY_FAILED})


class Scope(StrEnum):
    """Wire contract §4.2. No scope implies another."""

    MANIFEST_READ = "manifest:read"
    RUNS_CREATE = "runs:create"
    RUNS_READ = "runs:read"
    RUNS_CANCEL = "runs:cancel"
    APPROVALS_RESPOND = "approvals:respond"
    WORKFLOWS_WRITE = "workflows:write"
    WEBHOOKS_MANAGE = "webhooks:manage"


class Lane(StrEnum):
    API_KEY = "api-key"
    SESSION = "session"
    WORKLOAD = "workload"
    # A signed link: no credential of the protocol, so it is never named on the wire.
    LINK = "link"


# The subject of a link that names nobody, followed by the opaque part of its interrupt (wire contract §25 row 8).
LINK_SUBJECT: Final = "token:"
# For whom the link was made that an answer came by; beside it no Subject stands, as no credential named one (row 9).
ANSWERED_BY: Final = "x-answered-by"

ISSUERS: Final = {
    Lane.API_KEY: "urn:wopsite:api-key",
    Lane.SESSION: "urn:wopsite:session",
    Lane.WORKLOAD: "urn:wopsite:cli",
}


class RefKind(StrEnum):
    """Whom a gate may name (interrupt.md §Approver enforcement)."""

    PRINCIPAL = "principal"
    GROUP = "group"
    ROLE = "role"


class TimerPurpose(StrEnum):
    DEADLINE = "deadline"
    DELAY = "delay"
    RUN_TIMEOUT = "run-timeout"


class Topic(StrEnum):
    """What an outbox message asks for."""

    ADVANCE_RUN = "advance-run"
    START_CHILD = "start-child"
    CHILD_ENDED = "child-ended"
    CANCEL_CHILDREN = "cancel-children"


class DeliveryOutcome(StrEnum):
    """How a delivery ended; one that is still to be made has none."""

    DELIVERED = "delivered"
    DEAD = "dead"
    DROPPED = "dropped"


class SignatureAlgorithm(StrEnum):
    """How deliveries are signed (wire contract §18). The first is always there."""

    V1 = "v1"
    STANDARD_WEBHOOKS = "standard-webhooks-1"


class SuspensionOutcome(StrEnum):
    """How a suspension ended; an open one has none."""

    RESOLVED = "resolved"
    TIMED_OUT = "timed-out"
    CANCELLED = "cancelled"


# Ten years, in milliseconds: far beyond any gate or run, and within what a date can hold.
MAX_TIMEOUT_MS: Final = 10 * 366 * 24 * 3600 * 1000

TENANT_PATTERN: Final = r"^(?!\.{1,2}\Z)[A-Za-z0-9._-]{1,128}\Z"
NODE_ID_PATTERN: Final = r"^[A-Za-z0-9._~:-]{1,128}$"
BOUND_ID_PATTERN: Final = r"^(anon:)?[A-Za-z0-9._~-]{1,128}/[A-Za-z0-9._~-]{16,128}$"
IDEMPOTENCY_KEY_PATTERN: Final = r"^[A-Za-z0-9._~-]{22,128}$"
