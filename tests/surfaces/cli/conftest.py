"""The command line as a shell sees it: what goes out, what is complained about, and the exit status."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from django.db import connections

from approvals.management.commands.wop import Command


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended. ``lines`` are those of standard output."""

    status: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()

    @property
    def value(self) -> str:
        """The one line that a command with one value prints."""
        (line,) = self.lines
        return line


Wop = Callable[..., Ended]


@pytest.fixture
def wop(db: None, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Iterator[Wop]:
    """Run ``manage.py wop`` with these words, and these bytes (None: closed) as standard input."""
    level = logging.getLogger().level
    # At its end Django closes the connection, and with it the test's transaction.
    monkeypatch.setattr(connections, "close_all", lambda: None)

    def run(*words: str, stdin: bytes | None = b"", program: str = "manage.py") -> Ended:
        monkeypatch.setattr(sys, "stdin", None if stdin is None else io.TextIOWrapper(io.BytesIO(stdin)))
        status = 0
        try:
            Command().run_from_argv([program, "wop", *words])
        except SystemExit as ended:
            status = int(ended.code or 0)
        told = capsys.readouterr()
        return Ended(status, told.out, told.err)

    yield run
    logging.getLogger().setLevel(level)
