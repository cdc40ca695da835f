"""What a kind of interrupt is: it says who may answer, what an answer must look like, and what an answer decides."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar

from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.vocabulary import TIMEOUT_ACTION, InterruptKind, Scope


@dataclass(frozen=True, slots=True)
class OpenInterrupt:
    """An interrupt that waits for its answer. ``data`` is closed per kind (interrupt.md §Payload).

    ``owner`` is the owner of its run: ``{tenant, subject}`` (wire contract §4.3).
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


class Kind(ABC):
    """One kind of interrupt. Stateless: one instance serves all runs."""

    kind: ClassVar[InterruptKind]

    def declared(self, *, tenant_id: str, data: JsonObject) -> None:  # noqa: B027 - most kinds keep nothing
        """Take note that a registered workflow may ask this. Called inside the registration's transaction."""

    def opened(self, interrupt: OpenInterrupt) -> None:  # noqa: B027 - most kinds keep nothing
        """Keep what this kind looks up by, such as whom the gate names. Called inside the run's transaction."""

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

    def authorize(self, interrupt: OpenInterrupt, actor: Actor) -> None:
        actor.require(Scope.APPROVALS_RESPOND)

    def parse(self, interrupt: OpenInterrupt, value: JsonValue, *, now: datetime) -> JsonValue:
        """Return the value as it was sent: that is what ``interrupt.resolved`` keeps (wire contract §25 row 35)."""
        return value

    def consider(
        self, interrupt: OpenInterrupt, actor: Actor, right: None, value: JsonValue, *, now: datetime
    ) -> Consideration:
        return Decided(
            Resolution(kind=self.kind, interrupt_id=interrupt.id, resume_value=value, resolved_by=actor.subject)
        )

    def on_deadline(self, interrupt: OpenInterrupt) -> Resolution:
        """End without an answer: the node that asked fails with ``interrupt_expired`` (§25, note A)."""
        return Resolution(kind=self.kind, interrupt_id=interrupt.id, resume_value=None, reason=TIMEOUT_ACTION)
