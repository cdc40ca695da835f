"""The measured numbers, in words and tables."""

from __future__ import annotations

import os
import platform
from dataclasses import dataclass
from pathlib import Path

from django.db import connection

from bench.load import Measured
from bench.work import WEBHOOKS, Delivered, Fired, Late


@dataclass(frozen=True, slots=True)
class Load:
    """One operation over HTTP, beside the same writes as a bare transaction (transactions a second)."""

    name: str
    measured: Measured
    bare_per_second: float


@dataclass(frozen=True, slots=True)
class InboxPage:
    open_suspensions: int
    measured: Measured


@dataclass(frozen=True, slots=True)
class Work:
    """What workers got done, and how many bare transactions a second write as much as one passed deadline."""

    fired: Fired
    bare_expiries_per_second: float
    late: Late
    delivered: Delivered


def write_report(loads: list[Load], pages: list[InboxPage], work: Work) -> str:
    return f"""# Performance

Written by `make bench`: one run, on PostgreSQL, the load generator, the server and the database sharing the machine.
Read the ratios; the absolute numbers belong to the machine.

**Machine:** {_machine()}

## Raising and resolving over HTTP

Each request authenticates a key, checks eligibility, writes the gate, the vote and the log, and commits. "Bare" is
pgbench doing only the writes, with the same number of clients; the ratio is how much of that limit is left over HTTP.

| Operation | Clients | Requests | per second | p50 ms | p99 ms | bare per second | ratio |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{_load_rows(loads)}

## The inbox page

The first page of *Waiting for me* (half of the open gates are addressed to the reader), signed in, one client.

| Open gates | p50 ms | p99 ms | p50 against the smallest |
| ---: | ---: | ---: | ---: |
{_page_rows(pages)}

## Workers

One worker with two processes and one beat, Redis between them. Deadlines of approval gates, all due within one second,
are each settled once: the gate, the log and the run are written. "Limit" is pgbench doing only those writes with two
clients. Deliveries are signed, sent over a new TLS connection each and recorded; {WEBHOOKS} webhooks lead to one
receiver on the same machine, and "limit" is what it takes from callers that do nothing else.

| Work | Count | per second | limit per second | ratio |
| --- | ---: | ---: | ---: | ---: |
{_work_row("fire a deadline", work.fired.count, work.fired.per_second, work.bare_expiries_per_second)}
{_work_row("deliver", work.delivered.count, work.delivered.per_second, work.delivered.limit_per_second)}

While nothing else is to do, {work.late.count} deadlines fired {work.late.p50:.2f} s late at the median and
{work.late.longest:.2f} s at most: beat reminds the workers once a second.
"""


def _work_row(name: str, count: int, per_second: float, limit: float) -> str:
    return f"| {name} | {count:,} | {per_second:.0f} | {limit:.0f} | {per_second / limit:.2f} |"


def _load_rows(loads: list[Load]) -> str:
    return "\n".join(
        f"| {load.name} | {load.measured.clients} | {load.measured.requests} | {load.measured.per_second:.0f}"
        f" | {load.measured.p50_ms:.1f} | {load.measured.p99_ms:.1f} | {load.bare_per_second:.0f}"
        f" | {load.measured.per_second / load.bare_per_second:.2f} |"
        for load in loads
    )


def _page_rows(pages: list[InboxPage]) -> str:
    smallest = pages[0].measured.p50_ms
    return "\n".join(
        f"| {page.open_suspensions:,} | {page.measured.p50_ms:.1f} | {page.measured.p99_ms:.1f}"
        f" | {page.measured.p50_ms / smallest:.2f} |"
        for page in pages
    )


def _machine() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW server_version")
        server = cursor.fetchone()[0]
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores ({_processor()}), {memory:.0f} GiB, {platform.system()}, "
        f"Python {platform.python_version()}, PostgreSQL {server.split()[0]}."
    )


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()
