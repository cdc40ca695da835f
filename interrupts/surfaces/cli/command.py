"""What a command of the command line is, and the parser made from a list of them."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby
from typing import Any, Final

NOUNS: Final = {
    "callback-secret": "Secrets that sign callbacks",
    "tenant": "Tenants: customers, teams or environments kept apart",
    "user": "People",
    "group": "Groups of people",
    "key": "API keys",
    "workflow": "Workflow definitions",
    "run": "Runs of workflows",
    "link": "Signed links to interrupts",
}
STOPPED: Final = 130
NOT_COMPLETED: Final = 6
# What the exit statuses of `surfaces.problems.exit_code` mean, and those that never come from it: 0, 2, 6, 130.
EXIT_STATUSES: Final = {
    0: "done",
    1: "what was given is not valid",
    2: "the command was not written as it must be",
    3: "something named does not exist",
    4: "what exists stands in the way: it is over, or different",
    5: "not allowed",
    NOT_COMPLETED: "the run that was watched failed or was cancelled",
    70: "the host itself failed",
    75: "not now: try again in a moment",
    STOPPED: "you stopped the command (Ctrl-C)",
}
_FIRST_STEPS: Final = """First steps:
  wop inbox                 what waits for an answer
  wop run inspect RUN       what a run asks, and how to answer
  wop run resume RUN …      answer it
  wop explain CODE          what an error code means

'wop COMMAND --help' tells more. Colour is for terminals alone; NO_COLOR=1 switches it off."""
_STATUSES: Final = (
    "Only the value asked for goes to standard output, everything else to standard error.\n\nExit status:\n"
    + ("\n".join(f"  {status:>3}  {meaning}" for status, meaning in EXIT_STATUSES.items()))
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a command has to say: values for standard output, notes for standard error, and its exit status."""

    values: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    status: int = 0


@dataclass(frozen=True, slots=True)
class Command:
    """One command: its words (``tenant create``), what it does, an example, its arguments and its handler.

    ``more`` is the part of its help that says where to read on. The handler gets the parsed arguments, with the
    ``paint`` for standard output among them, and the time. It raises WopError for whatever it must refuse. One that
    takes long says what it has as it comes, outcome by outcome; the last status that is not 0 is the command's.
    """

    words: str
    summary: str
    example: str
    arguments: Callable[[ArgumentParser], None]
    run: Callable[[Namespace, datetime], Outcome | Iterator[Outcome]]
    more: str = ""


def add_commands(parser: ArgumentParser, commands: Iterable[Command]) -> None:
    """Give ``parser`` one sub-parser a noun and below it one a verb; ``Namespace.command`` is the Command chosen."""
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.epilog = f"{_FIRST_STEPS}\n\n{_STATUSES}"
    parser.set_defaults(program=parser)
    nouns = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for noun, group in groupby(sorted(commands, key=_words), key=lambda command: command.words.split()[0]):
        members = list(group)
        if [member.words for member in members] == [noun]:
            _add(nouns, noun, members[0])
            continue
        examples = "\n".join(f"  {member.example}" for member in members)
        branch = nouns.add_parser(noun, **_help(NOUNS[noun], f"Examples:\n{examples}"))
        verbs = branch.add_subparsers(title="commands", metavar="COMMAND", required=True)
        for member in members:
            _add(verbs, member.words.split()[1], member)


def _add(level: Any, word: str, command: Command) -> None:
    parser = level.add_parser(
        word, **_help(command.summary, f"Example:\n  {command.example}\n\n{command.more}".rstrip())
    )
    command.arguments(parser)
    parser.set_defaults(command=command)


def _help(summary: str, epilog: str) -> dict[str, Any]:
    return {
        "help": summary,
        "description": summary,
        "epilog": epilog,
        "formatter_class": RawDescriptionHelpFormatter,
    }


def _words(command: Command) -> str:
    return command.words
