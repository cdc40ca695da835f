"""What a node type is: it gets a context and returns a value; the engine does all the writing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue
from interrupts.errors import WopError
from interrupts.kinds.base import Contract, Resolution
from interrupts.vocabulary import DEFAULT_ESCALATION_THRESHOLD, EventType, InterruptKind, RunStatus


@dataclass(frozen=True, slots=True)
class NodeEvent:
    """Something that happened in a node and has an event type of its own. The engine records it, under the node."""

    type: EventType
    payload: JsonObject


@dataclass(frozen=True, slots=True)
class Completed:
    """The node is done. ``events`` are recorded before its end, here as in the other results."""

    outputs: JsonObject
    events: tuple[NodeEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """The node failed; ``code`` is from the protocol's registry (wire contract §3)."""

    code: str
    message: str
    retryable: bool = False
    details: JsonObject | None = None
    events: tuple[NodeEvent, ...] = ()


@dataclass(frozen=True, slots=True)
class Suspend:
    """The node waits for something outside the run: one interrupt, whose key the engine makes.

    ``timeout_ms`` is the interrupt's own deadline in milliseconds, counted from now; None or 0 is no deadline.
    ``reason`` says on ``node.suspended`` why the node could not go on by itself. ``then`` is recorded right after the
    suspension, which caused it. ``contract`` is how the interrupt is answered, where the node says so and not its kind;
    ``title`` what lists call it, where that is not in the data.
    """

    kind: InterruptKind
    data: JsonObject
    timeout_ms: int | None = None
    resume_schema: JsonObject | None = None
    reason: str | None = None
    events: tuple[NodeEvent, ...] = ()
    then: tuple[NodeEvent, ...] = ()
    contract: Contract | None = None
    title: str = ""


@dataclass(frozen=True, slots=True)
class Wait:
    """The node waits for the clock alone; ``elapsed`` is called after ``delay_ms`` milliseconds."""

    delay_ms: int


@dataclass(frozen=True, slots=True)
class Dispatch:
    """The node starts a run of another workflow; with ``waits``, ``child_ended`` is called when that has ended.

    ``sources`` tells which variable of this run each mapped input of the child came from, ``results`` which of the
    child's values goes into which variable of this run. ``ends_with_parent`` children are cancelled with their parent.
    """

    workflow_id: str
    inputs: JsonObject
    waits: bool
    ends_with_parent: bool
    sources: Mapping[str, str]
    results: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class ChildEnd:
    """How a child ended: ``outputs`` are there when it completed, ``error`` when it failed."""

    run_id: str
    workflow_id: str
    status: RunStatus
    variables: JsonObject
    outputs: JsonObject
    error: JsonObject | None


@dataclass(frozen=True, slots=True)
class Asked:
    """The kind of interrupt a node raises, and what of its ``data`` is known before any run.

    ``path`` is where in the configuration the data stands.
    """

    kind: InterruptKind
    data: JsonObject
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bound:
    """A value from the run's state that a configuration asks for beside the inputs, at ``path`` in the configuration.

    ``source`` is written as the values of inputs are; the node finds what it gave among its inputs, by ``name``.
    """

    name: str
    path: tuple[str | int, ...]
    source: JsonObject


@dataclass(frozen=True, slots=True)
class Written:
    """A variable that a configuration, at ``path``, has the node write; ``schema`` is what its values satisfy."""

    name: str
    path: tuple[str | int, ...]
    schema: JsonSchema


NodeResult = Completed | Failed | Suspend | Wait | Dispatch


@dataclass(frozen=True, slots=True)
class NodeContext:
    """One execution of a node: its own configuration and the inputs as its ports resolved.

    On the way back from an interrupt, ``asked`` is the interrupt's data as it was shown, and there are no inputs: a
    source that ran again meanwhile must not change what was decided about.

    ``visit`` is the visit index: the node's interrupts that were resolved before this execution began; ``ordinal``
    counts those resolved since (interrupt.md §Re-entry). ``turns`` holds the number of turns of each conversation of
    the run; ``owner`` is the run's owner; ``agent_id`` is empty for a node that is no agent's.
    """

    run_id: str
    node_id: str
    node_name: str
    config: JsonObject
    inputs: JsonObject
    visit: int
    asked: JsonObject = field(default_factory=dict)
    ordinal: int = 0
    turns: Mapping[str, int] = field(default_factory=dict)
    owner: JsonObject = field(default_factory=dict)
    agent_id: str = ""
    escalation_threshold: float = DEFAULT_ESCALATION_THRESHOLD
    variables: JsonObject = field(default_factory=dict)


class NodeType(ABC):
    """A kind of node. Stateless: one instance serves all runs.

    ``inputs`` names the ports a node of this type takes, None for any; ``outputs`` likewise what it may put out.
    ``config_schema`` must close what a misspelt option would otherwise silently lose.
    """

    type_id: ClassVar[str]
    title: ClassVar[str]
    config_schema: ClassVar[JsonObject]
    inputs: ClassVar[frozenset[str] | None]
    outputs: ClassVar[frozenset[str] | None]

    @abstractmethod
    def execute(self, ctx: NodeContext) -> NodeResult:
        """Run the node, as far as it goes without the outside."""

    def resume(self, ctx: NodeContext, resolution: Resolution) -> NodeResult:
        """Go on after the interrupt which ``execute`` raised was resolved."""
        raise NotImplementedError(f"{self.type_id} raises no interrupt, so it has nothing to resume")

    def elapsed(self, ctx: NodeContext) -> NodeResult:
        """Go on after the time which ``execute`` asked for has passed."""
        raise NotImplementedError(f"{self.type_id} does not wait for the clock")

    def child_ended(self, ctx: NodeContext, child: ChildEnd) -> NodeResult:
        """Go on after the run which ``execute`` started has ended."""
        raise NotImplementedError(f"{self.type_id} starts no runs")

    def asks(self, config: JsonObject) -> Asked | None:
        """The interrupt this node raises, as far as its configuration fixes it; None when it raises none."""
        return None

    def bound(self, config: JsonObject) -> list[Bound]:
        """The values of the run's state that the configuration asks for, beside the inputs."""
        return []

    def writes(self, config: JsonObject) -> list[Written]:
        """The variables of the run that the configuration has the node write."""
        return []

    def ways(self, config: JsonObject) -> frozenset[str]:
        """The outputs that are ways out: an edge from one of them counts only when the node put that one out."""
        return frozenset()

    def puts_out(self, config: JsonObject) -> frozenset[str] | None:
        """What a node so configured may put out; None for anything."""
        return self.outputs

    def refuses_start(self, config: JsonObject) -> WopError | None:
        """Why no run of a workflow with such a node may be created here, though it could be registered."""
        return None

    def refuses_answer(self, config: JsonObject, value: JsonValue) -> WopError | None:
        """Why an answer which its kind accepts is none for this node."""
        return None

    def check_config(self, config: JsonObject) -> list[Problem]:
        """What is wrong with a configuration of the right shape; pointers start at the configuration."""
        return []
