"""The command line as a shell sees it: what goes out, what is complained about, and the exit status."""

from __future__ import annotations

import io
import logging
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx2
import pytest
from django.db import connections
from django.test import Client

from approvals.management.commands.wop import Command
from interrupts.surfaces.cli import remote
from tests import factories


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


def arriving_here(client: Client) -> Callable[[httpx2.Request], httpx2.Response]:
    """Return what answers a request to another host: this one."""

    def arrive(request: httpx2.Request) -> httpx2.Response:
        headers = {name: value for name, value in request.headers.items() if name not in {"content-length", "host"}}
        answer = client.generic(request.method, request.url.path, request.content, headers=headers)
        return httpx2.Response(answer.status_code, headers=dict(answer.items()), content=answer.content)

    return arrive


@pytest.fixture
def over_http(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever goes to another host over HTTP arrives at this one, within the test's transaction."""
    arrive = arriving_here(Client(raise_request_exception=False))
    monkeypatch.setattr(remote, "Client", partial(httpx2.Client, transport=httpx2.MockTransport(arrive)))


@pytest.fixture(params=["local", "remote"])
def olga(request: pytest.FixtureRequest, db: None, over_http: None, settings: Any) -> tuple[str, ...]:
    """Olga of acme: the words that make a command hers, on this machine's database and with a key on another host."""
    key = factories.api_key("olga")
    if request.param == "local":
        return ("--tenant", "acme", "--as", "olga")
    settings.WOP_KEY = key
    return ("--url", "http://127.0.0.1:8000")


def same(olga: tuple[str, ...]) -> str:
    """The options of a proposed command that reaches the same host as the same person."""
    return " ".join(olga[-2:])
