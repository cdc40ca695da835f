"""``wop status``."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from interrupts import conf, sightings
from interrupts.vocabulary import Sighted
from tests.surfaces.cli.conftest import Wop


def test_all_is_well_while_everybody_was_seen(wop: Wop) -> None:
    now = timezone.now()
    sightings.note(Sighted.WORKER, name="w", queues=conf.queues(), now=now)
    sightings.note(Sighted.BEAT, name="b", now=now)
    sightings.note(Sighted.SWEEP, name="", now=now - timedelta(seconds=30))
    told = wop("status")
    assert (told.status, told.err) == (0, "")
    assert told.lines[0] == f"database: ok ({connection.display_name})"
    assert told.lines[1] == "migrations: ok"
    assert re.match(r"worker: w, seen \d s ago, queues timers, outbox, deliveries", told.lines[2])
    assert re.fullmatch(r"beat: b, seen \d s ago", told.lines[3])
    assert told.lines[4].startswith("last sweep: ")
    assert re.search(r"Z \(3\d s ago\)$", told.lines[4])
    assert told.lines[5:] == ["timers: 0 due", "outbox: 0 due, 0 dead", "deliveries: 0 due, 0 dead"]


def test_who_is_missing_is_told_with_an_exit_status_for_scripts(wop: Wop) -> None:
    told = wop("status")
    assert told.status == 70
    assert told.lines[2:5] == ["worker: none seen", "beat: none seen", "last sweep: never"]
    assert told.err.startswith("No worker gives a sign of life.")


def test_it_is_about_this_machine_and_says_where_to_ask_another(wop: Wop, settings: Any) -> None:
    ended = wop("status", "--url", "https://wop.example.org", "--key", "wop_0123456789ab_secret")
    assert (ended.status, ended.out) == (2, "")
    assert "This command is about the installation of this machine and takes no --url and no --key." in ended.err
    assert "/readyz" in ended.err
    assert "/readyz" in wop("status", "--help").out
    settings.WOP_URL = "https://wop.example.org"
    told = wop("status")
    assert told.lines[0].startswith("database: ok")
    assert told.err.endswith("Whether https://wop.example.org is ready, it tells at /readyz.\n")


@pytest.mark.django_db
def test_tables_that_are_not_up_to_date_are_told_before_they_are_read(wop: Wop) -> None:
    MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")
    told = wop("status")
    assert (told.status, told.lines[1]) == (70, "migrations: pending")
    assert told.err == "The tables are not up to date. Run: manage.py migrate\n"
