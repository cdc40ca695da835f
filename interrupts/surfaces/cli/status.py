"""``wop status``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime
from typing import Final

from django.db import connection

from interrupts import conf
from interrupts.events import isoformat
from interrupts.models import Sighting
from interrupts.services import health
from interrupts.services.health import Backlog
from interrupts.surfaces.cli.command import Command, Outcome

_UNWELL: Final = 70


def _no_arguments(_parser: ArgumentParser) -> None:
    """There are none."""


def _status(_arguments: Namespace, now: datetime) -> Outcome:
    told = _status_here(now)
    elsewhere = conf.remote_host().url
    if not elsewhere:
        return told
    note = f"This is about the installation of this machine. Whether {elsewhere} is ready, it tells at /readyz."
    return replace(told, notes=(*told.notes, note))


def _status_here(now: datetime) -> Outcome:
    state = health.database_state()
    lines = [f"database: {state.database} ({connection.display_name})", f"migrations: {state.migrations}"]
    if not state.is_ready:
        told = "The database does not answer. Is DATABASE_URL right, and does it run?"
        if state.database == "ok":
            told = "The tables are not up to date. Run: manage.py migrate"
        return Outcome(values=tuple(lines), notes=(told,), status=_UNWELL)
    seen = health.processes(now=now)
    swept = f"{isoformat(seen.last_sweep)} ({_ago(seen.last_sweep, now)})" if seen.last_sweep else "never"
    lines += [
        *_sighted("worker", seen.workers, now),
        *_sighted("beat", seen.beats, now),
        f"last sweep: {swept}",
        *(_waiting(name, backlog, now) for name, backlog in health.backlogs(now=now).items()),
    ]
    return Outcome(values=tuple(lines), notes=seen.warnings, status=_UNWELL if seen.warnings else 0)


def _sighted(what: str, sightings: Iterable[Sighting], now: datetime) -> list[str]:
    found = [
        f"{what}: {seen.name}, seen {_ago(seen.seen_at, now)}"
        + (f", queues {', '.join(seen.queues)}" if seen.queues else "")
        for seen in sightings
    ]
    return found or [f"{what}: none seen"]


def _waiting(name: str, backlog: Backlog, now: datetime) -> str:
    oldest = f", the oldest since {isoformat(backlog.oldest)} ({_ago(backlog.oldest, now)})" if backlog.oldest else ""
    dead = "" if backlog.dead is None else f", {backlog.dead} dead"
    return f"{name}: {backlog.due} due{oldest}{dead}"


def _ago(at: datetime, now: datetime) -> str:
    return f"{max(0, round((now - at).total_seconds()))} s ago"


COMMANDS: Final = (
    Command(
        words="status",
        summary="Say whether this machine's database, workers and beat are there, and what waits to be done",
        example="wop status",
        arguments=_no_arguments,
        run=_status,
        more="This is about the installation of this machine. Another host tells at /readyz whether it is ready.\n"
        "Exit status 70 when something is missing; what that is goes to standard error.",
    ),
)
