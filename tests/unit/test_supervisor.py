"""The supervisor of `make run`, with real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

PROGRAM = """
import sys
from wopsite.supervisor import Supervisor
commands = {name: [sys.executable, "-c", code] for name, code in zip(sys.argv[1::2], sys.argv[2::2])}
say = lambda line: print(line, flush=True)
sys.exit(Supervisor(commands, say).run(lambda: True, lambda: say("ready")))
"""
SLEEP = "import time; time.sleep(60)"


def supervise(**commands: str) -> subprocess.Popen[str]:
    arguments = [word for pair in commands.items() for word in pair]
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments],
        cwd=ROOT,
        env={**os.environ, "DJANGO_SETTINGS_MODULE": "wopsite.settings"},
        stdout=subprocess.PIPE,
        text=True,
    )


def sleeper(mark: Path) -> str:
    """A process that writes its id to `mark` and sleeps."""
    return f"import os, pathlib; pathlib.Path({str(mark)!r}).write_text(str(os.getpid())); {SLEEP}"


def has_ended(mark: Path, within: float = 10) -> bool:
    """Whether the process whose id is in `mark` is gone, or becomes so."""
    deadline = time.monotonic() + within
    while time.monotonic() < deadline:
        try:
            os.kill(int(mark.read_text()), 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_all_processes_and_is_no_failure(number: signal.Signals, tmp_path: Path) -> None:
    with supervise(one=sleeper(tmp_path / "one"), two=sleeper(tmp_path / "two")) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        wait_for(tmp_path / "one", tmp_path / "two")
        program.send_signal(number)
        assert program.wait(timeout=10) == 0
    assert has_ended(tmp_path / "one")
    assert has_ended(tmp_path / "two")


def test_a_process_that_ends_by_itself_is_named_and_takes_the_others_along(tmp_path: Path) -> None:
    first = str(tmp_path / "one")
    ending = f"import os, time\nwhile not os.path.exists({first!r}): time.sleep(0.05)\nraise SystemExit(3)"
    with supervise(web=sleeper(tmp_path / "one"), worker=ending) as program:
        output, _ = program.communicate(timeout=20)
    assert "The worker process ended by itself (exit status 3). Stopping the others.\n" in output
    assert program.returncode == 1
    assert has_ended(tmp_path / "one")


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux ends children with their parent")
def test_no_orphan_is_left_when_the_supervisor_is_killed(tmp_path: Path) -> None:
    with supervise(web=sleeper(tmp_path / "one")) as program:
        wait_for(tmp_path / "one")
        program.kill()
        program.wait(timeout=10)
    assert has_ended(tmp_path / "one")


def wait_for(*marks: Path) -> None:
    deadline = time.monotonic() + 20
    while not all(mark.exists() and mark.read_text() for mark in marks):
        assert time.monotonic() < deadline, "the processes did not start"
        time.sleep(0.05)
