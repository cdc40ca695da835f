"""The approval kind: five actions, a quorum, and people who may answer (interrupt.md §Approval)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import ClassVar, cast

from approvals import eligibility, quorum, selectors, votes
from approvals.eligibility import Right
from approvals.models import ApproverRef, GateApprover, Vote
from approvals.payloads import payload_schema
from approvals.policy import named_refs, read_policy
from interrupts import conf
from interrupts.actor import Actor
from interrupts.contracts.json_values import as_integer
from interrupts.contracts.problems import Problem
from interrupts.contracts.shipped import shipped
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import validate
from interrupts.errors import ValidationFailed
from interrupts.events import isoformat
from interrupts.kinds.base import Consideration, Contract, Decided, Kind, OpenInterrupt, Resolution, Undecided
from interrupts.problems import validation_failed
from interrupts.vocabulary import TIMEOUT_ACTION, Action, Decision, InterruptKind, RefKind


class ApprovalKind(Kind):
    kind: ClassVar[InterruptKind] = InterruptKind.APPROVAL

    def declared(self, *, tenant_id: str, data: JsonObject) -> None:
        """Record whom the gate names as soon as it is registered, so that an administrator can say who holds a role."""
        _record_refs(tenant_id, named_refs(data))

    def doubts(self, *, tenant_id: str, data: JsonObject) -> list[Problem]:
        """Report a gate that only takes questions, and one that too few people of the tenant may answer."""
        found = []
        if data.get("actions") == [Action.ASK]:
            message = "This gate takes questions only: nobody can ever decide it."
            found.append(Problem("/actions", "gate_only_asks", message))
        needed = as_integer(data.get("requiredApprovals")) or 1
        people = selectors.count_people(tenant_id=tenant_id, named=named_refs(data))
        if people < needed:
            message = f"{needed} must approve, and {people} of this tenant may answer this gate as things are."
            found.append(Problem("/requiredApprovals", "quorum_beyond_eligible", message))
        return found

    def opened(self, interrupt: OpenInterrupt) -> None:
        refs: list[ApproverRef | None] = [*_record_refs(interrupt.tenant_id, named_refs(interrupt.data))] or [None]
        GateApprover.objects.bulk_create([GateApprover(suspension_id=interrupt.id, ref=ref) for ref in refs])

    def derived(self, interrupt: OpenInterrupt) -> Contract:
        """The outcomes are the gate's actions; the payload is what an answer says besides."""
        actions = tuple(map(str, read_policy(interrupt.data).actions))
        return Contract(
            str(self.kind), actions, self.request_schema, payload_schema(actions, interrupt.resume_schema), typed=True
        )

    def composed(self, outcome: str, payload: JsonValue) -> JsonValue:
        return {"action": outcome, **cast("JsonObject", payload)}

    def place(self, interrupt: OpenInterrupt, pointer: str) -> str:
        return "/outcome" if pointer == "/action" else super().place(interrupt, pointer)

    def parse(self, interrupt: OpenInterrupt, value: JsonValue, *, now: datetime) -> JsonValue:
        """Check the answer's shape and action; stamp ``decidedAt`` where it is missing (§25 row 16)."""
        allowed = read_policy(interrupt.data).actions
        if isinstance(value, dict) and isinstance(action := value.get("action"), str) and action not in allowed:
            raise ValidationFailed(
                f"This gate does not take the action “{action[:40]}”. It takes: {', '.join(allowed)}.",
                details={"field": "resumeValue.action", "allowed": [str(action) for action in allowed]},
            )
        problems = validate(shipped("approval-resume"), value)
        if problems:
            raise validation_failed(problems, base="/resumeValue")
        answer = cast("JsonObject", value)
        return {**answer, "decidedAt": answer.get("decidedAt", isoformat(now))}

    def progress(self, interrupt: OpenInterrupt) -> str:
        """Return how many have approved and how many still must, where one approval is not enough."""
        policy = read_policy(interrupt.data)
        if policy.required_approvals == 1:
            return ""
        cast_votes = selectors.votes_at([interrupt.id]).get(interrupt.id, [])
        count = quorum.tally(policy, votes.ballots([each.vote for each in cast_votes if not each.has_left]))
        missing = policy.required_approvals - count.accepts
        needed = f"{missing} more {'is' if missing == 1 else 'are'} needed"
        against = f", {count.rejects} against" if count.rejects else ""
        return f"{count.accepts} of {policy.required_approvals} approvals{against}, {needed}"

    def authorize(self, interrupt: OpenInterrupt, actor: Actor) -> Right:
        return eligibility.decide(interrupt_id=interrupt.id, actor=actor)

    def consider(
        self, interrupt: OpenInterrupt, actor: Actor, right: Right, value: JsonValue, *, now: datetime
    ) -> Consideration:
        """Count the answer as a vote, or keep it as a question; the deciding vote's action and data are the gate's."""
        answer = cast("JsonObject", value)
        action = Action(cast("str", answer["action"]))
        if action is Action.ASK:
            votes.ask(interrupt_id=interrupt.id, actor=actor.subject_id, text=_asked(answer), answer=answer, now=now)
            return Undecided()
        policy = read_policy(interrupt.data)
        right, voter = _conformance_voter(right, actor, answer)
        overrides = policy.override_bypasses_quorum and eligibility.may_override(
            actor=actor, workflow_id=interrupt.workflow_id
        )
        vote = votes.Cast(right=right, actor=voter, action=action, answer=answer, override=overrides)
        counted = votes.cast_vote(interrupt_id=interrupt.id, vote=vote, now=now)
        decision = quorum.tally(policy, votes.ballots(counted)).decision
        if decision is None:
            return Undecided()
        resolution = _resolution(interrupt, actor, decision, answer)
        return Decided(replace(resolution, extra=_votes_on_record(counted)))

    def on_deadline(self, interrupt: OpenInterrupt) -> Resolution:
        """Reject, whatever ``onTimeout`` says (interrupt.md §Rejection)."""
        return Resolution(
            kind=self.kind,
            interrupt_id=interrupt.id,
            resume_value=None,
            action=TIMEOUT_ACTION,
            decision=Decision.REJECTED,
            reason="timeout",
            extra=_votes_on_record(votes.standing(interrupt.id)),
        )


def _asked(answer: JsonObject) -> str:
    """Return the text of a question: the protocol's ``feedback``, or ``question``, as clients like to call it."""
    texts = (answer.get("feedback"), answer.get("question"))
    return next((text for text in texts if isinstance(text, str) and text), "")


def mark_open_to_all(interrupt: OpenInterrupt) -> None:
    """Record that an interrupt of another kind names nobody, as an open gate does: the inbox finds it by this row."""
    if interrupt.kind is not InterruptKind.APPROVAL:
        GateApprover.objects.create(suspension_id=interrupt.id, ref=None)


def _votes_on_record(counted: list[Vote]) -> JsonObject:
    return {"x-votes": votes.on_record(counted)}


def _resolution(interrupt: OpenInterrupt, actor: Actor, decision: Decision, answer: JsonObject) -> Resolution:
    action = answer["action"]
    return Resolution(
        kind=InterruptKind.APPROVAL,
        interrupt_id=interrupt.id,
        resume_value=answer,
        action=str(action),
        decision=str(decision),
        refine_feedback=cast("JsonObject | None", answer.get("refineFeedback")) if action == Action.REFINE else None,
        edited_artifact_data=answer.get("editedArtifactData") if action == Action.EDIT_ACCEPT else None,
        resolved_by=actor.resolver,
    )


def _conformance_voter(right: Right, actor: Actor, answer: JsonObject) -> tuple[Right, str]:
    """Let one key vote for several people, in a conformance run only: elsewhere ``voter`` would be a forged ballot."""
    voter = answer.get("voter")
    if conf.conformance() and isinstance(voter, str) and voter:
        return replace(right, voter=voter[:256]), voter[:256]
    return right, actor.subject_id


def _record_refs(tenant_id: str, named: list[tuple[RefKind, str]]) -> list[ApproverRef]:
    """Return the rows of the named references, writing new ones: three queries at most, one when all are known."""
    if not named:
        return []
    known = _find_refs(tenant_id, named)
    missing = [ApproverRef(tenant_id=tenant_id, kind=str(k), ref=r) for k, r in named if (k, r) not in known]
    if missing:
        # Another run may be naming the same reference for the first time: whoever is second finds it.
        ApproverRef.objects.bulk_create(missing, ignore_conflicts=True)
        known = _find_refs(tenant_id, named)
    return list(known.values())


def _find_refs(tenant_id: str, named: list[tuple[RefKind, str]]) -> dict[tuple[RefKind, str], ApproverRef]:
    wanted = set(named)
    rows = ApproverRef.objects.filter(tenant_id=tenant_id, ref__in={ref for _, ref in named})
    found = {(RefKind(row.kind), row.ref): row for row in rows}
    return {pair: row for pair, row in found.items() if pair in wanted}
