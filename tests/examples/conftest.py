"""The examples run as their readers would run them: with their own libraries, against a server of their own.

They need the virtual environment of `make examples`, which names its Python in EXAMPLES_PYTHON; `make test` leaves them
out.
"""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.architecture.sources import ROOT
from tests.live.installation import Installation, await_that, installed

PYTHON = os.environ.get("EXAMPLES_PYTHON")
collect_ignore_glob = [] if PYTHON else ["test_*.py"]


@dataclass(frozen=True, slots=True)
class Host:
    """The server that the examples ask, as somebody sees it who answers them."""

    installation: Installation
    key: str

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.installation.port}"

    def runs(self, workflow_id: str) -> list[dict[str, Any]]:
        """The runs of a workflow, newest first."""
        return list(self._send("GET", f"/runs?workflowId={workflow_id}")["runs"])

    def await_question(self, workflow_id: str, *, count: int = 1) -> str:
        """The id of the newest run of a workflow, once there are so many and that one waits."""

        def is_asked() -> bool:
            runs = self.runs(workflow_id)
            return len(runs) == count and runs[0]["status"].startswith("waiting-")

        await_that(is_asked, f"{workflow_id} was not asked")
        return str(self.runs(workflow_id)[0]["runId"])

    def answer(self, run_id: str, outcome: str, **payload: str) -> None:
        body = {"resumeValue": {"outcome": outcome, "payload": payload}}
        assert self._send("POST", f"{_path(run_id)}/interrupts/decide", body)["status"] == "completed"

    def cancel(self, run_id: str) -> None:
        self._send("POST", f"{_path(run_id)}/cancel", {})

    def _send(self, method: str, path: str, body: Any = None) -> Any:
        headers = {"Authorization": f"Bearer {self.key}"}
        response = self.installation.http.request(method, path, json=body, headers=headers)
        assert response.is_success, response.text
        return response.json()


@dataclass(slots=True)
class Program:
    """A program under way. It shares nothing with the tests but the server."""

    process: subprocess.Popen[str]
    log: Path

    def printed(self) -> str:
        """The last line that it prints, after it has ended well."""
        output, _ = self.process.communicate(timeout=120)
        assert self.process.returncode == 0, self.log.read_text("utf-8")
        return output.strip().splitlines()[-1]

    def kill(self) -> None:
        """End it and its children at once."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate(timeout=60)


@dataclass(slots=True)
class Shell:
    """Starts programs in a folder of their own, and leaves none behind."""

    folder: Path
    environment: dict[str, str]
    started: list[Program] = field(default_factory=list)

    def start(self, *arguments: str) -> Program:
        log = self.folder / f"{len(self.started)}.log"
        with log.open("wb") as errors:
            process = subprocess.Popen(
                [str(PYTHON), *arguments],
                cwd=self.folder,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                start_new_session=True,
            )
        program = Program(process, log)
        self.started.append(program)
        return program

    def stop(self) -> None:
        for program in self.started:
            if program.process.poll() is None:
                program.kill()


@pytest.fixture(scope="session")
def host(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Host]:
    with installed(tmp_path_factory.mktemp("examples")) as installation:
        keys = installation.populate("tests.live.populate")
        installation.start("web")
        yield Host(installation, keys["suite"])


@pytest.fixture
def shell(host: Host, tmp_path: Path) -> Iterator[Shell]:
    environment = {
        **{name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ},
        "HOME": str(tmp_path),
        "PYTHONPATH": str(ROOT),
        "WOP_URL": host.url,
        "WOP_KEY": host.key,
    }
    shell = Shell(tmp_path, environment)
    try:
        yield shell
    finally:
        shell.stop()


def _path(run_id: str) -> str:
    return f"/runs/{run_id.replace('/', '~2F')}"
