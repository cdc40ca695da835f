"""A running installation of a test's own: its data directory, database and broker, and the processes of `make run`.

On SQLite it is the embedded profile (filesystem broker). With `DATABASE_URL` it is the scaled one: a PostgreSQL
database and a Redis server that the installation makes for itself and takes down again.
"""

from __future__ import annotations

import json
import logging
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit, urlunsplit

import httpx
import psycopg
import pytest
from psycopg import sql

from wopsite import serve

# A line a request would bury what a failing test has to say.
logging.getLogger("httpx").setLevel(logging.WARNING)

ROOT: Final = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS: Final = 60.0
ALL: Final = ("web", "worker", "beat")


class Redis:
    """A broker of a test's own, which can be lost with all it holds, and come back."""

    def __init__(self, program: str, folder: Path) -> None:
        self.port = free_port()
        self._folder = folder
        options = ["--port", str(self.port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder)]
        self._command = [program, *options]
        self.start()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        with (self._folder / "redis.log").open("ab") as log:
            self._process = subprocess.Popen(self._command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        await_that(lambda: _listens(self.port), "redis-server does not answer")

    def stop(self) -> None:
        self._process.kill()
        self._process.wait(PATIENCE_SECONDS)


@dataclass(slots=True)
class Installation:
    """Processes on one database and one broker; each can be killed and started again."""

    folder: Path
    port: int
    environment: dict[str, str]
    http: httpx.Client
    redis: Redis | None = None
    keys: dict[str, str] = field(default_factory=dict)
    _processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    def populate(self, module: str, *arguments: str) -> Any:
        """Run one of our modules on the installation and return the JSON it prints."""
        return json.loads(self._python("-m", module, *arguments))

    def prepare_broker(self) -> None:
        """What `make run` does before it starts the processes."""
        self._python("-c", "import django; django.setup(); from wopsite import serve; serve._prepare_broker()")

    def unsound_runs(self) -> dict[str, str]:
        """What is wrong with the stored runs, by run id: nothing, one hopes."""
        unsound: dict[str, str] = self.populate("tests.live.audit")
        return unsound

    def start(self, *names: str) -> None:
        """Start processes the way `make run` does, and wait until web answers and a worker has swept the timers."""
        began = datetime.now(UTC)
        self.start_unseen(*names)
        if "web" in names:
            await_that(self._answers, "web does not answer")
        if "worker" in names and "beat" in self._processes:
            await_that(lambda: self._has_swept_since(began), "no worker swept the timers")

    def start_unseen(self, *names: str) -> None:
        """Start processes and do not wait for them."""
        for name in names:
            assert name not in self._processes, f"{name} runs already"
            self._processes[name] = self._spawn(name)

    def kill(self, *names: str) -> None:
        """End processes at once, their children too: SIGKILL leaves nothing time to put anything right."""
        processes = [self._processes.pop(name) for name in names]
        for process in processes:
            os.killpg(process.pid, signal.SIGKILL)
        for process in processes:
            process.wait(PATIENCE_SECONDS)

    @contextmanager
    def counting(self, table: str) -> Iterator[Callable[[], int]]:
        """A function that counts the rows of a table, faster than any request could."""
        with closing(self._connect()) as connection:
            yield lambda: int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])

    def query(self, sql: str) -> tuple[Any, ...]:
        """The first row that the installation's own database answers with."""
        with closing(self._connect()) as connection:
            row: tuple[Any, ...] = connection.execute(sql).fetchone()
            return row

    def _connect(self) -> Any:
        url = self.environment["DATABASE_URL"]
        path = self.folder / "wopsite.sqlite3"
        return psycopg.connect(url, autocommit=True) if url else sqlite3.connect(path, isolation_level=None)

    def cut_database_connections(self) -> None:
        """End every connection of ours to PostgreSQL, as a restart of the server would."""
        with psycopg.connect(self.environment["DATABASE_URL"], autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE datname = current_database() AND pid <> pg_backend_pid()"
            )

    @property
    def running(self) -> tuple[str, ...]:
        return tuple(self._processes)

    def restart(self) -> None:
        """Have all processes running, whatever a test has killed."""
        self.start(*(name for name in ALL if name not in self._processes))

    def stop(self) -> None:
        self.kill(*self._processes)

    def log(self, name: str) -> str:
        return self._log_file(name).read_text()

    def empty_broker(self) -> None:
        """Lose every message on its way, as an operator's FLUSHALL or a deleted folder would."""
        if self.redis is not None:
            with socket.create_connection(("127.0.0.1", self.redis.port)) as redis:
                redis.sendall(b"FLUSHALL\r\n")
                assert redis.recv(64) == b"+OK\r\n"
        else:
            for message in (self.folder / "broker" / "messages").iterdir():
                message.unlink(missing_ok=True)

    def _spawn(self, name: str) -> subprocess.Popen[bytes]:
        command = serve.commands()[name]
        with self._log_file(name).open("ab") as log:
            return subprocess.Popen(
                command,
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def _python(self, *arguments: str) -> str:
        command = [sys.executable, *arguments]
        done = subprocess.run(command, cwd=ROOT, env=self.environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def _log_file(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def _answers(self) -> bool:
        assert self._processes["web"].poll() is None, self.log("web")
        try:
            return self.http.get("/healthz", timeout=2).status_code == 200
        except httpx.TransportError:
            return False

    def _has_swept_since(self, began: datetime) -> bool:
        (swept,) = self.query("SELECT max(seen_at) FROM interrupts_sighting WHERE what = 'sweep'")
        # SQLite gives the text of a time in UTC, PostgreSQL a time.
        at = datetime.fromisoformat(f"{swept}+00:00") if isinstance(swept, str) else swept
        return at is not None and at > began


@contextmanager
def installed(folder: Path, **settings: str) -> Iterator[Installation]:
    """An installation in ``folder`` with further settings; nothing runs yet, and nothing is left behind."""
    with _database(folder.name) as database, redis_of_its_own(folder) as redis:
        port = free_port()
        ours = {
            "WOP_DATA_DIR": str(folder),
            "PORT": str(port),
            "DATABASE_URL": database,
            "CELERY_BROKER_URL": redis.url if redis else "",
            "DJANGO_SETTINGS_MODULE": "wopsite.settings",
            # Several installations share one server, which takes a hundred connections in all.
            "WOP_DATABASE_POOL_SIZE": "6",
        }
        with _client(port) as http:
            installation = Installation(folder, port, {**os.environ, **ours, **settings}, http, redis)
            try:
                yield installation
            finally:
                installation.stop()


def await_that(holds: Callable[[], bool], otherwise: str, *, seconds: float = PATIENCE_SECONDS) -> None:
    """Look again and again until it holds; fail with ``otherwise`` when it does not in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, otherwise
        time.sleep(0.05)


def _client(port: int) -> httpx.Client:
    """The connections that all callers of a test share; as many as may call at once."""
    limits = httpx.Limits(max_connections=64, max_keepalive_connections=64)
    return httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=20, limits=limits)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _is_scaled() -> bool:
    return os.environ.get("DATABASE_URL", "").startswith("postgres")


@contextmanager
def _database(name: str) -> Iterator[str]:
    """The URL of a new PostgreSQL database beside that of ``DATABASE_URL``; without one, nothing: SQLite."""
    url = urlsplit(os.environ.get("DATABASE_URL", ""))
    if not _is_scaled():
        yield ""
        return
    server = urlunsplit(url._replace(scheme="postgresql", path="/postgres"))
    database = sql.Identifier(f"{url.path.strip('/')}_{name}_{os.getpid()}")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(database))
        try:
            yield urlunsplit(url._replace(path=f"/{database._obj[0]}"))
        finally:
            connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(database))


@contextmanager
def redis_of_its_own(folder: Path) -> Iterator[Redis | None]:
    """A Redis that is started for it in the scaled profile; the embedded one has its messages in files."""
    if not _is_scaled():
        yield None
        return
    program = shutil.which("redis-server")
    if program is None:
        pytest.skip("the scaled profile needs redis-server: none was found on the PATH")
    redis = Redis(program, folder)
    try:
        yield redis
    finally:
        redis.stop()


def _listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
