"""Parents and children through the real services: however they end, pause and are relayed, the family agrees."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from django.db import transaction
from hypothesis import given, settings
from hypothesis import strategies as st

from interrupts.actor import Actor
from interrupts.errors import RunStateConflict, RunTerminal
from interrupts.models import OutboxMessage, Run, Suspension, Timer
from interrupts.services.expire import fire_due_timers
from interrupts.services.pausing import PauseRun, ResumeRun, pause_run, resume_run
from interrupts.services.relay import _HANDLERS
from interrupts.services.runs import CancelRun, cancel_run
from interrupts.vocabulary import DrainPolicy, Topic
from tests.factories import NOW, actor, answer, chain, finish_handed_on_work, node, register, start
from tests.invariants import assert_family_holds, assert_payloads_fit
from tests.properties.graphs import Graph, graphs

# The child is itself a random workflow whose calls run the leaf.
KINDS = ("noop", "fail", "gate", "delay", "call", "call")


@pytest.fixture
def ann(db: None) -> Actor:
    return actor("ann")


@dataclass
class Family:
    root: str
    by: Actor
    now: datetime = NOW

    def relay_one_twice(self, data: st.DataObject) -> None:
        """At least once: any message, delivered or not, may come again."""
        messages = list(OutboxMessage.objects.order_by("id"))
        if messages:
            message = data.draw(st.sampled_from(messages))
            _HANDLERS[Topic(message.topic)](message, self.now)

    def act(self, data: st.DataObject) -> None:
        self.now += timedelta(seconds=1)
        run = data.draw(st.sampled_from(list(Run.objects.order_by("created_at", "pk"))))
        match data.draw(st.sampled_from(["answer"] * 4 + ["tick"] * 3 + ["relay"] * 3 + ["again", "pause", "cancel"])):
            case "answer":
                self._answer(data)
            case "tick" if Timer.objects.exists():
                self.now = max(self.now, Timer.objects.order_by("due_at")[0].due_at)
                fire_due_timers(now=self.now)
            case "relay":
                finish_handed_on_work(now=self.now)
            case "again":
                self.relay_one_twice(data)
            case "pause":
                self._pause_or_resume(run, data.draw(st.sampled_from(DrainPolicy)))
            case "cancel":
                self._cancel(run)

    def _answer(self, data: st.DataObject) -> None:
        waiting = list(Suspension.objects.filter(outcome=None).order_by("opened_at", "pk"))
        if waiting:
            gate = data.draw(st.sampled_from(waiting))
            answer(
                self.by, gate.run_id, data.draw(st.sampled_from(["accept", "reject"])), at=gate.node_id, now=self.now
            )

    def _pause_or_resume(self, run: Run, policy: DrainPolicy) -> None:
        try:
            if run.status == "paused":
                resume_run(request=ResumeRun(self.by, run.pk), now=self.now)
            else:
                pause_run(request=PauseRun(self.by, run.pk, policy), now=self.now)
        except (RunStateConflict, RunTerminal):
            assert run.status != "paused"

    def _cancel(self, run: Run) -> None:
        if run.completed_at is None:
            cancel_run(request=CancelRun(self.by, run.pk), now=self.now)


@pytest.mark.timeout(300)
@settings(max_examples=40)
@given(data=st.data(), parent=graphs(cyclic=True, kinds=KINDS, most=4), child=graphs(cyclic=False, kinds=KINDS, most=3))
def test_a_family_agrees_whatever_happens_in_whatever_order(
    ann: Actor, settings: Any, data: st.DataObject, parent: Graph, child: Graph
) -> None:
    settings.WOP_MAX_NODE_EXECUTIONS = 15
    with transaction.atomic():
        register(parent.document)
        leaf = {**node("a"), "typeId": data.draw(st.sampled_from(["core.noop", "core.fail"]))}
        register(chain(leaf, workflow_id="leaf"))
        nodes: Any = child.document["nodes"]
        for each in nodes:
            if each["typeId"] == "core.subWorkflow":
                each["config"] = {"workflowId": "leaf"}
        register({**child.document, "id": "child"})
        family = Family(start(ann), ann)
        for _ in range(15):
            family.act(data)
        finish_handed_on_work(now=family.now)
        assert_family_holds(family.root)
        for run in Run.objects.all():
            assert_payloads_fit(run.pk)
        _assert_it_can_end(family)
        transaction.set_rollback(True)


def _assert_it_can_end(family: Family) -> None:
    """Whatever became of it, cancelling the root ends all."""
    root = Run.objects.get(pk=family.root)
    family._cancel(root)
    finish_handed_on_work(now=family.now)
    assert_family_holds(family.root)
    unfinished = Run.objects.filter(completed_at=None)
    assert root.completed_at is not None or not unfinished.exists()
