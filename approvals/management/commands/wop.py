"""``python manage.py wop …``: the command line of the host and its approvals."""

from __future__ import annotations

import logging
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from datetime import datetime
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from approvals import cli
from interrupts.contracts.json_limits import forbidden_character
from interrupts.errors import ValidationFailed, WopError
from interrupts.problems import in_lines
from interrupts.surfaces.cli import callbacks, keys, links, people, runs, status, workflows
from interrupts.surfaces.cli.command import Outcome, add_commands
from interrupts.surfaces.mcp import command as mcp
from interrupts.surfaces.problems import exit_code

COMMANDS: Final = (
    *people.COMMANDS,
    *callbacks.COMMANDS,
    *keys.COMMANDS,
    *workflows.COMMANDS,
    *runs.COMMANDS,
    *links.COMMANDS,
    *status.COMMANDS,
    *mcp.COMMANDS,
    *cli.COMMANDS,
)


class Command(BaseCommand):
    """Parses, lets the chosen command make its one service call, and writes what it has to say."""

    help = "Set up tenants, people, keys and workflows, and start runs."
    # `manage.py check` and the start of the server do these; a script wants its answer.
    requires_system_checks = []
    _is_program = False

    def run_from_argv(self, argv: list[str]) -> None:
        self._is_program = True
        super().run_from_argv(argv)

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_commands(parser, COMMANDS)

    def handle(self, *_args: Any, **options: Any) -> None:
        if self._is_program and options["verbosity"] < 2:
            # What the log would say, the person at the terminal is told by the command itself.
            logging.getLogger().setLevel(logging.WARNING)
        outcome = _outcome(Namespace(**options), timezone.now())
        self._write_values(outcome.values)
        if outcome.status and not self._is_program:
            raise CommandError("\n".join(outcome.notes), returncode=outcome.status)
        for note in outcome.notes:
            self.stderr.write(note, self.style.NOTICE if outcome.status == 0 else self.style.ERROR)
        if outcome.status:
            sys.exit(outcome.status)

    def _write_values(self, values: Iterable[str]) -> None:
        try:
            for value in values:
                self.stdout.write(value)
            self.stdout.flush()
        except BrokenPipeError:
            # The reader left (`| head`). Without this Python would complain once more when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _outcome(arguments: Namespace, now: datetime) -> Outcome:
    try:
        _refuse_forbidden_characters(arguments)
        outcome: Outcome = arguments.command.run(arguments, now)
    except WopError as error:
        return Outcome(notes=tuple(in_lines(error)), status=exit_code(error))
    except DatabaseError as error:
        reason = " ".join(str(error).split())
        return Outcome(
            notes=(f"The database cannot be used: {reason} (new here? first: manage.py migrate)",), status=70
        )
    return outcome


def _refuse_forbidden_characters(arguments: Namespace) -> None:
    for name, value in vars(arguments).items():
        texts = value if isinstance(value, list) else [value]
        for text in texts:
            if isinstance(text, str) and forbidden_character(text):
                raise ValidationFailed(f"{name}: {text!r} holds a character that cannot be stored.")
