"""``wop workflow``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import datetime
from typing import Final, cast

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.definition.diagnostics import verdict
from interrupts.errors import WopError
from interrupts.problems import in_lines
from interrupts.services.workflows import diagnose_workflow, register_workflow
from interrupts.surfaces.cli.command import Command, Outcome
from interrupts.surfaces.cli.gateways import gateway_of, host_arguments, warnings_of
from interrupts.surfaces.cli.reading import json_files, read_json, read_object
from interrupts.surfaces.cli.tenants import chosen_tenant, tenant_argument
from interrupts.surfaces.cli.words import in_json, on_one_line
from interrupts.surfaces.problems import envelope, exit_code

_ERROR: Final = "error"
_WARNING: Final = "warning"
_HOW_TO_WRITE: Final = "How to write one: docs/workflows.md. Samples: interrupts/samples/."


def _load_arguments(parser: ArgumentParser) -> None:
    _paths(parser)
    tenant_argument(parser)


def _load(arguments: Namespace, now: datetime) -> Outcome:
    """Register each file. A bad one is told in full and does not keep the others from it; a doubtful one is told of."""
    tenant = chosen_tenant(arguments)
    values: list[str] = []
    notes: list[str] = []
    status = 0
    for file in json_files(arguments.path):
        try:
            document = read_json(file)
            workflow = register_workflow(tenant_id=tenant.pk, document=document, now=now).workflow
        except WopError as error:
            notes += _refused(file, error)
            status = status or exit_code(error)
            continue
        values.append(workflow.workflow_id)
        doubts = verdict(diagnose_workflow(tenant_id=tenant.pk, document=document))
        notes += [line for told in _told(file, doubts) for line in told.notes]
    return Outcome(tuple(values), tuple(notes), status)


def _validate_arguments(parser: ArgumentParser) -> None:
    _paths(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON list with what was found in each file")
    host_arguments(parser)


def _validate(arguments: Namespace, _now: datetime) -> Iterator[Outcome]:
    gateway = gateway_of(arguments, needs_tenant=False)
    yield Outcome(notes=warnings_of(arguments))
    reports: list[JsonObject] = []
    for file in json_files(arguments.path):
        try:
            report = gateway.call("workflow.validate", {"workflow": read_object(file)})
        except WopError as error:
            reports.append({"file": file, **envelope(error)})
            yield Outcome(notes=_refused(file, error), status=exit_code(error))
            continue
        reports.append({"file": file, **report})
        yield from _told(file, report)
        if report["valid"] and not arguments.json:
            yield Outcome(values=(file,))
    if arguments.json:
        yield Outcome(values=(in_json(cast("JsonValue", reports)),))


def _told(file: str, report: JsonObject) -> Iterator[Outcome]:
    """Yield what was found in a file, errors first."""
    found = cast("list[JsonObject]", report["diagnostics"])
    for severity, status in ((_ERROR, 1), (_WARNING, 0)):
        lines = tuple(
            f"{file}: {severity}: {on_one_line(each['pointer'] or 'the whole document')}:"
            f" {on_one_line(each['message'], width=500)} [{on_one_line(each['code'])}]"
            for each in found
            if (each["severity"] == _WARNING) == (severity == _WARNING)
        )
        if lines:
            yield Outcome(notes=lines, status=status)


def _paths(parser: ArgumentParser) -> None:
    parser.add_argument("path", nargs="+", metavar="PATH", help="a JSON file, a directory of *.json, or -")


def _refused(file: str, error: WopError) -> tuple[str, ...]:
    return tuple(_in_file(file, line) for line in in_lines(error))


def _in_file(file: str, line: str) -> str:
    return line if line.startswith(file) else f"{file}: {line}"


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
        words="workflow validate",
        summary="Tell what is wrong with workflow definitions, storing nothing, and print the name of each good file",
        example="wop workflow validate expense.json",
        arguments=_validate_arguments,
        run=_validate,
        more=f"With --tenant it also tells whether the people there can answer. An error keeps a definition from\n"
        f"being registered, a warning does not. 'wop explain CODE' says more.\n{_HOW_TO_WRITE}",
    ),
)
