"""``wop …``, also as ``python manage.py wop …``: the command line of the host and its approvals."""

from __future__ import annotations

import logging
import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, Final

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import DatabaseError
from django.utils import timezone

from approvals import cli
from interrupts.contracts.json_limits import forbidden_character
from interrupts.errors import ValidationFailed, WopError
from interrupts.problems import in_lines
from interrupts.services.idempotency import ReplayedError
from interrupts.surfaces.cli import (
    answering,
    callbacks,
    completion,
    explain,
    inbox,
    keys,
    links,
    people,
    runs,
    status,
    watching,
    workflows,
)
from interrupts.surfaces.cli.command import STOPPED, Outcome, add_commands
from interrupts.surfaces.cli.completion import PROGRAM
from interrupts.surfaces.cli.paint import paint_for
from interrupts.surfaces.cli.redaction import redacted, redacted_usage
from interrupts.surfaces.cli.words import in_json, plain
from interrupts.surfaces.mcp import command as mcp
from interrupts.surfaces.problems import envelope, exit_code
from interrupts.vocabulary import IMPLEMENTATION_VERSION

COMMANDS: Final = (
    *people.COMMANDS,
    *callbacks.COMMANDS,
    *keys.COMMANDS,
    *workflows.COMMANDS,
    *runs.COMMANDS,
    *answering.COMMANDS,
    *watching.COMMANDS,
    *inbox.COMMANDS,
    *links.COMMANDS,
    *status.COMMANDS,
    *mcp.COMMANDS,
    *explain.COMMANDS,
    *completion.COMMANDS,
    *cli.COMMANDS,
)


class _Parser(CommandParser):
    """Complains about a command that is written wrongly without repeating a key that is among its words."""

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        if self._subparsers and args and self._is_of_a_command(args[0]):
            self.error("options go after the command: wop run inspect RUN --url …")
        return super().parse_known_args(args, namespace)

    def _is_of_a_command(self, word: str) -> bool:
        option = word.partition("=")[0]
        return option.startswith("--") and not any(own.startswith(option) for own in self._option_string_actions)

    def error(self, message: str) -> Any:
        told = redacted_usage(message)
        if message.startswith("unrecognized arguments") and ("--url" in message or "--key" in message):
            told += (
                "\nThis command is about the installation of this machine and takes no --url and no --key."
                " Whether another host is ready, it tells at /readyz: curl https://wop.example.org/readyz"
            )
        return super().error(told)


class Command(BaseCommand):
    """Parses, lets the chosen command make its one service call, and writes what it has to say."""

    help = "Answer what waits, follow runs, and set up tenants, people, keys and workflows."
    # `manage.py check` and the start of the server do these; a script wants its answer.
    requires_system_checks = []
    # Django's own, which mean nothing to whoever uses this program. They still work.
    suppressed_base_arguments = {"--settings", "--pythonpath", "--traceback", "--verbosity", "--skip-checks"}
    _is_program = False

    def get_version(self) -> str:
        return IMPLEMENTATION_VERSION

    def run_from_argv(self, argv: list[str]) -> None:
        self._is_program = True
        try:
            super().run_from_argv(argv)
        except KeyboardInterrupt:
            sys.exit(STOPPED)

    def add_arguments(self, parser: ArgumentParser) -> None:
        if parser.prog == f"{PROGRAM} {PROGRAM}":
            parser.prog = PROGRAM
        # Django makes the parser and asks for no class of it; those below it are of the same one.
        parser.__class__ = _Parser
        add_commands(parser, COMMANDS)

    def handle(self, *_args: Any, **options: Any) -> None:
        if self._is_program and options["verbosity"] < 2:
            # What the log would say, the person at the terminal is told by the command itself.
            logging.getLogger().setLevel(logging.WARNING)
        wanted = True if options["force_color"] else False if options["no_color"] else None
        arguments = Namespace(**{**options, "paint": paint_for(self.stdout, wanted=wanted)})
        complaints = paint_for(self.stderr, wanted=wanted)
        status, failed = 0, list[str]()
        for outcome in _outcomes(arguments, timezone.now(), lets_through=bool(options["traceback"])):
            if not self._write_values(outcome.values):
                break
            status = outcome.status or status
            mark = complaints.bad if outcome.status else complaints.caution
            notes = [redacted(note, options.get("key")) for note in outcome.notes]
            if outcome.status and not self._is_program:
                failed += notes
                continue
            for note in notes:
                self.stderr.write(plain(note), mark)
        if failed:
            raise CommandError("\n".join(failed), returncode=status)
        if status:
            sys.exit(status)

    def _write_values(self, values: Iterable[str]) -> bool:
        """Write values, and return whether anybody still reads: for nobody there is no need to go on."""
        try:
            for value in values:
                self.stdout.write(value)
            self.stdout.flush()
        except OSError as error:
            # Without this Python would complain once more when it flushes at exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            if not isinstance(error, BrokenPipeError):
                self.stderr.write(f"The output cannot be written: {error.strerror}. What was asked for may be done.")
                sys.exit(70)
            # The reader left (`| head`).
            return False
        return True


def _outcomes(arguments: Namespace, now: datetime, *, lets_through: bool) -> Iterator[Outcome]:
    """Yield what a command says; whatever goes wrong is said in words, unless somebody wants to see the traceback."""
    try:
        _refuse_forbidden_characters(arguments)
        said: Outcome | Iterator[Outcome] = arguments.command.run(arguments, now)
        if isinstance(said, Outcome):
            yield said
        else:
            yield from said
    except WopError as error:
        yield _refusal(error, arguments)
    except ReplayedError as replayed:
        yield _refusal(replayed.error, arguments)
    except DatabaseError as error:
        reason = " ".join(str(error).split())
        yield Outcome(notes=(f"The database cannot be used: {reason} (new here? first: manage.py migrate)",), status=70)
    except Exception as error:
        if lets_through:
            raise
        fault = " ".join(f"{type(error).__name__}: {error}".split())
        yield Outcome(
            notes=(f"wop made a mistake: {fault}. Please tell its operator; 'wop --traceback …' shows where.",),
            status=70,
        )


def _refusal(error: WopError, arguments: Namespace) -> Outcome:
    """Return how an error is told: a line a problem, or, where JSON is asked for, the envelope of every surface."""
    is_json = getattr(arguments, "json", False)
    return Outcome(notes=(in_json(envelope(error)),) if is_json else tuple(in_lines(error)), status=exit_code(error))


def _refuse_forbidden_characters(arguments: Namespace) -> None:
    for name, value in vars(arguments).items():
        texts = value if isinstance(value, list) else [value]
        for text in texts:
            if isinstance(text, str) and forbidden_character(text):
                shown = "this" if name == "key" else repr(text)
                raise ValidationFailed(f"{name}: {shown} holds a character that cannot be stored.")
