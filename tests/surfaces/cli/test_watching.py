"""``wop run watch``: what happens, as it happens; and runs on another host."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from interrupts.surfaces.cli import watching
from interrupts.surfaces.cli.command import NOT_COMPLETED, STOPPED
from tests import factories
from tests.architecture.sources import ROOT
from tests.surfaces.cli.conftest import Wop, same
from tests.surfaces.rest.server import database_url

Olga = tuple[str, ...]


def told(lines: list[str]) -> list[list[str]]:
    return [line.split()[1:] for line in lines]


def test_a_run_that_has_ended_is_told_from_its_beginning(wop: Wop, olga: Olga) -> None:
    run_id = factories.start_flow(factories.chain(factories.node("a"), workflow_id="short"))
    ended = wop("run", "watch", run_id, *olga)
    assert (ended.status, ended.err) == (0, "The run is completed.\n")
    assert told(ended.lines) == [["run.started"], ["node.started", "a"], ["node.completed", "a"], ["run.completed"]]
    assert all(line.startswith("09:00:00  ") for line in ended.lines)


def test_a_run_that_fails_ends_the_watch_with_a_status_of_its_own(wop: Wop, olga: Olga) -> None:
    failing = factories.node("bang", "core.fail", config={"message": "No\x1b[2J\nway"})
    run_id = factories.start_flow(factories.chain(failing, workflow_id="bad"))
    ended = wop("run", "watch", run_id, *olga)
    assert (ended.status, ended.err) == (NOT_COMPLETED, "The run is failed.\nNo\\u001b[2J way\n")
    assert "\x1b" not in ended.out
    assert len(ended.lines) == 4
    assert wop("run", "cancel", run_id, *olga).status == 4


def test_a_question_that_breaks_its_own_schema_is_told_problem_by_problem(wop: Wop, olga: Olga) -> None:
    schema: Any = {"type": "object", "properties": {"report": {"type": "string"}}, "required": ["report", "issues"]}
    broken = factories.contract_node(request=[{"target": "/report", "value": 7}], request_schema=schema)
    run_id = factories.start_flow(factories.workflow([broken]))
    assert wop("run", "inspect", run_id, *olga).lines[1] == f"Why: wop run watch {run_id} {same(olga)}"
    assert wop("run", "watch", run_id, *olga).err.splitlines() == [
        "The run is failed.",
        "What this node would ask (“issue_review”) does not satisfy its request_schema.",
        "  /issues: This is required.",
        "  /report: This must be text.",
    ]


def test_a_watch_may_end_where_the_run_waits(wop: Wop, olga: Olga) -> None:
    run_id = factories.start_flow(factories.one_gate(), now=timezone.now())
    ended = wop("run", "watch", run_id, "--until-waiting", *olga)
    assert (ended.status, told(ended.lines)[-1][:2]) == (0, ["node.suspended", "gate"])
    assert ended.err == f"The run waits for an answer. See what for: wop run inspect {run_id} {same(olga)}\n"


def test_a_watch_goes_on_over_pages_and_tells_nothing_twice(
    wop: Wop, olga: Olga, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Between two looks the run is answered."""
    monkeypatch.setattr(watching, "_WAIT_SECONDS", 0)
    run_id = factories.start_flow(factories.one_gate())
    looks: list[int] = []
    line = watching._line

    def answered_meanwhile(event: Any, paint: Any) -> str:
        if event["type"] == "node.suspended":
            looks.append(event["sequence"])
            factories.answer(factories.actor("owner"), run_id, "accept")
        return line(event, paint)

    monkeypatch.setattr(watching, "_line", answered_meanwhile)
    ended = wop("run", "watch", run_id, *olga)
    assert ended.status == 0
    assert len(looks) == 1
    assert [" ".join(line[:2]) for line in told(ended.lines)] == factories.trail(run_id)


def test_runs_are_started_shown_and_cancelled_on_either_host(wop: Wop, olga: Olga) -> None:
    factories.register(factories.one_gate())
    run_id = wop("run", "start", "flow", "--input", "-", *olga, stdin=b"{}").value
    assert wop("run", "show", run_id, *olga).out == "waiting-approval\n"
    assert json.loads(wop("run", "show", run_id, "--json", *olga).out)["run"]["workflowId"] == "flow"
    assert wop("run", "cancel", run_id, "--reason", "twice", *olga).out == f"{run_id}\n"
    assert factories.status(run_id) == "cancelled"


@pytest.fixture
def ctrl_c_is_heard() -> Iterator[None]:
    """Programs started meanwhile heed Ctrl-C, though a shell that runs the tests in the background has it ignored."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.django_db(transaction=True)
@pytest.mark.timeout(120)
@pytest.mark.usefixtures("ctrl_c_is_heard")
def test_stopping_a_watch_of_a_real_host_is_clean(server: str, tmp_path: Path) -> None:
    """The program as it is installed, over a socket: each event as it happens, and an end without a traceback."""
    run_id = factories.start_flow(factories.one_gate(), now=timezone.now())
    environment = {
        "PATH": os.environ["PATH"],
        "WOP_DATA_DIR": str(tmp_path),
        "DATABASE_URL": database_url(),
        "WOP_URL": f"http://{server}/",
        "WOP_KEY": factories.api_key("olga"),
        "PYTHONPATH": str(ROOT),
    }
    program = [sys.executable, "-P", "-m", "wopsite.command_line"]
    with subprocess.Popen(
        [*program, "run", "watch", run_id], cwd=tmp_path, env=environment, text=True, stdout=-1, stderr=-1
    ) as watch:
        assert watch.stdout is not None
        seen = [watch.stdout.readline().split()[1] for _ in range(4)]
        answer = subprocess.run(
            [*program, "run", "resume", run_id, "--outcome", "ask", "--input", "feedback=Why?"],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        watch.send_signal(signal.SIGINT)
        out, err = watch.communicate(timeout=30)
    assert seen == ["run.started", "node.started", "interrupt.requested", "node.suspended"]
    assert (answer.returncode, answer.stdout) == (0, f"{run_id}\n"), answer.stderr
    assert (watch.returncode, out, err) == (STOPPED, "", "")
