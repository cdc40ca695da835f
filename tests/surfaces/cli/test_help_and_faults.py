"""The frame of all commands: help with examples, complaints that hide keys, and no traceback whatever happens."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError
from django.utils import timezone

from approvals.management.commands.wop import COMMANDS
from interrupts.services import identity
from interrupts.surfaces.cli.command import EXIT_STATUSES, Command
from interrupts.surfaces.problems import RENDERINGS
from tests import factories
from tests.surfaces.cli.conftest import Wop

KEY = "wop_0123456789ab_secret-part-of-the-key"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.words)
def test_each_command_explains_itself_with_an_example(wop: Wop, command: Command) -> None:
    ended = wop(*command.words.split(), "--help")
    assert (ended.status, ended.err) == (0, "")
    assert command.example in ended.out
    assert f"wop {command.words} " in f"{command.example} "
    assert "Exit status:" not in ended.out


def test_the_help_of_the_program_explains_the_exit_statuses(wop: Wop) -> None:
    told = wop("--help").out
    assert all(f"{status:>3}  {meaning}\n" in told for status, meaning in EXIT_STATUSES.items())


@pytest.mark.parametrize("words", [(), ("key",)])
def test_each_level_lists_what_is_below_it(wop: Wop, words: tuple[str, ...]) -> None:
    ended = wop(*words, "--help")
    assert ended.status == 0
    assert ("create" if words else "tenant") in ended.out


@pytest.mark.parametrize("words", [(), ("key",), ("teleport",), ("key", "polish"), ("tenant", "create")])
def test_a_command_that_is_written_wrongly_says_how_it_is_used(wop: Wop, words: tuple[str, ...]) -> None:
    ended = wop(*words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("usage: manage.py wop")


@pytest.mark.parametrize(
    "words",
    [
        ("--url", "https://wop.example.org", "run", "show", "acme/r-1"),
        ("--url=https://wop.example.org", "inbox"),
        ("run", "--as", "olga", "show", "acme/r-1"),
    ],
)
def test_an_option_before_its_command_is_told_where_it_goes(wop: Wop, words: tuple[str, ...]) -> None:
    ended = wop(*words)
    assert (ended.status, ended.out) == (2, "")
    assert "options go after the command: wop run inspect RUN --url …" in ended.err
    assert "invalid choice" not in ended.err


def test_an_option_of_the_program_may_come_before_the_command(wop: Wop) -> None:
    assert wop("--no-color", "explain", "run_timeout").status == 0
    assert "invalid choice: 'teleport'" in wop("--no-color", "teleport").err


@pytest.mark.parametrize(
    "words",
    [
        ("status", "--url", "https://wop.example.org", "--key", KEY),
        ("status", f"--key={KEY}"),
        ("status", "--key", "short"),
        ("status", "--url", "https://olga:short@wop.example.org"),
        ("status", "--url=https://wop.example.org?token=short"),
        ("--key", KEY, "inbox"),
        ("inbox", "-key", "short"),
        ("inbox", "--KEY=short"),
        ("inbox", "--api-key", "short"),
        ("inbox", "--token", "short"),
        ("inbox", "--keey", "short"),
        ("inbox", "--keey=short"),
        ("run", "inspect", "acme/r-1", KEY),
        ("run", KEY),
        (KEY,),
        ("inbox", "--limit", KEY),
        ("completion", KEY),
        ("explain", KEY),
        ("run", "show", KEY),
        ("run", "show", f"acme/{KEY}"),
        ("run", "start", KEY, "--as", KEY),
        ("run", "start", "flow", "--input", KEY),
        ("inbox", "--url", "https://olga:short@wop.example.org", "--key", KEY),
        ("inbox", "--url", "https://wop.example.org", "--key", "short\x00"),
        ("inbox", "--url", "https://wop.example.org", "--key", "is short"),
        ("grant", "--ref", KEY, "--to", f"user:{KEY}"),
        ("key", "list", "--tenant", KEY),
        ("workflow", "load", KEY),
    ],
)
def test_no_complaint_repeats_a_key_or_the_credentials_of_an_address(wop: Wop, words: tuple[str, ...]) -> None:
    factories.tenant("acme")
    ended = wop(*words)
    assert ended.status != 0
    assert ended.err
    secrets = ("secret-part", "short")
    assert not [secret for secret in secrets if secret in ended.out + ended.err]


def test_the_key_of_the_settings_is_never_repeated(wop: Wop, settings: Any) -> None:
    settings.WOP_KEY = "made-elsewhere-0123"
    assert "made-elsewhere" not in wop("explain", settings.WOP_KEY).err
    assert "made-elsewhere" not in wop("run", settings.WOP_KEY).err


def test_every_error_code_has_an_exit_status_that_the_help_explains() -> None:
    assert {rendering.exit_code for rendering in RENDERINGS.values()} <= set(EXIT_STATUSES) - {0, 2}


def test_a_database_that_cannot_be_used_is_told_in_one_line(wop: Wop, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(**_: object) -> None:
        raise DatabaseError("no such table:\n  interrupts_tenant")

    monkeypatch.setattr(identity, "create_tenant", refuse)
    ended = wop("tenant", "create", "acme")
    assert (ended.status, ended.out) == (70, "")
    assert ended.err == (
        "The database cannot be used: no such table: interrupts_tenant (new here? first: manage.py migrate)\n"
    )


@pytest.mark.django_db
def test_another_program_is_told_by_an_exception_that_carries_the_status() -> None:
    with pytest.raises(CommandError, match="There is no tenant acme") as refused:
        call_command("wop", "key", "list", tenant="acme")
    assert refused.value.returncode == 3


@contextmanager
def without_a_reader(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Standard output whose reader has left."""
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as broken:
        monkeypatch.setattr(sys, "stdout", broken)
        yield


def test_a_reader_that_leaves_early_is_no_fault(wop: Wop, monkeypatch: pytest.MonkeyPatch) -> None:
    with without_a_reader(monkeypatch):
        ended = wop("tenant", "create", "acme")
    assert (ended.status, ended.err) == (0, "")


def test_a_run_that_waits_for_good_is_not_followed_for_a_reader_who_left(
    wop: Wop, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = factories.start_flow(factories.one_gate(), now=timezone.now())
    with without_a_reader(monkeypatch):
        ended = wop("run", "watch", run_id)
    assert (ended.status, ended.err) == (0, "")


def test_output_that_cannot_be_written_is_told_in_one_line(wop: Wop, monkeypatch: pytest.MonkeyPatch) -> None:
    with Path("/dev/full").open("w") as full:
        monkeypatch.setattr(sys, "stdout", full)
        ended = wop("tenant", "create", "acme")
    assert ended.status == 70
    assert ended.err == "The output cannot be written: No space left on device. What was asked for may be done.\n"
