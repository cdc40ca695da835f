"""Values at their bounds: whole numbers written as fractions, times beyond any date, outputs that grow on their way."""

from __future__ import annotations

from datetime import timedelta
from itertools import pairwise

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.models import RunEvent, Timer
from interrupts.vocabulary import MAX_TIMEOUT_MS
from tests.factories import (
    NOW,
    actor,
    after,
    answer,
    chain,
    edge,
    finish_handed_on_work,
    gate_node,
    last,
    node,
    one_gate,
    register,
    run_of,
    start,
    start_flow,
    status,
    suspension,
    sweep,
    workflow,
)

# --- JSON Schema calls 60000.0 a whole number -------------------------------------------------------------------------


def test_a_deadline_written_as_a_fraction_passes_like_any_other() -> None:
    run_id = start_flow(one_gate(timeoutMs=60_000.0))
    assert repr(last(run_id, "interrupt.requested")["timeoutMs"]) == "60000"
    assert suspension(run_id).deadline == after(minutes=1)
    assert sweep(now=after(minutes=1)) == 1
    assert last(run_id, "interrupt.resolved")["reason"] == "timeout"


def test_a_limit_of_a_run_written_as_a_fraction_ends_it() -> None:
    owner = actor("owner")
    by_workflow = start_flow(workflow([gate_node()], settings={"timeout": 60_000.0}), by=owner)
    register(one_gate("other"))
    by_caller = start(owner, "other", configurable={"version": 1, "run": {"runTimeoutMs": 60_000.0}})
    assert sweep(now=after(minutes=1)) == 2
    assert [last(run_id, "run.failed")["error"]["code"] for run_id in (by_workflow, by_caller)] == ["run_timeout"] * 2


def test_a_quorum_written_as_a_fraction_counts_people() -> None:
    run_id = start_flow(one_gate(requiredApprovals=2.0, rejectionPolicy="majority"))
    answer(actor("anna"), run_id, "accept")
    assert status(run_id) == "waiting-approval"
    answer(actor("ben"), run_id, "accept")
    assert status(run_id) == "completed"


# --- A time that no date can hold -------------------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [10**18, 2**63, 10**300, 1e300])
def test_a_limit_beyond_any_date_is_one_of_ten_years(limit: float) -> None:
    owner = actor("owner")
    by_workflow = start_flow(workflow([gate_node()], settings={"timeout": limit}), by=owner)
    register(one_gate("other"))
    by_caller = start(owner, "other", configurable={"version": 1, "run": {"runTimeoutMs": limit}})
    due = [Timer.objects.get(run_id=run_id).due_at for run_id in (by_workflow, by_caller)]
    assert due == [NOW + timedelta(milliseconds=MAX_TIMEOUT_MS)] * 2


# --- Outputs that grow ------------------------------------------------------------------------------------------------


def test_a_value_that_doubles_from_node_to_node_fails_the_run_and_not_the_host() -> None:
    names = [f"n{index}" for index in range(45)]
    nodes = [node(name, "core.identity") for name in names]
    nodes[0] = node("n0", "core.identity", inputs={"a": {"type": "static", "value": "x" * 100}})
    edges = [
        edge(source, target, id=f"{target}-{port}", targetInput=port)
        for source, target in pairwise(names)
        for port in ("a", "b")
    ]
    run_id = start_flow(workflow(nodes, edges))
    error = last(run_id, "node.failed")["error"]
    assert (error["code"], error["retryable"]) == ("payload_too_large", False)
    assert (status(run_id), last(run_id, "run.failed")["failedNodeId"]) == ("failed", "n14")
    assert max(len(str(event.payload)) for event in RunEvent.objects.filter(run_id=run_id)) < 2_000_000


def test_a_value_that_nests_deeper_each_time_round_a_loop_fails_the_run() -> None:
    nodes = [node("first"), node("a", "core.identity"), node("b", "core.identity")]
    edges = [edge("first", "a"), edge("a", "b", targetInput="x"), edge("b", "a", targetInput="x")]
    run_id = start_flow(workflow(nodes, edges), configurable={"version": 1, "run": {"recursionLimit": 1000}})
    finish_handed_on_work()
    assert run_of(run_id).error == {
        "code": "payload_too_large",
        "message": "What this node would put out is larger, or nested more deeply, than a run can keep.",
    }


def test_what_a_gate_shows_is_bounded_as_well() -> None:
    deep: JsonObject = {"x": "y"}
    for _ in range(150):
        deep = {"x": deep}
    gate = gate_node(artifactData="none")
    gate["inputs"] = {"artifactData": {"type": "variable", "variableName": "deep"}}
    document = workflow([gate], variables=[{"name": "deep", "type": "object"}])
    run_id = start_flow(document, inputs={"deep": deep})
    assert last(run_id, "run.failed")["failedNodeId"] == "gate"


def test_all_nodes_together_keep_no_more_than_a_run_may() -> None:
    text: JsonObject = {"text": {"type": "variable", "variableName": "text"}}
    nodes = [node(f"n{index}", "core.identity", inputs=text) for index in range(9)]
    document = chain(*nodes, variables=[{"name": "text", "type": "string"}])
    run_id = start_flow(document, inputs={"text": "x" * 1_000_000})
    assert last(run_id, "run.failed")["failedNodeId"] == "n4"


def test_the_largest_input_can_be_passed_on_and_shown() -> None:
    gate = gate_node()
    gate["inputs"] = {"artifactData": {"type": "connection", "nodeId": "pass", "outputKey": "text"}}
    text: JsonObject = {"text": {"type": "variable", "variableName": "text"}}
    document = chain(node("pass", "core.identity", inputs=text), gate, variables=[{"name": "text", "type": "string"}])
    run_id = start_flow(document, inputs={"text": "x" * 1_048_000})
    assert status(run_id) == "waiting-approval"
    answer(actor("anna"), run_id, "accept")
    assert status(run_id) == "completed"
