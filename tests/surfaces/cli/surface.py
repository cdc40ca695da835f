"""The command line as one of the surfaces that must tell the same: here, and as a client of another host."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Callable
from functools import partial
from typing import Any
from unittest import mock

import httpx2
from django.db import connections
from django.test import Client

from approvals.management.commands.wop import Command
from interrupts.surfaces.cli import remote
from tests.surfaces.cli.conftest import Ended, arriving_here

# A registered code, and each problem as ``(pointer, keyword, message)``.
Refuse = Callable[[str, tuple[tuple[str, str, str], ...]], Any]


class CommandLine:
    """``wop`` on this machine's database, as Olga. ``refuse`` makes what a refusal is to whoever asks."""

    def __init__(self, refuse: Refuse, secret: str) -> None:
        self._refuse = refuse
        # A definition is validated by the operator, who may register it; people answer.
        self._host: tuple[str, ...] = ("--tenant", "acme")
        self._who = (*self._host, "--as", "olga")

    def check(self, document: Any) -> Any:
        """Check a definition: None, or the refusal."""
        ended = self._run("workflow", "validate", "-", "--json", *self._host, stdin=document)
        (report,) = json.loads(ended.out)
        if "error" in report:
            return self._told(report)
        errors = [found for found in report["diagnostics"] if found["severity"] == "error"]
        problems = [(found["pointer"], found["code"], found["message"]) for found in errors]
        return self._refuse("validation_error", tuple(problems)) if problems else None

    def inspect(self, run_id: str) -> Any:
        return json.loads(self._run("run", "inspect", run_id, "--json", *self._who).out)

    def resume(self, run_id: str, outcome: str, payload: Any) -> Any:
        """Answer a run: its status afterwards, or the refusal."""
        words = ("run", "resume", run_id, "--json", "--outcome", outcome, "--input", "-", *self._who)
        ended = self._run(*words, stdin=payload)
        return str(json.loads(ended.out)["status"]) if ended.status == 0 else self._told(json.loads(ended.err))

    def _told(self, told: Any) -> Any:
        problems = told.get("details", {}).get("problems", ())
        return self._refuse(told["error"], tuple((p["pointer"], p["keyword"], p["message"]) for p in problems))

    def _run(self, *words: str, stdin: Any = None) -> Ended:
        out, err, status = io.StringIO(), io.StringIO(), 0
        given = io.TextIOWrapper(io.BytesIO(json.dumps(stdin).encode()))
        level = logging.getLogger().level
        with mock.patch.object(connections, "close_all"), mock.patch.object(sys, "stdin", given):
            try:
                Command(stdout=out, stderr=err).run_from_argv(["wop", "wop", *words])
            except SystemExit as ended:
                status = int(ended.code or 0)
            finally:
                logging.getLogger().setLevel(level)
        return Ended(status, out.getvalue(), err.getvalue())


class CommandLineElsewhere(CommandLine):
    """``wop`` with a key, on a host over HTTP."""

    def __init__(self, refuse: Refuse, secret: str) -> None:
        super().__init__(refuse, secret)
        self._who = self._host = ("--url", "http://127.0.0.1:8000", "--key", secret)

    def _run(self, *words: str, stdin: Any = None) -> Ended:
        transport = httpx2.MockTransport(arriving_here(Client(raise_request_exception=False)))
        with mock.patch.object(remote, "Client", partial(httpx2.Client, transport=transport)):
            return super()._run(*words, stdin=stdin)
