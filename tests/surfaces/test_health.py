"""`/healthz` and `/readyz`."""

from __future__ import annotations

import pytest
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client
from django.utils import timezone

from interrupts import conf, sightings
from interrupts.vocabulary import Sighted


def test_healthz_answers_without_a_database(client: Client) -> None:
    response = client.get("/healthz")
    assert (response.status_code, response.content) == (200, b"ok\n")


@pytest.mark.django_db
def test_readyz_says_that_all_is_well_and_when_timers_were_last_swept(client: Client) -> None:
    now = timezone.now()
    told = client.get("/readyz").json()
    assert (told["ready"], told["database"], told["migrations"], told["lastSweep"]) == (True, "ok", "ok", None)
    assert [warning.partition(" ")[0] for warning in told["warnings"]] == ["No", "Beat"]
    for what in Sighted:
        sightings.note(what, name="one", queues=conf.queues(), now=now)
    told = client.get("/readyz").json()
    assert told["lastSweep"] == now.isoformat(timespec="seconds")
    assert told["warnings"] == []


@pytest.mark.django_db
def test_readyz_is_503_while_a_migration_is_missing(client: Client) -> None:
    MigrationRecorder(connection).record_unapplied("sessions", "0001_initial")
    response = client.get("/readyz")
    assert response.status_code == 503
    assert response.json() == {
        "ready": False,
        "database": "ok",
        "migrations": "pending",
        "lastSweep": None,
        "warnings": [],
    }


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_is_asked_for_and_never_posted(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405
