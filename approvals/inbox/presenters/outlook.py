"""What each answer leads to: the engine's own rules, tried on a copy of the run's state. Nothing is written.

Only the step that follows at once is told. What depends on the words of the answer is tried with empty ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Final, cast

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from approvals.forms.shapes import Option
from approvals.inbox.presenters.form.words import outcomes_in_words
from approvals.inbox.presenters.text import one_line
from approvals.policy import GatePolicy
from approvals.quorum import Ballot, tally
from interrupts.contracts.types import JsonObject
from interrupts.engine import routing
from interrupts.engine.conditions import ConditionError, condition_holds
from interrupts.engine.nodes import node_type
from interrupts.engine.nodes.base import Completed, Failed, NodeContext
from interrupts.engine.plan import Plan, PlanEdge, load_plan
from interrupts.engine.values import PortError, resolve_inputs
from interrupts.kinds.base import Resolution
from interrupts.models import Suspension
from interrupts.run_state import Event, RunState
from interrupts.vocabulary import TIMEOUT_ACTION, Action, Decision, EventType, InterruptKind

_MAX_STEPS: Final = 100


@dataclass(frozen=True, slots=True)
class _Trial:
    """One run, as it stands, to try an end of one of its gates on."""

    plan: Plan
    state: RunState
    variables: JsonObject
    suspension: Suspension

    def scope(self, state: RunState) -> JsonObject:
        nodes = {name: {"status": str(n.status), "outputs": n.outputs} for name, n in state.nodes.items()}
        return cast("JsonObject", {"inputs": state.inputs, "variables": self.variables, "nodes": nodes})

    def holds(self, state: RunState, edge: PlanEdge) -> bool:
        return condition_holds(edge, {**self.scope(state), "output": state.nodes[edge.source].outputs})


def outlook(
    suspension: Suspension, policy: GatePolicy, others: Iterable[Ballot], *, overrides: bool
) -> dict[Action, str]:
    """Return what each action that the gate takes would lead to now, in words.

    ``others`` are the ballots that count beside the reader's own; ``overrides`` tells whether the reader may release
    the gate alone.
    """
    ballots = list(others)
    return {action: _consequence(suspension, policy, ballots, action, overrides) for action in policy.actions}


def timeout_outlook(suspension: Suspension) -> str:
    """Return what a passed deadline leads to: it rejects, whatever the gate would like."""
    return _after(suspension, None, Decision.REJECTED)


def outcome_outlook(suspension: Suspension) -> list[str]:
    """Return where each outcome of a question leads to, in words: the ends of the edges that leave by it."""
    plan = load_plan(suspension.run.workflow.document)
    outcomes = [str(outcome) for outcome in (suspension.contract or {}).get("outcomes", [])]
    labels = outcomes_in_words([Option(outcome) for outcome in outcomes])
    sentences = []
    for outcome, label in zip(outcomes, labels, strict=True):
        ways = [edge for edge in plan.outgoing.get(suspension.node_id, ()) if edge.source_output == outcome]
        nodes = _(" or ").join(dict.fromkeys(f"“{one_line(plan.nodes[edge.target].name)}”" for edge in ways))
        if nodes:
            sentences.append(_("%(outcome)s: the run goes on to %(nodes)s.") % {"outcome": label, "nodes": nodes})
    return sentences


def _consequence(
    suspension: Suspension, policy: GatePolicy, others: list[Ballot], action: Action, overrides: bool
) -> str:
    if action is Action.ASK:
        return _("Your question is shown here. Nothing is decided, and the time goes on.")
    count = tally(policy, [*others, Ballot(action, overrides)])
    if count.decision is not None:
        return _("This decides it and cannot be undone. %(then)s") % {
            "then": _after(suspension, action, count.decision)
        }
    if action is Action.REJECT:
        return _("Counts as rejection %(count)d of the %(needed)d that stop it.") % {
            "count": count.rejects,
            "needed": policy.rejections_to_stop,
        }
    missing = policy.required_approvals - count.accepts
    return ngettext(
        "Counts as one approval; %(missing)d more is needed.",
        "Counts as one approval; %(missing)d more are needed.",
        missing,
    ) % {"missing": missing}


def _after(suspension: Suspension, action: Action | None, decision: Decision) -> str:
    run = suspension.run
    trial = _Trial(load_plan(run.workflow.document), RunState.from_json(run.state), run.variables, suspension)
    try:
        return " ".join(_sentences(trial, action, decision))
    except (ConditionError, PortError):
        return _("What follows depends on the answer.")


def _sentences(trial: _Trial, action: Action | None, decision: Decision) -> Iterator[str]:
    node_id = trial.suspension.node_id
    result = _conclude(trial, action, decision)
    state = _apply(trial.state, EventType.INTERRUPT_RESOLVED, node_id, {})
    if isinstance(result, Failed):
        state = _apply(state, EventType.NODE_FAILED, node_id, {"error": {"code": result.code}})
        if not routing.is_routed(trial.plan, node_id, partial(trial.holds, state)):
            yield _("The run ends as failed.")
            return
    elif isinstance(result, Completed):
        state = _apply(state, EventType.NODE_COMPLETED, node_id, {"outputs": result.outputs})
    yield from _follow(trial, state)


def _follow(trial: _Trial, state: RunState) -> Iterator[str]:
    for _step in range(_MAX_STEPS):
        match routing.next_step(trial.plan, state, partial(trial.holds, state)):
            case routing.Start(node_id, _delivered, is_reopened):
                words = _("The run goes back to “%(node)s”.") if is_reopened else _("The run goes on to “%(node)s”.")
                yield words % {"node": one_line(trial.plan.nodes[node_id].name)}
                state = _apply(state, EventType.NODE_STARTED, node_id, {})
            case routing.Skip(node_id, _reason):
                state = _apply(state, EventType.NODE_SKIPPED, node_id, {})
            case routing.Idle():
                if state.waiting:
                    yield _("The run still waits for another answer.")
                return
            case routing.Finish(_outputs):
                yield _("The run is complete.")
                return


def _conclude(trial: _Trial, action: Action | None, decision: Decision) -> object:
    node = trial.plan.nodes[trial.suspension.node_id]
    answer = _empty_answer(trial.suspension, action)
    resolution = Resolution(
        kind=InterruptKind.APPROVAL,
        interrupt_id=trial.suspension.pk,
        resume_value=answer,
        action=str(action) if action else TIMEOUT_ACTION,
        decision=str(decision),
        reason=None if action else TIMEOUT_ACTION,
        refine_feedback=cast("JsonObject | None", answer.get("refineFeedback")),
        edited_artifact_data=answer.get("editedArtifactData"),
    )
    context = NodeContext(
        run_id=trial.suspension.run_id,
        node_id=node.id,
        node_name=node.name,
        config=node.config,
        inputs=resolve_inputs(node, trial.scope(trial.state)),
        visit=trial.state.nodes[node.id].resolved,
    )
    return node_type(node.type_id).resume(context, resolution)


def _empty_answer(suspension: Suspension, action: Action | None) -> JsonObject:
    data = cast("JsonObject", suspension.payload["data"])
    answer: JsonObject = {"action": str(action)}
    if action is Action.REFINE:
        answer["refineFeedback"] = {"scope": "whole"}
    if action is Action.EDIT_ACCEPT:
        answer["editedArtifactData"] = data.get("artifactData")
    return answer


def _apply(state: RunState, event_type: EventType, node_id: str, payload: JsonObject) -> RunState:
    return state.apply(Event(state.last_sequence + 1, str(event_type), node_id, payload, ""))
