"""Runs of sub-workflows over REST (wire contract §6.3, §7.2, §7.4; cases 98 and 108)."""

from __future__ import annotations

import pytest

from tests import factories
from tests.factories import after, chain, child_of, finish_handed_on_work, one_gate, register, sub_workflow
from tests.surfaces.rest.api import Api, wire

pytestmark = pytest.mark.django_db


@pytest.fixture
def family(api: Api) -> tuple[str, str]:
    """A parent, and its child that waits for an answer."""
    register(one_gate("child"))
    register(chain(sub_workflow(), workflow_id="parent"))
    run_id = api.post("/runs", {"workflowId": "parent"}).body["runId"]
    finish_handed_on_work(now=after(days=365 * 10))
    return run_id, child_of(run_id)


def test_the_closed_snapshot_tells_of_a_child_in_the_state_of_its_node(api: Api, family: tuple[str, str]) -> None:
    """``parentRunId`` is the lineage of forks (§7.2): a child does not carry it."""
    parent, child = (api.get(f"/runs/{wire(run_id)}") for run_id in family)
    assert parent.fits("run-snapshot")
    assert child.fits("run-snapshot")
    assert parent.body["status"] == "running"
    assert parent.body["nodeStates"]["call"]["childRunId"] == family[1]
    assert (child.body["status"], child.body["currentNodeId"]) == ("waiting-approval", "gate")
    assert child.body["owner"] == parent.body["owner"]
    assert "parentRunId" not in child.body


def test_a_childs_interrupt_is_answered_like_any_other(api: Api, family: tuple[str, str]) -> None:
    parent, child = family
    answer = api.post(f"/runs/{wire(child)}/interrupts/gate", {"resumeValue": {"action": "accept"}})
    assert (answer.status, answer.body["status"]) == (200, "completed")
    finish_handed_on_work(now=after(days=365 * 10))
    assert api.get(f"/runs/{wire(parent)}").body["status"] == "completed"
    events = api.get(f"/runs/{wire(parent)}/events/poll?timeout=1&streamMode=debug").body["events"]
    (completed,) = [event["payload"] for event in events if event["type"] == "node.completed"]
    assert completed["outputs"] == {"childRunId": child, "childStatus": "completed"}


def test_cancelling_the_parent_ends_the_child_and_its_interrupt(api: Api, family: tuple[str, str]) -> None:
    parent, child = family
    assert api.post(f"/runs/{wire(parent)}/cancel", {}).status == 200
    finish_handed_on_work(now=after(days=365 * 10))
    assert api.get(f"/runs/{wire(child)}").body["status"] == "cancelled"
    assert factories.last(child, "run.cancelled")["reason"] == "parent-cancelled"
    path = f"/runs/{wire(child)}/interrupts/gate"
    api.post(path, {"resumeValue": {"action": "accept"}}).refused(409, "interrupt_already_resolved")
