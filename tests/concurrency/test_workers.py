"""Real workers and a real beat on the database of the tests: files or Redis between them, queues shared out, ends."""

from __future__ import annotations

import os
import ssl
import subprocess
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.utils import timezone
from kombu import Connection

from interrupts.models import Delivery, OutboxMessage
from interrupts.services import health
from interrupts.sightings import LOST_AFTER
from tests import factories
from tests.architecture.sources import ROOT
from tests.live.installation import PATIENCE_SECONDS, await_that, redis_of_its_own
from tests.receivers import authority_file, receiving
from tests.surfaces.rest.server import database_url
from wopsite import env, serve
from wopsite.celery import QUEUES, app

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.timeout(180)]


@dataclass(frozen=True, slots=True)
class Crew:
    """The processes of one test, all on one broker."""

    folder: Path
    broker: str

    def connect(self) -> Connection:
        if self.broker:
            return Connection(self.broker)
        url, options = env.broker("NO_SUCH_VARIABLE", self.folder / "broker")
        return Connection(url, transport_options=options)

    def remind(self, task: str, **options: Any) -> None:
        """Do once what beat does each second. The message may carry options of its own, such as a time limit."""
        with self.connect() as there:
            app.send_task(f"interrupts.tasks.{task}", connection=there, **options)

    @contextmanager
    def running(self, name: str, *options: str, **settings: str) -> Iterator[subprocess.Popen[bytes]]:
        """A worker or beat as `make run` starts it, with further options; it is gone after the block."""
        ours = {"DATABASE_URL": database_url(), "CELERY_BROKER_URL": self.broker, "WOP_DATA_DIR": str(self.folder)}
        command = [*serve.commands()[name], *options]
        with (self.folder / "log").open("ab") as log:
            process = subprocess.Popen(
                command, cwd=ROOT, env={**os.environ, **ours, **settings}, stdout=log, stderr=log
            )
        try:
            yield process
        finally:
            process.kill()
            process.wait(PATIENCE_SECONDS)

    def log(self) -> str:
        return (self.folder / "log").read_text()


@pytest.fixture
def crew(tmp_path: Path) -> Iterator[Crew]:
    with redis_of_its_own(tmp_path) as redis:
        found = Crew(tmp_path, redis.url if redis else "")
        with found.connect() as there:
            serve.declare_queues(there.default_channel)
        yield found


def stopped(process: subprocess.Popen[bytes]) -> int:
    """Tell a process to stop, and return how it ended."""
    process.terminate()
    return process.wait(PATIENCE_SECONDS)


def warnings(**later: float) -> list[str]:
    """What is missing, by the first words of each warning."""
    told = health.processes(now=timezone.now() + timedelta(**later)).warnings
    return [" ".join(warning.split()[:3]) for warning in told]


def test_workers_share_the_queues_out_and_who_is_missing_is_told(crew: Crew, settings: Any) -> None:
    delayed = factories.chain(factories.node("wait", "core.delay", config={"ms": 50}), workflow_id="delayed")
    with_timer = factories.start_flow(delayed, now=timezone.now())
    settings.WOP_INLINE_NODE_EXECUTIONS = 1
    long = factories.chain(*(factories.node(name) for name in "abc"), workflow_id="long")
    in_outbox = factories.start_flow(long, now=timezone.now())
    assert warnings() == ["No worker gives", "Beat gives no"]
    with crew.running("beat") as beat, crew.running("worker", "--queues=timers", "--hostname=t@%h") as timers:
        await_that(lambda: factories.status(with_timer) == "completed", crew.log())
        assert (factories.status(in_outbox), OutboxMessage.objects.get().attempts) == ("running", 0)
        assert warnings() == ["No worker takes"]
        others = ",".join(name for name in QUEUES if name != "timers")
        with crew.running("worker", f"--queues={others}", "--hostname=o@%h") as rest:
            await_that(lambda: factories.status(in_outbox) == "completed", crew.log())
            assert (warnings(), len(health.processes(now=timezone.now()).workers)) == ([], 2)
            assert stopped(rest) == 0
        assert warnings() == ["No worker takes"]
        assert stopped(beat) == 0
        timers.kill()
        assert warnings() == ["No worker takes", "Beat gives no"]
        assert warnings(seconds=LOST_AFTER.total_seconds()) == ["No worker gives", "Beat gives no"]


def test_a_worker_that_is_told_to_stop_finishes_its_delivery_and_begins_no_other(crew: Crew, settings: Any) -> None:
    go_on = threading.Event()

    def take_long(stream: ssl.SSLSocket, _request: bytes) -> None:
        go_on.wait(20)
        stream.sendall(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n")

    with receiving(take_long, identity="127.0.0.1") as receiver:
        settings.WOP_EGRESS_ALLOW = [("127.0.0.0/8", receiver.port)]
        url = f"https://127.0.0.1:{receiver.port}/hook"
        factories.webhook(url, events=["run.started", "interrupt.requested", "node.started"], now=timezone.now())
        factories.start_flow(factories.one_gate(), now=timezone.now())
        trusted = {
            "WOP_EGRESS_ALLOW": f"127.0.0.0/8:{receiver.port}",
            "WOP_EGRESS_CA_FILE": authority_file(crew.folder),
        }
        with crew.running("worker", "--queues=deliveries", **trusted) as worker:
            crew.remind("deliver_due")
            await_that(lambda: len(receiver.requests) == 2, crew.log())
            worker.terminate()
            threading.Timer(1, go_on.set).start()
            assert worker.wait(PATIENCE_SECONDS) == 0
    assert sorted(Delivery.objects.values_list("outcome", "attempts_made"), key=str) == [
        ("delivered", 1),
        ("delivered", 1),
        (None, 0),
    ]


@pytest.mark.postgresql
def test_a_task_that_hangs_is_ended_by_its_time_limit_and_its_worker_goes_on(crew: Crew) -> None:
    """Another session holds the timers, as a lost transaction would, until the worker has replaced its process."""
    delayed = factories.chain(factories.node("wait", "core.delay", config={"ms": 1}), workflow_id="delayed")
    run_id = factories.start_flow(delayed, now=timezone.now())
    with crew.running("worker", "--queues=timers", "--concurrency=1") as worker:
        with closing(psycopg.connect(database_url())) as other:
            other.execute("LOCK TABLE interrupts_timer")
            crew.remind("fire_timers", time_limit=1)
            await_that(lambda: "Hard time limit (1s) exceeded" in crew.log(), "nothing was ended")
        assert factories.status(run_id) == "running"
        crew.remind("fire_timers")
        await_that(lambda: factories.status(run_id) == "completed", crew.log())
        assert stopped(worker) == 0
