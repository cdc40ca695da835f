"""`make run` as a person meets it: real processes on a data directory and a port of the test's own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.sources import ROOT

pytestmark = pytest.mark.timeout(120)


@dataclass(frozen=True, slots=True)
class Installation:
    """A data directory and a port; every start uses both."""

    data: Path
    port: int
    output: list[str] = field(default_factory=list)

    @property
    def environment(self) -> dict[str, str]:
        ours = {"WOP_DATA_DIR": str(self.data), "PORT": str(self.port), "DATABASE_URL": "", "CELERY_BROKER_URL": ""}
        return {**os.environ, **ours}

    def start(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "wopsite.serve"],
            cwd=ROOT,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )

    @contextmanager
    def running(self) -> Iterator[subprocess.Popen[str]]:
        """Started and announced; stopped when the block ends, unless that was done in it."""
        program = self.start()
        try:
            assert program.stdout is not None
            self.output[:] = until("Ctrl-C stops it.\n", program.stdout)
            yield program
        finally:
            if program.poll() is None:
                program.terminate()
            program.communicate(timeout=40)

    def refused(self) -> str:
        """The only line with which a start ends that cannot be."""
        program = self.start()
        output, _ = program.communicate(timeout=40)
        assert program.returncode == 1
        assert output.count("\n") == 1
        return output

    def get(self, path: str) -> Any:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=10) as response:
            return response.read()

    def await_sweep(self) -> None:
        deadline = time.monotonic() + 40
        while json.loads(self.get("/readyz"))["lastSweep"] is None:
            assert time.monotonic() < deadline, "no worker swept the timers"
            time.sleep(0.2)


def until(last: str, lines: Iterator[str] | Any) -> list[str]:
    seen: list[str] = []
    for line in lines:
        seen.append(line)
        if line == last:
            return seen
    pytest.fail("it ended early:\n" + "".join(seen))


@pytest.fixture
def installation(tmp_path: Path) -> Installation:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return Installation(tmp_path, probe.getsockname()[1])


def test_the_first_start_loads_samples_the_second_does_not_and_ctrl_c_stops_all(installation: Installation) -> None:
    with installation.running() as program:
        assert "New database: loading the sample workflows and accounts.\n" in installation.output
        assert f"wopsite is running: http://127.0.0.1:{installation.port}/\n" in installation.output
        address = installation.output.index(f"wopsite is running: http://127.0.0.1:{installation.port}/\n")
        (accounts,) = (n for n, line in enumerate(installation.output) if "passwords are shown this once" in line)
        assert address < accounts
        assert "wop key create" in "".join(installation.output[address:accounts])
        installation.await_sweep()
        program.send_signal(signal.SIGINT)
        assert program.wait(timeout=40) == 0
    with pytest.raises(urllib.error.URLError):
        installation.get("/healthz")
    with installation.running():
        once = ("New database", "migrations", "passwords")
        assert not [line for line in installation.output if any(word in line for word in once)]
        assert "wop key create" in "".join(installation.output)
        assert installation.get("/healthz") == b"ok\n"


def test_after_kill_9_it_starts_again_and_one_at_a_time_holds(installation: Installation) -> None:
    with installation.running() as program:
        assert "already runs on the data directory" in installation.refused()
        program.kill()
        program.wait(timeout=10)
    with installation.running():
        assert installation.get("/healthz") == b"ok\n"


def test_a_taken_port_is_named_in_one_line(installation: Installation) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", installation.port))
        other.listen()
        assert installation.refused().startswith(f"Port {installation.port} on 127.0.0.1 is taken. ")


def test_a_database_that_is_not_there_is_named_in_one_line(
    installation: Installation, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = {**installation.environment, "DATABASE_URL": "postgres://ann:secret@127.0.0.1:1/wop"}
    monkeypatch.setattr(Installation, "environment", settings)
    line = installation.refused()
    assert line.startswith("The PostgreSQL database wop cannot be used: ")
    assert "secret" not in line
