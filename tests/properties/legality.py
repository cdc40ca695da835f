"""What every log must obey, whatever the workflow (wire contract §8.1, §8.2, §8.4; interrupt.md §Re-entry)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from interrupts.contracts.types import JsonObject

TERMINAL = {"run.completed", "run.failed", "run.cancelled"}
RAISES = {"interrupt.requested", "node.suspended"}
SETTLES = {"node.completed", "node.failed", "node.cancelled"}


class Entry(Protocol):
    @property
    def sequence(self) -> int: ...
    @property
    def type(self) -> str: ...
    @property
    def node_id(self) -> str: ...
    @property
    def payload(self) -> Any: ...


class _Reader:
    """Follows one log and objects to the first entry that may not stand where it stands.

    A request and its suspension stand side by side; the suspension comes first where it gives a reason.
    """

    def __init__(self, threshold: float) -> None:
        self.active: set[str] = set()
        self.open: dict[str, str] = {}
        self.half: Entry | None = None
        self.resolved: dict[str, JsonObject] = {}
        self.keys: set[str] = set()
        self.is_paused = False
        self.attempts: dict[str, int] = {}
        self.cut: set[str] = set()
        self.is_unsure = False
        self.threshold = threshold

    def read(self, entry: Entry) -> None:
        if self.half is not None:
            assert {entry.type, self.half.type} == RAISES, f"{entry.type} between the two events of an interrupt"
        if self.is_unsure:
            assert entry.type == "node.suspended", "what an agent was not sure of waits at once"
            assert entry.payload["reason"] == "low-confidence"
        self.is_unsure = entry.type == "agent.decided" and entry.payload.get("confidence", 1) < self.threshold
        if self.is_paused:
            assert entry.type in ("run.resumed", "run.cancelled"), f"{entry.type} of a paused run"
        if entry.type in ("run.paused", "run.resumed"):
            self._pause(entry)
        if entry.type == "node.started":
            again = self.attempts[entry.node_id] + 1 if entry.node_id in self.cut else 0
            assert entry.payload.get("attempt", 0) == again
            self.attempts[entry.node_id] = again
            self.cut.discard(entry.node_id)
        if entry.type in ("node.started", "node.skipped"):
            assert entry.node_id not in self.active, f"{entry.node_id} entered twice at once"
            self.active |= {entry.node_id} if entry.type == "node.started" else set()
        elif entry.type.startswith(("node.", "interrupt.")):
            assert entry.node_id in self.active, f"{entry.type} of {entry.node_id}, which does not run"
            self._read_of_active(entry)

    def _pause(self, entry: Entry) -> None:
        assert not self.open, "a run that waits for an answer is not paused"
        if entry.type == "run.resumed":
            assert self.is_paused or entry.payload["x-pause-withdrawn"]
            self.is_paused = False
            return
        self.is_paused = True
        if entry.payload["drainPolicy"] == "drain-current-node":
            assert not self.active, "a drained run has nothing under way"
        elif self.active:
            name = entry.payload["interruptedNodeId"]
            assert name in self.active
            assert entry.payload["interruptedAttempt"] == self.attempts[name] + 1
        self.cut |= self.active
        self.active.clear()

    def _raise(self, entry: Entry) -> None:
        if self.half is None:
            assert entry.node_id not in self.open
            assert entry.type == "interrupt.requested" or "reason" in entry.payload
            self.half = entry
            return
        requested, suspended = sorted((self.half, entry), key=lambda half: half.type)
        self.half = None
        key = suspended.payload["key"]
        assert (suspended.node_id, key) == (requested.node_id, requested.payload["key"])
        assert key not in self.keys, "a key is raised at most once in a run"
        self.keys.add(key)
        assert suspended.payload["interruptId"] not in self.resolved
        self.open[suspended.node_id] = suspended.payload["interruptId"]

    def _read_of_active(self, entry: Entry) -> None:
        name, payload = entry.node_id, entry.payload
        waits = name in self.open
        match entry.type:
            case "interrupt.requested" | "node.suspended":
                self._raise(entry)
            case "interrupt.resolved":
                assert self.open.pop(name) == payload["interruptId"]
                self.resolved[payload["interruptId"]] = payload
            case "node.resumed":
                resolution = self.resolved[payload["interruptId"]]
                assert resolution.get("decision") != "rejected"
                assert payload["resumeValue"] == resolution.get("resumeValue")
            case "node.cancelled":
                self.open.pop(name, None)
                self.active.remove(name)
            case "node.completed" | "node.failed":
                assert not waits, "a node settles only after its interrupt was resolved"
                self.active.remove(name)


def assert_legal(log: Sequence[Entry], *, threshold: float = 0.7) -> None:
    """Fail unless this is the log of a run as far as it has come; ``threshold`` is the run's escalation threshold."""
    assert [entry.sequence for entry in log] == list(range(len(log)))
    assert [index for index, entry in enumerate(log) if entry.type == "run.started"] == [0]
    ends = [index for index, entry in enumerate(log) if entry.type in TERMINAL]
    assert ends in ([], [len(log) - 1]), "the terminal event is the last and the only one"
    reader = _Reader(threshold)
    for entry in log:
        reader.read(entry)
    if ends:
        assert not reader.active, "what was started is settled when the run ends"
