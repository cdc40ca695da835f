"""The run page, as plain values: how the run stands, and its log in words."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from approvals import selectors
from approvals.inbox.links import interrupt_url, run_url
from approvals.inbox.presenters import words
from approvals.inbox.presenters.artifact import Artifact, present_artifact, to_source
from approvals.inbox.presenters.text import one_line, visible
from approvals.inbox.presenters.times import Moment, moment
from approvals.inbox.presenters.words import State, Words
from interrupts.contracts.types import JsonObject
from interrupts.engine.plan import Plan, load_plan
from interrupts.models import Run, RunEvent
from interrupts.run_state import RunState
from interrupts.vocabulary import TIMEOUT_ACTION, Decision, EventType, InterruptKind

MAX_EVENTS: Final = 500
_REJECTED: Final = "approval_rejected"

_SENTENCES: Final[Mapping[str, Words]] = {
    EventType.RUN_STARTED: gettext_lazy("The run started."),
    EventType.RUN_COMPLETED: gettext_lazy("The run completed."),
    EventType.RUN_FAILED: gettext_lazy("The run failed."),
    EventType.RUN_CANCELLED: gettext_lazy("The run was cancelled."),
    EventType.RUN_PAUSED: gettext_lazy("The run was paused."),
    EventType.RUN_RESUMED: gettext_lazy("The run goes on."),
    EventType.NODE_STARTED: gettext_lazy("“%(node)s” started."),
    EventType.NODE_COMPLETED: gettext_lazy("“%(node)s” completed."),
    EventType.NODE_FAILED: gettext_lazy("“%(node)s” failed."),
    EventType.NODE_SKIPPED: gettext_lazy("“%(node)s” was skipped."),
    EventType.NODE_CANCELLED: gettext_lazy("“%(node)s” was cancelled."),
    EventType.NODE_DISPATCHED: gettext_lazy("“%(node)s” started another run."),
    EventType.VARIABLE_CHANGED: gettext_lazy("“%(node)s” changed a value of the run."),
    EventType.NODE_SUSPENDED: gettext_lazy("“%(node)s” waits for an answer."),
    EventType.NODE_RESUMED: gettext_lazy("“%(node)s” went on with the answer."),
    EventType.INTERRUPT_REQUESTED: gettext_lazy("“%(node)s” asked a question."),
    EventType.AGENT_DECIDED: gettext_lazy("The agent at “%(node)s” decided."),
    EventType.CONVERSATION_OPENED: gettext_lazy("“%(node)s” opened a conversation."),
    EventType.CONVERSATION_EXCHANGED: gettext_lazy("Somebody spoke in the conversation of “%(node)s”."),
    EventType.CONVERSATION_CLOSED: gettext_lazy("The conversation of “%(node)s” was closed."),
    EventType.CAP_BREACHED: gettext_lazy("The run reached a limit."),
    EventType.WORKFLOW_LOOPBACK_LIMIT: gettext_lazy("“%(node)s” went round more often than expected."),
}


@dataclass(frozen=True, slots=True)
class EventLine:
    sequence: int
    at: Moment
    text: str
    type: str
    json: str


@dataclass(frozen=True, slots=True)
class Asked:
    """One interrupt of the run; ``state`` is None while it is open."""

    url: str
    title: str
    state: State | None


@dataclass(frozen=True, slots=True)
class Part:
    """A run that a node of this one started."""

    url: str
    workflow: str


@dataclass(frozen=True, slots=True)
class RunPage:
    id: str
    workflow: str
    version: str
    state: State
    started_by: str
    started: Moment
    ended: Moment | None
    is_being_paused: bool
    parent_url: str
    parts: tuple[Part, ...]
    waits_at: str
    error: tuple[str, str] | None
    asked: tuple[Asked, ...]
    inputs: Artifact | None
    outputs: Artifact | None
    events: tuple[EventLine, ...]
    hidden_events: int


def present_run(run: Run, *, now: datetime) -> RunPage:
    """Return the page of a run. Three queries."""
    plan, state = load_plan(run.workflow.document), RunState.from_json(run.state)
    events = list(RunEvent.objects.filter(run_id=run.pk).order_by("sequence")[:MAX_EVENTS])
    starter = words.subject_of(run.owner)
    subjects = {starter, *(words.decider_of(event.payload) for event in events)}
    names = selectors.names_of(tenant_id=run.tenant_id, subject_ids=subjects)
    sensitive = {variable.name for variable in plan.variables if variable.sensitive}
    return RunPage(
        id=run.pk,
        workflow=one_line(run.workflow.name),
        version=one_line(run.workflow.version, limit=40),
        state=words.run_state(run.status),
        started_by=names.get(starter, starter),
        started=moment(run.created_at, now=now),
        parent_url=run_url(run.parent_run_id) if run.parent_run_id else "",
        parts=tuple(_parts(events)),
        is_being_paused=run.pause_request is not None,
        ended=moment(run.completed_at, now=now) if run.completed_at else None,
        waits_at=_node_name(plan, run.current_node_id) if run.current_node_id else "",
        error=_error(run.error, events, names),
        asked=tuple(_asked(run)),
        inputs=_values(_masked(run.inputs, sensitive)),
        outputs=_values(state.outputs),
        events=tuple(_event_line(plan, event, names, sensitive, now) for event in events),
        hidden_events=max(0, run.last_sequence + 1 - MAX_EVENTS),
    )


def _parts(events: Iterable[RunEvent]) -> Iterable[Part]:
    """Yield the sub-workflows, each once: a visit that was cut short finds the run it had started."""
    started = {
        str(event.payload["childRunId"]): str(event.payload["childWorkflowId"])
        for event in events
        if event.type == EventType.NODE_DISPATCHED
    }
    return (Part(run_url(run_id), one_line(workflow)) for run_id, workflow in started.items())


def _asked(run: Run) -> Iterable[Asked]:
    for suspension in selectors.interrupts_of_run(run.pk):
        state = words.ending(suspension) if suspension.outcome else None
        yield Asked(interrupt_url(suspension), one_line(suspension.title), state)


def _error(error: object, events: Iterable[RunEvent], names: Mapping[str, str]) -> tuple[str, str] | None:
    if not isinstance(error, dict):
        return None
    code = str(error.get("code", ""))
    rejection = _rejection(events, names) if code == _REJECTED else ""
    return code, rejection or visible(str(error.get("message", "")))


def _rejection(events: Iterable[RunEvent], names: Mapping[str, str]) -> str:
    """Return who rejected what ended the run, by the last answer that did; nothing when the log shown has none."""
    rejected = [e.payload for e in events if e.payload.get("decision") == Decision.REJECTED]
    if not rejected:
        return ""
    if rejected[-1].get("action") == TIMEOUT_ACTION:
        return _("Nobody decided in time, so it was rejected.")
    decider = words.decider_of(rejected[-1])
    return _("Rejected by %(name)s.") % {"name": words.person(decider, names)} if decider else ""


def _values(value: JsonObject | None) -> Artifact | None:
    if not value:
        return None
    return present_artifact({"artifactType": "", "artifactData": value})


def _masked(inputs: JsonObject, sensitive: set[str]) -> JsonObject:
    return {name: _("(hidden: sensitive)") if name in sensitive else value for name, value in inputs.items()}


def _event_line(plan: Plan, event: RunEvent, names: Mapping[str, str], sensitive: set[str], now: datetime) -> EventLine:
    payload = cast("JsonObject", event.payload)
    if event.type == EventType.RUN_STARTED and isinstance(payload.get("inputs"), dict):
        payload = {**payload, "inputs": _masked(cast("JsonObject", payload["inputs"]), sensitive)}
    return EventLine(
        sequence=event.sequence,
        at=moment(event.at, now=now),
        text=_sentence(plan, event, names),
        type=event.type,
        json=visible(to_source(payload)),
    )


def _sentence(plan: Plan, event: RunEvent, names: Mapping[str, str]) -> str:
    if event.type == EventType.INTERRUPT_RESOLVED:
        return _resolved(plan, event, names)
    if event.type == EventType.INTERRUPT_REQUESTED and event.payload.get("kind") == InterruptKind.APPROVAL:
        return _("“%(node)s” asked for a decision.") % {"node": _node_name(plan, event.node_id)}
    template = str(_SENTENCES.get(event.type, event.type))
    return template % {"node": _node_name(plan, event.node_id)} if "%(" in template else template


def _resolved(plan: Plan, event: RunEvent, names: Mapping[str, str]) -> str:
    node = _node_name(plan, event.node_id)
    if event.payload.get("reason") == TIMEOUT_ACTION and event.payload.get("kind") != InterruptKind.APPROVAL:
        return _("Nobody answered “%(node)s” in time.") % {"node": node}
    if event.payload.get("action") == TIMEOUT_ACTION:
        return _("Nobody answered “%(node)s” in time: it was rejected.") % {"node": node}
    name = words.person(words.decider_of(event.payload), names)
    did = words.done(str(event.payload.get("action", "")))
    return _("%(name)s %(did)s at “%(node)s”.") % {"name": name, "did": did, "node": node}


def _node_name(plan: Plan, node_id: str) -> str:
    node = plan.nodes.get(node_id)
    return one_line(node.name if node else node_id)
