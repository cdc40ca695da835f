"""``wop workflow``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterable
from datetime import datetime
from typing import Final

from interrupts.contracts.types import JsonValue
from interrupts.errors import WopError
from interrupts.problems import in_lines
from interrupts.services import identity
from interrupts.services.workflows import check_workflow, register_workflow
from interrupts.surfaces.cli.command import Command, Outcome, tenant_argument
from interrupts.surfaces.cli.reading import json_files, read_json
from interrupts.surfaces.problems import exit_code

_HOW_TO_WRITE: Final = "How to write one: docs/workflows.md. Samples: interrupts/samples/."


def _load_arguments(parser: ArgumentParser) -> None:
    _check_arguments(parser)
    tenant_argument(parser)


def _load(arguments: Namespace, now: datetime) -> Outcome:
    tenant = identity.get_tenant(arguments.tenant)

    def load(document: JsonValue) -> str:
        return register_workflow(tenant_id=tenant.pk, document=document, now=now).workflow.workflow_id

    return _each(arguments.path, load)


def _check_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("path", nargs="+", metavar="PATH", help="a JSON file, a directory of *.json, or -")


def _check(arguments: Namespace, _now: datetime) -> Outcome:
    return _each(arguments.path, lambda document: str(check_workflow(document)["id"]))


def _each(paths: Iterable[str], operation: Callable[[JsonValue], str]) -> Outcome:
    """Do ``operation`` with each file. A bad one is told in full and does not keep the others from it."""
    values: list[str] = []
    notes: list[str] = []
    status = 0
    for file in json_files(paths):
        try:
            values.append(operation(read_json(file)))
        except WopError as error:
            notes += [line if line.startswith(file) else f"{file}: {line}" for line in in_lines(error)]
            status = status or exit_code(error)
    return Outcome(tuple(values), tuple(notes), status)


COMMANDS: Final = (
    Command(
        words="workflow load",
        summary="Register workflow definitions and print the id of each, in order",
        example="wop workflow load expense.json more-workflows/ --tenant acme",
        arguments=_load_arguments,
        run=_load,
        more=_HOW_TO_WRITE,
    ),
    Command(
        words="workflow check",
        summary="Check workflow definitions without storing them, and print the id of each good one",
        example="wop workflow check expense.json",
        arguments=_check_arguments,
        run=_check,
        more=_HOW_TO_WRITE,
    ),
)
