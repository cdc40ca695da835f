"""What a node type is: it gets a context and returns a value; the engine does all the writing."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject
from interrupts.kinds.base import Resolution
from interrupts.vocabulary import InterruptKind


@dataclass(frozen=True, slots=True)
class Completed:
    """The node is done."""

    outputs: JsonObject


@dataclass(frozen=True, slots=True)
class Failed:
    """The node failed; ``code`` is from the protocol's registry (wire contract §3)."""

    code: str
    message: str
    retryable: bool = False
    details: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Suspend:
    """The node waits for something outside the run: one interrupt, whose key the engine makes.

    ``timeout_ms`` is the interrupt's own deadline in milliseconds, counted from now; None or 0 is no deadline.
    """

    kind: InterruptKind
    data: JsonObject
    timeout_ms: int | None = None
    resume_schema: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class Wait:
    """The node waits for the clock alone; ``elapsed`` is called after ``delay_ms`` milliseconds."""

    delay_ms: int


@dataclass(frozen=True, slots=True)
class Asked:
    """The kind of interrupt a node raises, and what of its ``data`` is known before any run."""

    kind: InterruptKind
    data: JsonObject


NodeResult = Completed | Failed | Suspend | Wait


@dataclass(frozen=True, slots=True)
class NodeContext:
    """One execution of a node: its own configuration and the inputs as its ports resolved.

    On the way back from an interrupt, ``asked`` is the interrupt's data as it was shown, and there are no inputs: a
    source that ran again meanwhile must not change what was decided about.
    """

    run_id: str
    node_id: str
    node_name: str
    config: JsonObject
    inputs: JsonObject
    visit: int
    asked: JsonObject = field(default_factory=dict)


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

    def asks(self, config: JsonObject) -> Asked | None:
        """The interrupt this node raises, as far as its configuration fixes it; None when it raises none."""
        return None

    def check_config(self, config: JsonObject) -> list[Problem]:
        """What is wrong with a configuration of the right shape; pointers start at the configuration."""
        return []
