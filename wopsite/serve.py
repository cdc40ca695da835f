"""`make run`: prepares the database, then runs web, worker and beat together until it is told to stop."""

from __future__ import annotations

import errno
import http.client
import io
import os
import socket
import sys
import time
from pathlib import Path
from typing import Any

import django
from celery.exceptions import OperationalError as BrokerError
from django.conf import settings
from django.core.management import call_command
from django.core.management.base import CommandError, SystemCheckError
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from kombu.exceptions import OperationalError as TransportError

from wopsite.celery import app
from wopsite.claim import Claim, Claimed
from wopsite.supervisor import Supervisor

_PORT_PATIENCE_SECONDS = 25.0
_RULE = "-" * 80


class CannotStart(SystemExit):
    """Ends the program with one line for the person who started it, and exit status 1."""


def main() -> int:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "wopsite.settings")
    os.chdir(Path(__file__).resolve().parent.parent)
    django.setup()
    # This process needs one connection and no pool, whose threads would be in the way of a fork, and which would try
    # for long before it says that there is no server.
    connection.settings_dict["OPTIONS"].pop("pool", None)
    with _claim_data_directory() as claim:
        _await_port(patience=_PORT_PATIENCE_SECONDS if claim.left_behind else 0)
        claim.write(_origin())
        _note_first_start()
        _check()
        _prepare_broker()
        accounts = _prepare_database()
        try:
            status = Supervisor(commands(), say).run(_web_answers, lambda: _announce(accounts))
        finally:
            # Passwords that nobody was shown are lost: also a start that fails tells them.
            _tell(accounts)
        claim.clear()
    return status


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def commands() -> dict[str, list[str]]:
    # Celery warns root because of pickled messages, and we accept none.
    no_warning = ["-W", "ignore:You're running the worker with superuser privileges"]
    celery = [sys.executable, *no_warning, "-m", "celery", "--quiet", "--app=wopsite.celery:app"]
    quiet_worker = ["--without-gossip", "--without-mingle", "--without-heartbeat"]
    return {
        "web": [sys.executable, "-m", "gunicorn", "--config=python:wopsite.gunicorn_conf", "wopsite.wsgi"],
        "worker": [*celery, "worker", "--concurrency=2", *quiet_worker],
        "beat": [*celery, "beat"],
    }


# --- One at a time on a data directory --------------------------------------------------------------------------------


def _claim_data_directory() -> Claim:
    try:
        return Claim(settings.WOP_DATA_DIR)
    except Claimed as claimed:
        raise CannotStart(
            f"wopsite already runs on the data directory {settings.WOP_DATA_DIR} ({claimed}). "
            "Stop it first, or give this one a directory of its own: WOP_DATA_DIR=/other/directory PORT=8001"
        ) from None


def _await_port(patience: float) -> None:
    """Make sure the port is free. After an unclean end the processes left behind get `patience` seconds to leave."""
    deadline = time.monotonic() + patience
    while (problem := _port_problem()) is not None:
        if time.monotonic() >= deadline:
            raise CannotStart(problem)
        time.sleep(0.2)


def _port_problem() -> str | None:
    host, port = settings.WOP_BIND, settings.WOP_PORT
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0][0]
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return (
                f"Port {port} on {host} is taken. Stop what listens there, or choose another: make run PORT={port + 1}"
            )
        return (
            f"Cannot listen on {host}, port {port}: {error.strerror}. WOP_BIND and PORT say where. Example: PORT=8000"
        )
    return None


# --- Database and broker ----------------------------------------------------------------------------------------------


def _first_start() -> Path:
    """Lies in the data directory until the samples are in: a start that was cut short is still the first one."""
    path: Path = settings.WOP_DATA_DIR / "first-start"
    return path


def _note_first_start() -> None:
    if connection.vendor == "sqlite" and not Path(connection.settings_dict["NAME"]).exists():
        _first_start().touch()


def _check() -> None:
    try:
        call_command("check", stdout=io.StringIO())
    except SystemCheckError as error:
        raise CannotStart(str(error)) from None


def _prepare_database() -> list[str]:
    """Bring the tables up to date, and fill a new database; return the lines that say how to sign in to it."""
    _migrate()
    accounts: list[str] = []
    if connection.vendor == "sqlite" and _first_start().exists():
        say("New database: loading the sample workflows and accounts.")
        accounts = _load_samples()
        _first_start().unlink()
    connection.close()
    return accounts


def _migrate() -> None:
    name = connection.settings_dict["NAME"]
    try:
        executor = MigrationExecutor(connection)
        steps = len(executor.migration_plan(executor.loader.graph.leaf_nodes()))
        if steps:
            say(f"{connection.display_name} database {name}: applying {steps} migrations.")
            call_command("migrate", interactive=False, verbosity=0)
    except DatabaseError as error:
        reason = " ".join(str(error).split())
        raise CannotStart(f"The {connection.display_name} database {name} cannot be used: {reason}") from None


def _load_samples() -> list[str]:
    told = io.StringIO()
    try:
        call_command("wop", "sample", stdout=told)
    except CommandError as error:
        raise CannotStart(f"The samples could not be loaded: {error}") from None
    return told.getvalue().splitlines()


def _prepare_broker() -> None:
    try:
        with app.connection_for_write() as broker:
            broker.ensure_connection(max_retries=1, timeout=5)
            declare_queues(broker.default_channel)
    except (BrokerError, TransportError, OSError) as error:
        raise CannotStart(f"The broker of CELERY_BROKER_URL cannot be reached: {error}") from None


def declare_queues(channel: Any) -> None:
    """Make the queues before anyone uses them: the filesystem broker's processes would race to make their files."""
    for queue in app.amqp.queues.values():
        queue.bind(channel).declare()


# --- Telling where to go ----------------------------------------------------------------------------------------------


def _origin() -> str:
    host = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(settings.WOP_BIND, settings.WOP_BIND)  # noqa: S104
    return f"http://{f'[{host}]' if ':' in host else host}:{settings.WOP_PORT}"


def _web_answers() -> bool:
    client = http.client.HTTPConnection(_origin().removeprefix("http://"), timeout=2)
    try:
        client.request("GET", "/healthz")
        client.getresponse().read()
    except OSError:
        return False
    finally:
        client.close()
    return True


def _announce(accounts: list[str]) -> None:
    say(f"\nwopsite is running: {_origin()}/")
    say(f"Sign in at {_origin()}/accounts/login/ (forgotten: .venv/bin/python manage.py changepassword NAME).")
    say("A new API key: .venv/bin/wop key create --user NAME --scope runs:create runs:read approvals:respond")
    _tell(accounts)
    say("Ctrl-C stops it.\n")


def _tell(accounts: list[str]) -> None:
    """Print what is shown once, set off by lines, and forget it."""
    if accounts:
        say("\n".join(["", _RULE, *accounts, _RULE, ""]))
        accounts.clear()


if __name__ == "__main__":
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        sys.exit(130)
