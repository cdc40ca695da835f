"""The real server, on a database of its own that is made anew for each bench."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from wopsite import serve

ROOT = Path(__file__).resolve().parent.parent
DATABASE = "wop_bench"


def prepare_environment() -> None:
    """Point Django at a fresh PostgreSQL database and a data directory of its own."""
    base = os.environ.get("BENCH_POSTGRESQL", "postgres://root@127.0.0.1:5432")
    subprocess.run(["dropdb", "--if-exists", "--maintenance-db", f"{base}/postgres", DATABASE], check=True)
    subprocess.run(["createdb", "--maintenance-db", f"{base}/postgres", DATABASE], check=True)
    os.environ["DATABASE_URL"] = f"{base}/{DATABASE}"
    os.environ["WOP_DATA_DIR"] = tempfile.mkdtemp(prefix="wop-bench-")
    os.environ["WOP_LOG_LEVEL"] = "WARNING"
    os.environ["DJANGO_SETTINGS_MODULE"] = "wopsite.settings"


@contextmanager
def serving() -> Iterator[int]:
    """Start gunicorn with the project's own configuration, and give its port."""
    port = free_port()
    command = [sys.executable, "-m", "gunicorn", "--config", "python:wopsite.gunicorn_conf", "wopsite.wsgi:application"]
    log = Path(os.environ["WOP_DATA_DIR"]) / "web.log"
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env={**os.environ, "PORT": str(port)}, stdout=out, stderr=out)
        try:
            _wait_for(port, log)
            yield port
        finally:
            process.terminate()
            process.wait(timeout=30)


@contextmanager
def broker() -> Iterator[None]:
    """Start a Redis of the bench's own, and let all that is started meanwhile use it."""
    program, port = shutil.which("redis-server"), free_port()
    if program is None:
        raise SystemExit("The bench measures workers with Redis between them: install redis-server.")
    options = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", os.environ["WOP_DATA_DIR"]]
    with subprocess.Popen([program, *options], stdout=subprocess.DEVNULL) as redis:
        os.environ["CELERY_BROKER_URL"] = f"redis://127.0.0.1:{port}/0"
        try:
            yield
        finally:
            redis.terminate()


@contextmanager
def process(name: str, *options: str, **settings: str) -> Iterator[None]:
    """Start a worker or a beat as `make run` does, with further options, and end it in good order."""
    command = [*serve.commands()[name], *options]
    with (Path(os.environ["WOP_DATA_DIR"]) / f"{name}.log").open("ab") as out:
        started = subprocess.Popen(command, cwd=ROOT, env={**os.environ, **settings}, stdout=out, stderr=out)
        try:
            yield
        finally:
            started.terminate()
            started.wait(timeout=60)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _wait_for(port: int, log: Path) -> None:
    for _ in range(150):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit(f"The server did not start; see its log:\n{log.read_text()[-2000:]}")
