"""The server as it is shipped, gunicorn in processes of its own, on the database of the tests."""

from __future__ import annotations

import http.client
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from django.db import connection

from tests.architecture.sources import ROOT


@contextmanager
def running_server(data_dir: Path) -> Iterator[str]:
    """Give the address, ``host:port``, of a server that answers; it is stopped afterwards."""
    address = f"127.0.0.1:{_free_port()}"
    environment = {
        **os.environ,
        "PORT": address.partition(":")[2],
        "DATABASE_URL": database_url(),
        "WOP_DATA_DIR": str(data_dir),
        "WOP_WEB_WORKERS": "2",
    }
    command = [sys.executable, "-m", "gunicorn", "--config=python:wopsite.gunicorn_conf", "wopsite.wsgi"]
    with (data_dir / "server.log").open("wb") as log:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=log, stderr=log)
    try:
        _await_answer(address, process)
        yield address
    finally:
        process.terminate()
        process.wait(timeout=20)


def database_url() -> str:
    """The very database that the tests use."""
    at = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{quote(str(at['NAME']))}"
    login = quote(str(at["USER"])) + (f":{quote(str(at['PASSWORD']), safe='')}" if at["PASSWORD"] else "")
    return f"postgres://{login}@{at['HOST']}:{at['PORT'] or 5432}/{at['NAME']}"


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def _await_answer(address: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with closing(http.client.HTTPConnection(address, timeout=5)) as client:
                client.request("GET", "/.well-known/openwop")
                if client.getresponse().status == 200:
                    return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the server did not start")
