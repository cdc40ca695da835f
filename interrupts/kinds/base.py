"""What a kind of interrupt is: it says who may answer, what an answer must look like, and what an answer decides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any, ClassVar, Final

from interrupts.actor import Actor
from interrupts.contracts.composition import ANY_OBJECT
from interrupts.contracts.problems import Problem
from interrupts.contracts.shipped import data_schema
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import SchemaRefused, compile_schema, validate
from interrupts.problems import validation_failed
from interrupts.vocabulary import TIMEOUT_ACTION, InterruptKind, Scope

SUBMITTED: Final = "submitted"
_SHOWN: Final = 40


@dataclass(frozen=True, slots=True)
class Contract:
    """What an interrupt promises to whoever answers it; it is fixed when the run pauses.

    ``kind`` is free text, ``outcomes`` are the answers there are to choose from, ``resume_schema`` is what the payload
    beside the outcome must satisfy. ``typed`` tells a schema that somebody declared, or that follows from what is
    asked, from one that admits any object. An answer to an ``enveloped`` interrupt is ``{outcome, payload}`` on the
    wire.
    """

    kind: str
    outcomes: tuple[str, ...]
    request_schema: JsonObject
    resume_schema: JsonObject
    typed: bool
    enveloped: bool = False

    def to_json(self) -> JsonObject:
        return {
            "kind": self.kind,
            "outcomes": list(self.outcomes),
            "request_schema": self.request_schema,
            "resume_schema": self.resume_schema,
            "typed": self.typed,
            "enveloped": self.enveloped,
        }

    @classmethod
    def from_json(cls, stored: JsonObject) -> Contract:
        known: dict[str, Any] = {each.name: stored[each.name] for each in fields(cls)}
        return cls(**{**known, "outcomes": tuple(known["outcomes"])})


@dataclass(frozen=True, slots=True)
class OpenInterrupt:
    """An interrupt that waits for its answer. ``data`` is closed per kind (interrupt.md §Payload).

    ``owner`` is the owner of its run: ``{tenant, subject}`` (wire contract §4.3). ``resume_schema`` is the schema that
    an answer as a whole must satisfy; ``declared`` is the contract as it was fixed at the pause, None while it is not.
    """

    id: str
    tenant_id: str
    run_id: str
    workflow_id: str
    node_id: str
    kind: InterruptKind
    data: JsonObject
    opened_at: datetime
    deadline: datetime | None
    owner: JsonObject
    resume_schema: JsonObject | None = None
    declared: Contract | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """How an interrupt ended, as ``interrupt.resolved`` records it (wire contract §8.3).

    ``action``, ``decision`` and ``reason`` are set for an approval; ``reason`` is "timeout" for a passed deadline of
    any kind. ``edited_artifact_data`` counts only with the action edit-accept, where it may be null. ``extra`` holds
    what else belongs on record; its names begin with ``x-``, the extension that the closed payload admits.
    """

    kind: InterruptKind
    interrupt_id: str
    resume_value: JsonValue
    action: str | None = None
    decision: str | None = None
    reason: str | None = None
    refine_feedback: JsonObject | None = None
    edited_artifact_data: JsonValue = None
    resolved_by: JsonObject | None = None
    extra: JsonObject = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Undecided:
    """The answer was kept, and the interrupt stays open."""


@dataclass(frozen=True, slots=True)
class Decided:
    """The answer ends the interrupt."""

    resolution: Resolution


Consideration = Undecided | Decided


def submission(served: Kind, resume_schema: JsonObject, *, typed: bool) -> Contract:
    """Return the contract of what is answered in one way.

    A schema that was put together and became too large or too deep to be checked is told to nobody: what is asked still
    decides about the answer.
    """
    try:
        compile_schema(resume_schema)
    except SchemaRefused:
        return submission(served, ANY_OBJECT, typed=False)
    return Contract(str(served.kind), (SUBMITTED,), served.request_schema, resume_schema, typed)


def answer_problems(
    outcome: str, payload: JsonValue, *, outcomes: Sequence[str], resume_schema: JsonObject
) -> list[Problem]:
    """Return all that is wrong with an answer, at ``/outcome`` and below ``/payload``; raise SchemaRefused."""
    compiled = compile_schema(resume_schema)
    found = [replace(problem, pointer=f"/payload{problem.pointer}") for problem in validate(compiled, payload)]
    if outcome in outcomes:
        return found
    message = f"“{outcome[:_SHOWN]}” is no outcome here. The outcomes are: {', '.join(outcomes)}."
    return [Problem("/outcome", "enum", message), *found]


class Kind(ABC):
    """One kind of interrupt. Stateless: one instance serves all runs."""

    kind: ClassVar[InterruptKind]

    @property
    def is_offered(self) -> bool:
        """Whether runs may raise it here. One that is not still ends what was asked while it was."""
        return True

    @property
    def request_schema(self) -> JsonObject:
        """The schema of what an inspection shows as the payload, for all interrupts of the kind that declare none."""
        return data_schema(self.kind)

    def declared(self, *, tenant_id: str, data: JsonObject) -> None:  # noqa: B027 - most kinds keep nothing
        """Take note that a registered workflow may ask this. Called inside the registration's transaction."""

    def doubts(self, *, tenant_id: str, data: JsonObject) -> list[Problem]:
        """Return why what a workflow would ask may never be answered: pointers into the data, codes as keywords."""
        return []

    def opened(self, interrupt: OpenInterrupt) -> None:  # noqa: B027 - most kinds keep nothing
        """Keep what this kind looks up by, such as whom the gate names. Called inside the run's transaction."""

    def contract(self, interrupt: OpenInterrupt) -> Contract:
        """Return how the interrupt is answered: as fixed at its pause, or else as this kind reads it."""
        return interrupt.declared or self.derived(interrupt)

    @abstractmethod
    def derived(self, interrupt: OpenInterrupt) -> Contract:
        """Return the contract that follows from what is asked."""

    def progress(self, interrupt: OpenInterrupt) -> str:
        """Return in words what the answers so far come to, where one alone need not decide; empty otherwise."""
        return ""

    def shown(self, interrupt: OpenInterrupt) -> JsonValue:
        """Return what an inspection shows as the interrupt's payload."""
        return interrupt.data

    def answer(self, interrupt: OpenInterrupt, outcome: str, payload: JsonValue) -> JsonValue:
        """Return the answer that an outcome and its payload stand for, as ``parse`` takes it.

        Raises ValidationFailed for an outcome that was not declared (at ``/outcome``) and for a payload that does not
        satisfy the contract (below ``/payload``).
        """
        contract = self.contract(interrupt)
        problems = answer_problems(outcome, payload, outcomes=contract.outcomes, resume_schema=contract.resume_schema)
        if problems:
            raise validation_failed(problems)
        return {"outcome": outcome, "payload": payload} if contract.enveloped else self.composed(outcome, payload)

    def composed(self, outcome: str, payload: JsonValue) -> JsonValue:
        """Return the answer for an outcome and a payload that the contract admits."""
        return payload

    def place(self, interrupt: OpenInterrupt, pointer: str) -> str:
        """Return where in ``{outcome, payload}`` the part of an answer is that a pointer tells."""
        return pointer if self.contract(interrupt).enveloped else f"/payload{pointer}"

    @abstractmethod
    def parse(self, interrupt: OpenInterrupt, value: JsonValue, *, now: datetime) -> JsonValue:
        """Return the answer normalised, or raise ValidationFailed with problems by JSON Pointer."""

    @abstractmethod
    def authorize(self, interrupt: OpenInterrupt, actor: Actor) -> Any:
        """Return the right by which ``actor`` answers, for ``consider``; raise Forbidden when there is none."""

    @abstractmethod
    def consider(
        self, interrupt: OpenInterrupt, actor: Actor, right: Any, value: JsonValue, *, now: datetime
    ) -> Consideration:
        """Weigh one valid answer of somebody who may give it."""

    @abstractmethod
    def on_deadline(self, interrupt: OpenInterrupt) -> Resolution:
        """Say how the interrupt ends when its time is up. It never grants."""


class SingleAnswer(Kind):
    """A kind that ends with its first valid answer, from anybody in the tenant who may answer at all.

    Only an approval names approvers (interrupt.md §Approver enforcement). For the other kinds the scope
    ``approvals:respond`` is the whole right, and the tenant of the run is the actor's own.
    """

    def derived(self, interrupt: OpenInterrupt) -> Contract:
        """One outcome; the payload is the whole answer, bound by the schema for answers where there is one."""
        schema = interrupt.resume_schema
        return submission(self, schema or ANY_OBJECT, typed=schema is not None)

    def authorize(self, interrupt: OpenInterrupt, actor: Actor) -> None:
        actor.require(Scope.APPROVALS_RESPOND)

    def parse(self, interrupt: OpenInterrupt, value: JsonValue, *, now: datetime) -> JsonValue:
        """Return the value as it was sent: that is what ``interrupt.resolved`` keeps (wire contract §25 row 35)."""
        return value

    def consider(
        self, interrupt: OpenInterrupt, actor: Actor, right: None, value: JsonValue, *, now: datetime
    ) -> Consideration:
        resolver, traced = actor.resolver, actor.traced
        return Decided(Resolution(self.kind, interrupt.id, resume_value=value, resolved_by=resolver, extra=traced))

    def on_deadline(self, interrupt: OpenInterrupt) -> Resolution:
        """End without an answer: the node that asked fails with ``interrupt_expired`` (§25, note A)."""
        return Resolution(kind=self.kind, interrupt_id=interrupt.id, resume_value=None, reason=TIMEOUT_ACTION)
