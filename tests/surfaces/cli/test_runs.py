"""``wop run``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from interrupts.models import Run
from tests import factories
from tests.surfaces.cli.conftest import Wop

Olga = tuple[str, ...]
VARIABLES = [{"name": "amount", "type": "number", "required": True}]


@pytest.fixture(autouse=True)
def _flow(db: None) -> None:
    factories.register(factories.workflow([factories.gate_node()], variables=VARIABLES))


def test_a_started_run_is_printed_as_its_id_and_waits(wop: Wop, tmp_path: Path) -> None:
    inputs = tmp_path / "inputs.json"
    inputs.write_text('{"amount": 12.50}')
    ended = wop("run", "start", "flow", "--tenant", "acme", "--input", str(inputs))
    assert (ended.status, ended.err) == (0, "")
    run = Run.objects.get(pk=ended.value)
    assert (run.status, run.inputs) == ("waiting-approval", {"amount": 12.5})
    assert run.owner["subject"] == {
        "issuer": "urn:wopsite:cli",
        "subjectId": "operator",
        "tenant": "acme",
        "lane": "workload",
        "kind": "workload",
    }


def test_inputs_may_come_from_standard_input(wop: Wop) -> None:
    ended = wop("run", "start", "flow", "--tenant", "acme", "--input", "-", stdin=b'{"amount": 1}')
    assert Run.objects.get(pk=ended.value).inputs == {"amount": 1}


@pytest.mark.parametrize("words", [["amount=12.50"], ["amount:=12.50"], ["--input", "amount=12.50"]])
def test_inputs_may_be_words(wop: Wop, olga: Olga, words: list[str]) -> None:
    ended = wop("run", "start", "flow", "--input", "note=Train to Lyon", *words, *olga)
    assert (ended.status, ended.err) == (0, "")
    assert Run.objects.get(pk=ended.value).inputs == {"amount": 12.5, "note": "Train to Lyon"}


def test_words_of_inputs_are_json_where_they_can_be_and_lists_are_numbered(wop: Wop) -> None:
    factories.register(factories.workflow([factories.gate_node()], workflow_id="loose"))
    words = ("ids.0=A-1", "ids.1=7", 'code:="42"', "sure=true", "address.city=Lyon")
    ended = wop("run", "start", "loose", "--input", *words)
    assert (ended.status, ended.err) == (0, "")
    inputs = {"ids": ["A-1", 7], "code": "42", "sure": True, "address": {"city": "Lyon"}}
    assert Run.objects.get(pk=ended.value).inputs == inputs


def test_inputs_that_do_not_fit_are_told_by_pointer(wop: Wop) -> None:
    ended = wop("run", "start", "flow", "--tenant", "acme", "--input", "-", stdin=b'{"amount": "much"}')
    assert (ended.status, ended.out) == (1, "")
    assert ended.err.startswith("/inputs/amount: ")
    assert wop("run", "start", "flow", "--tenant", "acme").err.startswith("/inputs/amount: ")
    assert not Run.objects.exists()


def test_inputs_that_are_no_object_or_not_there_are_told_in_one_line(wop: Wop) -> None:
    for stdin, told in (
        (b"[1]", "/inputs: This must be an object.\n"),
        (b"{", "standard input, line 1, column 2: A name in double quotes is expected here.\n"),
        (None, "Standard input is closed.\n"),
    ):
        ended = wop("run", "start", "flow", "--tenant", "acme", "--input", "-", stdin=stdin)
        assert (ended.status, ended.out, ended.err) == (1, "", told)


def test_an_unknown_workflow_or_tenant_is_not_found(wop: Wop) -> None:
    assert wop("run", "start", "none", "--tenant", "acme").status == 3
    ended = wop("run", "start", "flow", "--tenant", "globex")
    assert (ended.status, ended.err) == (3, "There is no tenant globex.\n")


def test_a_run_is_shown_as_its_status_or_as_json(wop: Wop) -> None:
    run_id = wop("run", "start", "flow", "--tenant", "acme", "--input", "-", stdin=b'{"amount": 1}').value
    assert wop("run", "show", run_id).out == "waiting-approval\n"
    shown = json.loads(wop("run", "show", run_id, "--json").out)
    assert (shown["run_id"], shown["status"], shown["is_terminal"]) == (run_id, "waiting-approval", False)
    assert (shown["run"]["currentNodeId"], shown["run"]["workflowId"]) == ("gate", "flow")
    nowhere = f"acme/r-{'0' * 32}"
    ended = wop("run", "show", nowhere)
    assert ended.status == 3
    assert nowhere in ended.err
    ended = wop("run", "show", "r-0123456789abcdef")
    assert ended.status == 1
    assert ended.err.startswith(
        "“r-0123456789abcdef” is not the whole id of a run. It begins with its tenant, like acme/r-"
    )


def test_a_run_is_cancelled_once(wop: Wop) -> None:
    run_id = wop("run", "start", "flow", "--tenant", "acme", "--input", "-", stdin=b'{"amount": 1}').value
    assert wop("run", "cancel", run_id, "--reason", "entered twice").out == f"{run_id}\n"
    assert factories.status(run_id) == "cancelled"
    ended = wop("run", "cancel", run_id)
    assert (ended.status, ended.err) == (4, "The run has already ended: it is cancelled.\n")


def test_a_run_is_paused_and_goes_on(wop: Wop, olga: Olga) -> None:
    run_id = factories.start_flow(
        factories.chain(factories.node("wait", "core.delay", config={"ms": 60_000}), workflow_id="nap")
    )
    ended = wop("run", "pause", run_id, "--reason", "month end", *olga)
    assert (ended.status, ended.out) == (0, f"{run_id}\n")
    assert ended.err == "The run finishes what is under way, then it pauses.\n"
    ended = wop("run", "pause", run_id, "--immediate", *olga)
    assert (ended.status, ended.out, ended.err) == (0, f"{run_id}\n", "")
    assert factories.status(run_id) == "paused"
    ended = wop("run", "pause", run_id, *olga)
    assert (ended.status, ended.err) == (4, "A run can be paused while it is running; this one is paused.\n")
    assert wop("run", "resume", run_id, *olga).out == f"{run_id}\n"
    assert factories.status(run_id) == "running"
    ended = wop("run", "resume", run_id, *olga)
    assert (ended.status, ended.err) == (4, "Only a paused run can be resumed; this one is running.\n")


def test_a_child_names_its_parent(wop: Wop) -> None:
    run_id = factories.start_flow(factories.chain(factories.sub_workflow(child="nap"), workflow_id="parent"))
    assert factories.status(run_id) == "failed"
    factories.register(factories.chain(factories.node("a"), workflow_id="nap"))
    run_id = wop("run", "start", "parent", "--tenant", "acme").value
    factories.finish_handed_on_work(now=factories.after(days=3650))
    child = json.loads(wop("run", "show", factories.child_of(run_id), "--json").out)
    assert (child["parent_run_id"], child["parent_node_id"]) == (run_id, "call")
