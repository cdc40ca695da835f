"""The real server, on a database of its own that is made anew for each bench."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

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
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
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


def _wait_for(port: int, log: Path) -> None:
    for _ in range(150):
        try:
            urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=1).close()
        except OSError:
            time.sleep(0.2)
        else:
            return
    raise SystemExit(f"The server did not start; see its log:\n{log.read_text()[-2000:]}")
