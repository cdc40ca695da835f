"""What workers get done: timers that are due all at once, timers at rest, and deliveries."""

from __future__ import annotations

import os
import ssl
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from http.client import HTTPSConnection
from pathlib import Path

import trustme
from django.db import connection
from django.utils import timezone

from bench.server import ROOT, free_port, process
from bench.world import build_deliveries, build_timers

TIMERS = 10_000
RESTING_TIMERS = 60
WEBHOOKS = 16
EVENTS = 125
CLIENTS = 32
PATIENCE_SECONDS = 900


@dataclass(frozen=True, slots=True)
class Fired:
    """``count`` timers that were due in one second, and how many a second were fired."""

    count: int
    per_second: float


@dataclass(frozen=True, slots=True)
class Late:
    """By how many seconds timers fired too late while nothing else was to do."""

    count: int
    p50: float
    longest: float


@dataclass(frozen=True, slots=True)
class Delivered:
    """Deliveries a second, and what the same receiver takes from callers that do nothing else."""

    count: int
    per_second: float
    limit_per_second: float


def fire_at_once() -> Fired:
    """Let workers find timers that were all due in one second, and see that each fired once."""
    build_timers("a", TIMERS, due=timezone.now() - timedelta(seconds=1), apart_ms=1000 / TIMERS)
    with process("worker", "--queues=timers"), process("beat"):
        _await(lambda: _count("interrupts_timer", "due_at < now()") < TIMERS)
        left, started = _count("interrupts_timer", "due_at < now()"), time.perf_counter()
        _await(lambda: _count("interrupts_timer", "due_at < now()") == 0)
        elapsed = time.perf_counter() - started
    _assert_each_fired_once()
    return Fired(TIMERS, left / elapsed)


def _assert_each_fired_once() -> None:
    ended = _count("interrupts_run", "id LIKE 'timers/r-a%' AND status = 'failed'")
    resolved = "type = 'interrupt.resolved' AND run_id LIKE 'timers/r-a%'"
    once = _count(f"(SELECT run_id FROM interrupts_runevent WHERE {resolved} GROUP BY run_id) AS r", "true")
    if not ended == once == _count("interrupts_runevent", resolved) == TIMERS:
        raise SystemExit(f"Of {TIMERS} timers, {once} runs were settled and {ended} ended: some fired twice or not.")


def fire_at_rest() -> Late:
    """Fire timers that are due one after the other, and say how late each was."""
    began = timezone.now()
    with process("worker"), process("beat"):
        _await(lambda: _count("interrupts_sighting", f"what = 'sweep' AND seen_at > '{began.isoformat()}'") == 1)
        build_timers("b", RESTING_TIMERS, due=timezone.now() + timedelta(seconds=3), apart_ms=437)
        _await(lambda: _count("interrupts_timer", "run_id LIKE 'timers/r-b%'") == 0)
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT extract(epoch FROM resolved_at - deadline) FROM interrupts_suspension"
            " WHERE run_id LIKE 'timers/r-b%'"
        )
        late = [float(row[0]) for row in cursor.fetchall()]
    return Late(len(late), statistics.median(late), max(late))


def deliver() -> Delivered:
    """Deliver to a receiver on this machine, once its own limit is known."""
    with _receiver() as (port, authority):
        limit = _most_that_it_takes(port, authority)
        count = build_deliveries(f"https://127.0.0.1:{port}/hook", webhooks=WEBHOOKS, events=EVENTS)
        allowed = {"WOP_EGRESS_ALLOW": f"127.0.0.0/8:{port}", "WOP_EGRESS_CA_FILE": authority}
        with process("worker", "--queues=deliveries", **allowed), process("beat"):
            _await(lambda: _count("interrupts_delivery", "outcome IS NULL") < count)
            left, started = _count("interrupts_delivery", "outcome IS NULL"), time.perf_counter()
            _await(lambda: _count("interrupts_delivery", "outcome IS NULL") == 0)
            elapsed = time.perf_counter() - started
    if _count("interrupts_delivery", "outcome = 'delivered' AND attempts_made = 1") != count:
        raise SystemExit("Some deliveries failed, or were made twice.")
    return Delivered(count, left / elapsed, limit)


@contextmanager
def _receiver() -> Iterator[tuple[int, str]]:
    folder, port, authority = Path(os.environ["WOP_DATA_DIR"]), free_port(), trustme.CA()
    authority.cert_pem.write_to_path(str(folder / "authority.pem"))
    certificate = folder / "receiver.pem"
    authority.issue_cert("127.0.0.1").private_key_and_cert_chain_pem.write_to_path(str(certificate))
    with subprocess.Popen([sys.executable, "-m", "bench.receiver", str(port), str(certificate)], cwd=ROOT) as receiver:
        try:
            time.sleep(1)
            yield port, str(folder / "authority.pem")
        finally:
            receiver.terminate()


def _most_that_it_takes(port: int, authority: str) -> float:
    """Send as many requests as there will be deliveries, each over a connection of its own, and nothing else."""
    context = ssl.create_default_context(cafile=authority)
    each = WEBHOOKS * EVENTS // CLIENTS

    def send() -> None:
        for _ in range(each):
            client = HTTPSConnection("127.0.0.1", port, context=context, timeout=20)
            client.request("POST", "/hook", body=b"x" * 700)
            client.getresponse().read()
            client.close()

    threads = [threading.Thread(target=send) for _ in range(CLIENTS)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return each * CLIENTS / (time.perf_counter() - started)


def _count(table: str, condition: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT count(*) FROM {table} WHERE {condition}")
        return int(cursor.fetchone()[0])


def _await(holds: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE_SECONDS
    while not holds():
        if time.monotonic() > until:
            raise SystemExit("The workers do not get through with it.")
        time.sleep(0.1)
