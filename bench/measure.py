"""What the host costs over the database alone, as ratios measured in one run on PostgreSQL.

Writes docs/performance.md. Absolute numbers belong to the machine named there; the ratios travel better.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

from bench.load import Measured, Request, drive
from bench.report import InboxPage, Load, Work, write_report
from bench.server import ROOT, broker, serving
from bench.work import deliver, fire_at_once, fire_at_rest
from bench.world import World, build_bare_timers, build_world, seed_inbox

CLIENTS = (1, 8, 32)
REQUESTS = {1: 400, 8: 1600, 32: 2400}
INBOX_SIZES = (1_000, 100_000)
PAGES = 100
BARE_SECONDS = 6


def main() -> None:
    world = build_world()
    loads: list[Load] = []
    with serving() as port:
        for clients in CLIENTS:
            raised, resolved = _raise_and_resolve(port, world, clients)
            loads.append(Load("raise a gate", raised, _bare("bare_raise.sql", clients, world)))
            # Half as long: it must not run out of the gates that were raised.
            loads.append(Load("resolve it", resolved, _bare("bare_resolve.sql", clients, world, BARE_SECONDS // 2)))
        pages = [_inbox(port, world, size) for size in INBOX_SIZES]
    with broker():
        work = Work(fire_at_once(), _bare_expiries(world), fire_at_rest(), deliver())
    report = write_report(loads, pages, work)
    (ROOT / "docs" / "performance.md").write_text(report)
    print(report)


def _raise_and_resolve(port: int, world: World, clients: int) -> tuple[Measured, Measured]:
    headers = {"Authorization": f"Bearer {world.key}", "Content-Type": "application/json"}
    create = Request("POST", "/runs", headers, json.dumps({"workflowId": "bench"}).encode())
    accept = json.dumps({"resumeValue": {"action": "accept"}}).encode()
    run_ids: list[str] = []
    raised = drive(port, clients, iter([create] * REQUESTS[clients]), lambda body: run_ids.append(str(body["runId"])))
    answers = (
        Request("POST", f"/runs/{run_id.replace('/', '~2F')}/interrupts/gate", headers, accept) for run_id in run_ids
    )
    return raised, drive(port, clients, answers, lambda body: None)


def _inbox(port: int, world: World, size: int) -> InboxPage:
    seed_inbox(world, size)
    headers = {"Cookie": f"sessionid={world.session}"}
    requests: Iterator[Request] = iter([Request("GET", "/inbox/", headers)] * PAGES)
    return InboxPage(size, drive(port, 1, requests, lambda body: None))


def _bare_expiries(world: World) -> float:
    build_bare_timers()
    return _bare("bare_expire.sql", 2, world)


def _bare(script: str, clients: int, world: World, seconds: int = BARE_SECONDS) -> float:
    """Do the same writes as a bare transaction and return transactions a second."""
    payload = json.dumps({"kind": "approval", "data": {"title": "Bench", "filler": "x" * 500}})
    command = ["pgbench", "-n", "-M", "prepared", "-c", str(clients), "-j", "2", "-T", str(seconds)]
    for name, value in {"payload": payload, "ref": world.ref_id, "workflow": world.workflow_id}.items():
        command += ["-D", f"{name}={value}"]
    command += ["-f", str(Path(__file__).with_name(script)), os.environ["DATABASE_URL"]]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    found = re.search(r"tps = ([\d.]+)", done.stdout)
    if done.returncode != 0 or found is None:
        raise SystemExit(f"pgbench failed:\n{done.stdout}\n{done.stderr}")
    return float(found[1])


if __name__ == "__main__":
    main()
