"""The command line as one of the surfaces that must tell the same: here, and as a client of another host."""

from __future__ import annotations

import io
import json
import logging
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar
from unittest import mock

import httpx2
from django.core.management.base import CommandParser
from django.db import connections
from django.test import Client

from approvals.management.commands.wop import Command
from interrupts.surfaces.cli import remote
from tests.surfaces.cli.conftest import Ended, arriving_here

# A registered code, and each problem as ``(pointer, keyword, message)``.
Refuse = Callable[[str, tuple[tuple[str, str, str], ...]], Any]


class _Program(Command):
    """``wop`` with a parser that is made once for all of them."""

    _kept: ClassVar[dict[str, CommandParser]] = {}

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        if subcommand not in self._kept:
            self._kept[subcommand] = super().create_parser(prog_name, subcommand, **kwargs)
        return self._kept[subcommand]


class CommandLine:
    """``wop`` on this machine's database, as Olga. ``refuse`` makes what a refusal is to whoever asks."""

    def __init__(self, refuse: Refuse, secret: str) -> None:
        self._refuse = refuse
        # A definition is validated by the operator, who may register it; people answer.
        self._host: tuple[str, ...] = ("--tenant", "acme")
        self._who = (*self._host, "--as", "olga")

    def check(self, document: Any) -> Any:
        """Check a definition: ``{valid, diagnostics}``, which the exit code agrees with."""
        ended = self._run("workflow", "validate", "-", "--json", *self._host, stdin=document)
        (told,) = json.loads(ended.out)
        assert told.pop("file") == "-"
        assert (ended.status == 0) is told["valid"]
        return told

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
                _Program(stdout=out, stderr=err).run_from_argv(["wop", "wop", *words])
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
        # One for all calls: each would read the static files again.
        self._client = Client(raise_request_exception=False)

    def _run(self, *words: str, stdin: Any = None) -> Ended:
        transport = httpx2.MockTransport(arriving_here(self._client))
        with mock.patch.object(remote, "Client", partial(httpx2.Client, transport=transport)):
            return super()._run(*words, stdin=stdin)
