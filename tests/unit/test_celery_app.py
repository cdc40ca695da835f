"""The Celery app: what keeps a lost or late message harmless."""

from __future__ import annotations

from pathlib import Path

import pytest
from celery.signals import worker_init
from django.conf import settings
from django.db import connections

from wopsite.celery import FIRE_TIMERS, app, note_finished_sweep
from wopsite.sweeps import last_sweep


def test_every_reminder_names_a_task_that_exists() -> None:
    app.loader.import_default_modules()
    names = {entry["task"] for entry in app.conf.beat_schedule.values()}
    tasks = ("fire_timers", "relay_outbox", "deliver_due", "purge_deliveries", "purge_idempotency_records")
    mail = {"approvals.tasks.send_mail", "approvals.tasks.purge_notices"}
    assert names == {f"interrupts.tasks.{name}" for name in tasks} | mail
    assert names <= set(app.tasks)


def test_a_reminder_that_nobody_fetched_expires() -> None:
    for entry in app.conf.beat_schedule.values():
        assert entry["schedule"] <= entry["options"]["expires"] <= 3600


def test_a_task_is_given_back_when_its_worker_dies_and_only_json_is_read() -> None:
    assert (app.conf.task_acks_late, app.conf.task_reject_on_worker_lost) == (True, True)
    assert (app.conf.accept_content, app.conf.task_serializer) == (["json"], "json")
    assert app.conf.task_always_eager is False


def test_a_broker_of_files_has_no_pool_whose_processes_could_block_each_other() -> None:
    is_of_files = settings.CELERY_BROKER_URL.startswith("filesystem:")
    assert app.conf.worker_pool == ("solo" if is_of_files else "prefork")


def test_a_worker_lets_each_of_its_threads_hold_a_connection_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Celery closes the process's pool around every task, under the deliveries that are still being made."""
    monkeypatch.setitem(connections["default"].settings_dict, "OPTIONS", {"pool": {"max_size": 4}, "timeout": 20})
    worker_init.send(sender=None)
    assert connections["default"].settings_dict["OPTIONS"] == {"timeout": 20}


@pytest.mark.parametrize(("state", "seen"), [("SUCCESS", True), ("FAILURE", False)])
def test_only_a_sweep_that_worked_is_noted(data_dir: Path, state: str, *, seen: bool) -> None:
    app.loader.import_default_modules()
    note_finished_sweep(sender=app.tasks[FIRE_TIMERS], state=state)
    assert (last_sweep() is not None) is seen
