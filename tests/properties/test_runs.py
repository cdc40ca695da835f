"""Whole runs through the real services on the database: votes, rejections, loops, delays, deadlines, cancellations.

After every operation log, cache, columns, interrupts and timers must agree (``tests/invariants.py``), and the run must
stand where the reference interpreter stands.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from interrupts import timers
from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.engine.keys import interrupt_key
from interrupts.errors import AlreadyResolved
from interrupts.models import Suspension, Timer
from interrupts.services.expire import fire_timer
from interrupts.services.pausing import PauseRun, ResumeRun, pause_run, resume_run
from interrupts.services.runs import CancelRun, cancel_run
from interrupts.vocabulary import DrainPolicy
from tests.factories import (
    NOW,
    actor,
    answer,
    finish_handed_on_work,
    last,
    register,
    run_of,
    start,
    trail,
)
from tests.invariants import assert_payloads_fit, assert_run_holds
from tests.properties.graphs import Graph, graphs
from tests.properties.reference import COMPLETED, FAILED, WAITING, Reference

NAMES = ("ann", "ben", "cleo", "dan")
KINDS = ("noop", "noop", "fail", "gate", "gate", "delay")
ANSWERS: dict[str, JsonObject] = {
    "accept": {"action": "accept"},
    "reject": {"action": "reject"},
    "ask": {"action": "ask", "feedback": "Why?"},
    "refine": {"action": "refine", "refineFeedback": {"scope": "whole"}},
    "edit-accept": {"action": "edit-accept", "editedArtifactData": {"a": [1, None]}},
}


@pytest.fixture
def people(db: None) -> dict[str, Actor]:
    return {name: actor(name) for name in NAMES}


@dataclass
class Limits:
    executions: int
    loop: int | None
    advisory: int | None
    inline: int


limits = st.builds(
    Limits,
    executions=st.integers(1, 25),
    loop=st.none() | st.integers(1, 3),
    advisory=st.none() | st.integers(1, 3),
    inline=st.integers(1, 6),
)


@dataclass
class Story:
    """One run and what it should be, told side by side."""

    run_id: str
    reference: Reference
    now: datetime = NOW
    gates: dict[str, JsonObject] = field(default_factory=dict)

    def check(self) -> None:
        finish_handed_on_work(now=self.now)
        assert_run_holds(self.run_id)
        self.reference.run()
        hidden = ("interrupt.", "node.suspended", "node.resumed")
        told = [line for line in trail(self.run_id) if not line.startswith(hidden)]
        assert told == self.reference.log

    def settle(self, name: str, result: str) -> None:
        self.reference.settle(name, result)


def begin(graph: Graph, bounds: Limits, owner: Actor, configs: dict[str, JsonObject]) -> Story:
    document = graph.document
    kinds: dict[str, str] = {}
    nodes: Any = document["nodes"]
    for node in nodes:
        kinds[node["id"]] = node["typeId"]
        if node["typeId"] == "core.approvalGate":
            node["config"].update(configs.get(node["id"], {}))
    if bounds.advisory is not None:
        document["settings"] = {"maxLoopbackIterations": bounds.advisory}
    run: JsonObject = {"recursionLimit": bounds.executions}
    if bounds.loop is not None:
        run["maxLoopIterations"] = bounds.loop
    register(document)
    run_id = start(owner, configurable={"version": 1, "run": run})
    outcomes = {"core.noop": COMPLETED, "core.fail": FAILED}
    reference = Reference(
        document,
        lambda name, _visit: outcomes.get(kinds[name], WAITING),
        lambda edge: edge not in graph.false_edges,
        recursion_limit=bounds.executions,
        loop_limit=bounds.loop,
        advisory=bounds.advisory,
    )
    return Story(run_id, reference, gates={n["id"]: n["config"] for n in nodes if n["typeId"] == "core.approvalGate"})


@dataclass
class Poll:
    """What the people said at one visit of a gate."""

    yes: set[str] = field(default_factory=set)
    no: set[str] = field(default_factory=set)

    def vote(self, name: str, action: str) -> None:
        self.yes.discard(name)
        self.no.discard(name)
        (self.no if action == "reject" else self.yes).add(name)

    def result(self, config: JsonObject) -> str | None:
        required: Any = config.get("requiredApprovals", 1)
        majority = config.get("rejectionPolicy") == "majority"
        if (majority and 2 * len(self.no) > required) or (self.no and not majority):
            return FAILED
        return COMPLETED if len(self.yes) >= required else None


gate_configs = st.dictionaries(
    st.sampled_from([f"n{index}" for index in range(6)]),
    st.fixed_dictionaries(
        {},
        optional={
            "requiredApprovals": st.integers(1, 4),
            "rejectionPolicy": st.sampled_from(["single-veto", "majority"]),
            "timeoutMs": st.sampled_from([0, 500, 1500]),
        },
    ),
)


@pytest.mark.timeout(300)
@settings(max_examples=80)
@given(data=st.data(), graph=graphs(cyclic=True, kinds=KINDS, most=6), bounds=limits, configs=gate_configs)
def test_a_run_stands_where_the_reference_stands_after_every_operation(
    people: dict[str, Actor],
    settings: Any,
    data: st.DataObject,
    graph: Graph,
    bounds: Limits,
    configs: dict[str, JsonObject],
) -> None:
    settings.WOP_INLINE_NODE_EXECUTIONS = bounds.inline
    with transaction.atomic():
        story = begin(graph, bounds, people["ann"], configs)
        story.check()
        polls: dict[str, Poll] = {}
        for _ in range(30):
            if story.reference.is_over:
                break
            _one_operation(data, story, polls, people)
            story.check()
        assert_payloads_fit(story.run_id)
        transaction.set_rollback(True)


def _one_operation(data: st.DataObject, story: Story, polls: dict[str, Poll], people: dict[str, Actor]) -> None:
    open_gates = sorted(Suspension.objects.filter(run_id=story.run_id, outcome=None).values_list("node_id", flat=True))
    options = ["vote"] * 8 * bool(open_gates) + ["tick"] * 4 * Timer.objects.exists() + ["cancel"]
    run = run_of(story.run_id)
    if run.status == "paused" or run.pause_request is not None:
        options += ["resume"] * 3
    elif run.status == "running":
        options += ["pause"] * 3
    match data.draw(st.sampled_from(options)):
        case "vote":
            name, at = data.draw(st.sampled_from(NAMES)), data.draw(st.sampled_from(open_gates))
            _vote(story, polls, people[name], at, data.draw(st.sampled_from(sorted(ANSWERS))))
        case "tick":
            _tick(story)
        case "pause":
            policy = data.draw(st.sampled_from(DrainPolicy))
            pause_run(request=PauseRun(people["ann"], story.run_id, policy), now=story.now)
            story.reference.pause(immediate=policy is DrainPolicy.IMMEDIATE)
        case "resume":
            resume_run(request=ResumeRun(people["ann"], story.run_id), now=story.now)
            story.reference.resume()
        case "cancel":
            cancel_run(request=CancelRun(people["ann"], story.run_id, "Enough."), now=story.now)
            story.reference.log += [f"node.cancelled {name}" for name in story.reference.waiting]
            story.reference.log.append("run.cancelled")
            story.reference.is_over = True


def _vote(story: Story, polls: dict[str, Poll], by: Actor, at: str, action: str) -> None:
    interrupt = Suspension.objects.get(run_id=story.run_id, node_id=at, outcome=None)
    if interrupt.deadline is not None and interrupt.deadline <= story.now:
        with pytest.raises(AlreadyResolved):
            answer(by, story.run_id, ANSWERS[action], at=at, now=story.now)
        story.settle(at, FAILED)
        return
    answer(by, story.run_id, ANSWERS[action], at=at, now=story.now)
    if action == "ask":
        return
    poll = polls.setdefault(interrupt.pk, Poll())
    poll.vote(by.username, action)
    result = poll.result(story.gates[at])
    if result is not None:
        resolved: Any = last(story.run_id, "interrupt.resolved", at=at)
        assert resolved["decision"] == ("granted" if result == COMPLETED else "rejected")
        assert len(resolved["x-votes"]) == len(poll.yes) + len(poll.no)
        story.settle(at, result)


def _tick(story: Story) -> None:
    """Let the clock go on to the next timer and fire it."""
    story.now = max(story.now, Timer.objects.filter(run_id=story.run_id).order_by("due_at")[0].due_at)
    (timer,) = timers.due(now=story.now, limit=1)
    assert fire_timer(timer=timer, now=story.now) is True
    story.settle(timer.node_id, FAILED if timer.purpose == "deadline" else COMPLETED)


@pytest.mark.timeout(300)
@settings(max_examples=30)
@given(graph=graphs(cyclic=True, kinds=KINDS, most=6), inline=st.integers(1, 3))
def test_a_run_handed_on_tells_the_same_story_as_one_that_is_not(
    people: dict[str, Actor], settings: Any, graph: Graph, inline: int
) -> None:
    with transaction.atomic():
        register(graph.document)
        settings.WOP_MAX_NODE_EXECUTIONS = 20
        stories = []
        for share in (inline, 1000):
            settings.WOP_INLINE_NODE_EXECUTIONS = share
            run_id = start(people["ann"])
            finish_handed_on_work()
            stories.append((trail(run_id), run_of(run_id).status))
            assert_run_holds(run_id)
        assert stories[0] == stories[1]
        transaction.set_rollback(True)


invocations = st.tuples(
    st.sampled_from(["acme/r-1", "acme/r-11", "acme/r-2"]),
    st.from_regex(r"\A[A-Za-z0-9._~:-]{1,6}\Z"),
    st.integers(0, 99),
    st.integers(0, 9),
)


@given(invocations, invocations)
def test_the_key_of_an_interrupt_is_the_same_again_and_another_for_any_other(
    one: tuple[str, str, int, int], other: tuple[str, str, int, int]
) -> None:
    assert interrupt_key(*one) == interrupt_key(*one)
    assert (interrupt_key(*one) == interrupt_key(*other)) == (one == other)
    assert len(interrupt_key(*one)) == 64
