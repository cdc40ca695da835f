"""What worker and beat processes do beside tasks: they give signs of life, and they end in good order."""

from __future__ import annotations

import atexit
import os
from socket import gethostname
from typing import Any, Final

from celery.signals import (
    after_task_publish,
    beat_init,
    worker_process_shutdown,
    worker_ready,
    worker_shutdown,
    worker_shutting_down,
)
from django.db import connections

from interrupts.services.pulse import Pulse
from interrupts.sightings import EVERY
from interrupts.tasks import COURIER
from interrupts.vocabulary import Sighted

# A call takes at most 10 seconds, and who stops the process waits longer than this.
FAREWELL_SECONDS: Final = 12.0
_WORKER: Final = Pulse(Sighted.WORKER)
_BEAT: Final = Pulse(Sighted.BEAT)
_timers: Final[list[Any]] = []


@worker_ready.connect
def start_pulse_of_worker(sender: Any, **_: Any) -> None:
    """Give signs of life while the worker takes work. It is ready once more whenever it has found its broker back."""
    while _timers:
        _timers.pop().cancel()
    # Two workers on one machine may have the same name.
    _WORKER.start(f"{sender.hostname}, process {os.getpid()}", sorted(sender.app.amqp.queues.consume_from))
    _forget_connections()
    _timers.append(sender.timer.call_repeatedly(EVERY.total_seconds(), give_sign_of_worker))


def give_sign_of_worker() -> None:
    _WORKER.beat()
    _forget_connections()


def _forget_connections() -> None:
    """Processes are forked from this one at any time, and must not find its connection to the database."""
    connections.close_all()


@worker_shutting_down.connect
def begin_no_delivery(**_: Any) -> None:
    """Matters to a worker without a pool: it makes its deliveries itself, and has just been told to stop."""
    COURIER.stop()


@worker_process_shutdown.connect
def finish_deliveries(**_: Any) -> None:
    """Let calls under way come to their end: what is cut off is sent again, but only after its lease."""
    COURIER.finish(seconds=FAREWELL_SECONDS)


@worker_shutdown.connect
def end_worker(**_: Any) -> None:
    """Say goodbye, after the deliveries of a worker without a pool."""
    finish_deliveries()
    _WORKER.end()


@beat_init.connect
def start_pulse_of_beat(**_: Any) -> None:
    """Let every message that this beat gives to the broker be a sign of its life."""
    _BEAT.start(f"beat@{gethostname()}, process {os.getpid()}")
    after_task_publish.connect(give_sign_of_beat)
    atexit.register(_BEAT.end)


def give_sign_of_beat(**_: Any) -> None:
    _BEAT.beat()
