"""The Celery app: what keeps a lost or late message harmless."""

from __future__ import annotations

import pytest
from celery.exceptions import QueueNotFound
from celery.signals import worker_init
from django.conf import settings
from django.db import connections

from approvals import processes as mail_processes
from interrupts import conf, processes, tasks
from interrupts.services import relay
from wopsite import supervisor
from wopsite.celery import QUEUES, REMINDERS, app


def test_every_reminder_names_a_task_that_exists() -> None:
    app.loader.import_default_modules()
    names = {entry["task"] for entry in app.conf.beat_schedule.values()}
    ours = {name for name in app.tasks if not name.startswith("celery.")}
    assert names == ours == {reminder.task for reminder in REMINDERS}


def test_each_task_goes_to_the_queue_of_its_purpose_and_workers_take_from_all_of_them() -> None:
    routed = {reminder.task: app.amqp.router.route({}, reminder.task)["queue"].name for reminder in REMINDERS}
    assert routed == {reminder.task: reminder.queue for reminder in REMINDERS}
    assert routed["interrupts.tasks.fire_timers"] == "timers"
    assert routed["interrupts.tasks.relay_outbox"] == "outbox"
    assert routed["interrupts.tasks.deliver_due"] == "deliveries"
    assert routed["approvals.tasks.send_mail"] == "mail"
    assert set(app.amqp.queues) == set(app.amqp.queues.consume_from) == set(QUEUES) == set(conf.queues())


def test_a_queue_that_does_not_exist_is_not_made_by_naming_it() -> None:
    with pytest.raises(QueueNotFound):
        app.amqp.router.route({"queue": "timer"}, REMINDERS[0].task)


def test_a_sweep_that_finds_ever_more_ends_and_the_next_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """So a worker that is told to stop soon does, and the time limit only ends what hangs."""
    monkeypatch.setattr(tasks, "SWEEP_SECONDS", 0.05)
    monkeypatch.setattr(relay, "relay_outbox", lambda *, now: 1)
    assert tasks.relay_outbox() > 0
    farewell = processes.FAREWELL_SECONDS + mail_processes.FAREWELL_SECONDS
    assert tasks.SWEEP_SECONDS + farewell < supervisor._GRACE_SECONDS
    assert app.conf.task_time_limit > 4 * supervisor._GRACE_SECONDS
    assert app.conf.task_soft_time_limit is None


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
