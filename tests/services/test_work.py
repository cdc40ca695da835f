"""Conditions and expressions written to harm: they take seconds of the host, not minutes, and hold up nobody else."""

from __future__ import annotations

import time

import pytest

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine import work
from tests.factories import chain, edge, finish_handed_on_work, last, node, run_of, start_flow, status, workflow

# Copies its list at every use: a large part of a second.
COSTLY = "size(" + "+".join(["inputs.a"] * 32) + ") > 0"
LIST: JsonObject = {"a": [0] * 60_000}
MAX_SECONDS = 1.0


@pytest.fixture
def short_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same bounds, reached sooner."""
    assert MAX_SECONDS < work.MAX_SECONDS
    monkeypatch.setattr(work, "MAX_SECONDS", MAX_SECONDS)
    monkeypatch.setattr(work, "SHARE_SECONDS", MAX_SECONDS / 10)


def test_a_node_with_many_costly_inputs_fails_in_seconds(short_patience: None) -> None:
    port: JsonValue = {"type": "expression", "expression": COSTLY}
    greedy = node("greedy", "core.identity", inputs={f"p{index}": port for index in range(150)})
    started = time.thread_time()
    run_id = start_flow(workflow([greedy]), inputs=LIST)
    assert time.thread_time() - started < 4 * MAX_SECONDS
    error = run_of(run_id).error
    assert (error["code"], last(run_id, "run.failed")["failedNodeId"]) == ("node_config_invalid", "greedy")
    assert "take too long" in error["message"]


def test_many_costly_conditions_into_one_node_fail_the_run_in_seconds(short_patience: None) -> None:
    condition: JsonObject = {"type": "expression", "expression": COSTLY}
    edges = [edge("a", "b", id=f"e{index}", condition=condition) for index in range(150)]
    started = time.thread_time()
    run_id = start_flow(workflow([node("a"), node("b")], edges), inputs=LIST)
    assert time.thread_time() - started < 4 * MAX_SECONDS
    assert "take too long" in run_of(run_id).error["message"]


def test_costly_work_is_handed_on_node_by_node_and_done(short_patience: None) -> None:
    port: JsonValue = {"type": "expression", "expression": COSTLY}
    nodes = [node(f"n{index}", "core.identity", inputs={"p": port}) for index in range(2)]
    run_id = start_flow(chain(*nodes), inputs=LIST)
    assert status(run_id) == "running"
    assert finish_handed_on_work() >= 1
    assert status(run_id) == "completed"
