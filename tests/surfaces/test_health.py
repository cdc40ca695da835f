"""`/healthz` and `/readyz`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from wopsite.sweeps import note_sweep


def test_healthz_answers_without_a_database(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_readyz_says_that_all_is_well_and_when_timers_were_last_swept(client: Client, data_dir: Path) -> None:
    assert client.get("/readyz").json() == {"ready": True, "database": "ok", "migrations": "ok", "lastSweep": None}
    note_sweep()
    os.utime(data_dir / "last-sweep", (1_000_000_000, 1_000_000_000))
    assert client.get("/readyz").json()["lastSweep"] == "2001-09-09T01:46:40+00:00"


@pytest.mark.django_db
def test_readyz_is_503_while_a_migration_is_missing(client: Client, data_dir: Path) -> None:
    MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json()["migrations"] == "pending"


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_is_asked_for_and_never_posted(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405
