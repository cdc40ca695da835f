"""The routing rules a second time, from their text and by other means (wire contract §6.2, ``engine/routing.py``).

The engine compares sequence numbers in a log. This one keeps a set of *stale* nodes and a set of *marked* back edges:
activating a node makes all that lies downstream of it stale, and a node that completes or fails marks the back edges
out of it. Both must tell the same story, event by event.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from interrupts.contracts.types import JsonObject

WAITING, COMPLETED, FAILED, SKIPPED, CUT = "waiting", "completed", "failed", "skipped", "cut"
ADMIT_FAILURE = {"all_complete", "any_failed"}


@dataclass
class Edge:
    id: str
    source: str
    target: str
    rule: str


@dataclass
class Reference:
    """``outcome(node, visit)`` says what a node does when it starts; ``holds(edge id)`` whether a condition is true."""

    document: JsonObject
    outcome: Callable[[str, int], str]
    holds: Callable[[str], bool]
    recursion_limit: int = 1000
    loop_limit: int | None = None
    advisory: int | None = None
    log: list[str] = field(default_factory=lambda: ["run.started"])
    status: dict[str, str] = field(default_factory=dict)
    visits: dict[str, int] = field(default_factory=dict)
    executions: int = 0
    is_over: bool = False
    is_draining: bool = False
    is_paused: bool = False

    def __post_init__(self) -> None:
        nodes: Any = self.document["nodes"]
        edges: Any = self.document["edges"]
        self.names: list[str] = [node["id"] for node in nodes]
        self.disabled = {node["id"] for node in nodes if node.get("disabled")}
        self.edges = [
            Edge(e["id"], e["sourceNodeId"], e["targetNodeId"], e.get("triggerRule", "all_success")) for e in edges
        ]
        closing = _closing_edges(self.names, self.edges)
        self.back = [edge for edge in self.edges if edge.id in closing]
        self.forward = [edge for edge in self.edges if edge.id not in closing]
        self.order = self._order()
        self.stale = set(self.names)
        self.marked: set[str] = set()

    def _order(self) -> list[str]:
        taken: list[str] = []
        while len(taken) < len(self.names):
            taken.append(
                next(
                    name
                    for name in self.names
                    if name not in taken and all(e.source in taken for e in self.forward if e.target == name)
                )
            )
        return taken

    # --- What happens from outside --------------------------------------------------------------------------------

    def run(self) -> None:
        """Go on until only the outside can change something."""
        while not (self.is_over or self.is_draining or self.is_paused) and self._step():
            pass

    def pause(self, *, immediate: bool) -> None:
        """Only a run without open gates is paused, so what waits are delays."""
        self.is_draining = True
        if immediate:
            self.status |= dict.fromkeys(self.waiting, CUT)
        self._drained()

    def resume(self) -> None:
        self.is_paused = self.is_draining = False
        self.log.append("run.resumed")
        for name in [name for name in self.order if self.status.get(name) == CUT]:
            if self.is_over or self._breaches(name, again=False):
                return
            self.executions += 1
            self.status[name] = WAITING
            self.log.append(f"node.started {name}")

    def _drained(self) -> None:
        if self.is_draining and not self.is_over and not self.waiting:
            self.is_draining, self.is_paused = False, True
            self.log.append("run.paused")

    @property
    def waiting(self) -> list[str]:
        return [name for name, status in self.status.items() if status == WAITING]

    def settle(self, name: str, result: str) -> None:
        """End one visit of a node; a failure with nowhere to go ends the run."""
        self.status[name] = result
        self.log.append(f"node.{result} {name}")
        self.marked |= {edge.id for edge in self.back if edge.source == name}
        goes_on = any(e.source == name and e.rule in ADMIT_FAILURE and self.holds(e.id) for e in self.edges)
        if result == FAILED and not goes_on:
            self.fail()
        self._drained()

    def fail(self) -> None:
        self.log += [f"node.cancelled {name}" for name in self.waiting]
        self.log.append("run.failed")
        self.is_over = True

    # --- One step -------------------------------------------------------------------------------------------------

    def _step(self) -> bool:
        for name in self.order:
            if self.status.get(name) == WAITING:
                continue
            if name in self.stale:
                if self._sources_are_settled(name):
                    self._enter(name)
                    return True
            elif name not in self.disabled and self._is_reopened(name):
                self._start(name, again=True)
                return True
        if self.waiting:
            return False
        self.log.append("run.completed")
        self.is_over = True
        return False

    def _sources_are_settled(self, name: str) -> bool:
        sources = {edge.source for edge in self.forward if edge.target == name}
        return all(source not in self.stale and self.status[source] != WAITING for source in sources)

    def _enter(self, name: str) -> None:
        arriving = [edge for edge in self.forward if edge.target == name]
        if name not in self.disabled and (not arriving or self._fires(arriving)):
            self._start(name, again=False)
            return
        self._activate(name)
        self.status[name] = SKIPPED
        self.log.append(f"node.skipped {name}")

    def _fires(self, edges: list[Edge]) -> bool:
        counted = [self._counts_as(edge) for edge in edges]
        done, failed = counted.count(COMPLETED), counted.count(FAILED)
        return {
            "all_success": done == len(edges),
            "any_success": done >= 1,
            "all_complete": True,
            "none_failed": failed == 0,
            "any_failed": failed >= 1,
        }[edges[0].rule]

    def _counts_as(self, edge: Edge) -> str:
        status = self.status[edge.source]
        if status == FAILED and edge.rule not in ADMIT_FAILURE:
            return FAILED
        return status if self.holds(edge.id) else SKIPPED

    def _is_reopened(self, name: str) -> bool:
        return any(
            edge.target == name
            and edge.id in self.marked
            and edge.source not in self.stale
            and self._counts_as(edge) != SKIPPED
            and self._fires([edge])
            for edge in self.back
        )

    def _start(self, name: str, *, again: bool) -> None:
        if self._breaches(name, again=again):
            return
        self._activate(name)
        self.executions += 1
        self.visits[name] = self.visits.get(name, 0) + 1
        self.log.append(f"node.started {name}")
        result = self.outcome(name, self.visits[name])
        if result == WAITING:
            self.status[name] = WAITING
        else:
            self.settle(name, result)

    def _breaches(self, name: str, *, again: bool) -> bool:
        rounds = self.visits.get(name, 0)
        too_many = again and self.loop_limit is not None and rounds > self.loop_limit
        if self.executions >= self.recursion_limit or too_many:
            self.log.append(f"cap.breached {name}")
            self.fail()
            return True
        if again and self.advisory is not None and rounds == self.advisory + 1:
            self.log.append(f"workflow.loopback-limit {name}")
        return False

    def _activate(self, name: str) -> None:
        self.stale.discard(name)
        reached = {name}
        while more := {e.target for e in self.forward if e.source in reached} - reached:
            reached |= more
        self.stale |= reached - {name}
        self.marked -= {edge.id for edge in self.back if name in (edge.source, edge.target)}


def _closing_edges(names: list[str], edges: list[Edge]) -> set[str]:
    """Depth first from where runs start, in definition order: the edges into a node that the search is still inside."""
    closing: set[str] = set()
    inside: list[str] = []
    seen: set[str] = set()

    def visit(name: str) -> None:
        seen.add(name)
        inside.append(name)
        for edge in edges:
            if edge.source == name:
                if edge.target in inside:
                    closing.add(edge.id)
                elif edge.target not in seen:
                    visit(edge.target)
        inside.pop()

    entries = [name for name in names if all(edge.target != name for edge in edges)]
    for name in [*entries, *names]:
        if name not in seen:
            visit(name)
    return closing
