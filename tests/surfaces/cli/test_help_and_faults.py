"""The frame of all commands: help with examples and exit statuses, and no traceback whatever happens."""

from __future__ import annotations

import os
import sys

import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError

from approvals.management.commands.wop import COMMANDS
from interrupts.services import identity
from interrupts.surfaces.cli.command import EXIT_STATUSES, Command
from interrupts.surfaces.problems import RENDERINGS
from tests.surfaces.cli.conftest import Wop


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.words)
def test_each_command_explains_itself_with_an_example_and_its_exit_statuses(wop: Wop, command: Command) -> None:
    ended = wop(*command.words.split(), "--help")
    assert (ended.status, ended.err) == (0, "")
    assert command.example in ended.out
    assert f"wop {command.words} " in f"{command.example} "
    assert " 3  something named does not exist" in ended.out


@pytest.mark.parametrize("words", [(), ("key",)])
def test_each_level_lists_what_is_below_it(wop: Wop, words: tuple[str, ...]) -> None:
    ended = wop(*words, "--help")
    assert ended.status == 0
    assert "Exit status:" in ended.out
    assert ("create" if words else "tenant") in ended.out


@pytest.mark.parametrize("words", [(), ("key",), ("teleport",), ("key", "polish"), ("tenant", "create")])
def test_a_command_that_is_written_wrongly_says_how_it_is_used(wop: Wop, words: tuple[str, ...]) -> None:
    ended = wop(*words)
    assert (ended.status, ended.out) == (2, "")
    assert ended.err.startswith("usage: manage.py wop")


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


def test_a_reader_that_leaves_early_is_no_fault(wop: Wop, monkeypatch: pytest.MonkeyPatch) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as broken:
        monkeypatch.setattr(sys, "stdout", broken)
        ended = wop("tenant", "create", "acme")
    assert (ended.status, ended.err) == (0, "")
