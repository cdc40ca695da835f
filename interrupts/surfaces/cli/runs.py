"""``wop run``."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from datetime import datetime
from typing import Any, Final

from interrupts.ids import tenant_of
from interrupts.models import Run
from interrupts.services import identity
from interrupts.services.runs import CancelRun, CreateRun, cancel_run, create_run, read_run
from interrupts.surfaces.cli.command import Command, Outcome, tenant_argument
from interrupts.surfaces.cli.reading import read_object


def _start_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", help="the workflow's id; its newest version is run")
    tenant_argument(parser)
    parser.add_argument("--input", metavar="FILE", help="a JSON object with the inputs; - reads standard input")


def _start(arguments: Namespace, now: datetime) -> Outcome:
    request = CreateRun(
        actor=identity.command_line_actor(identity.get_tenant(arguments.tenant)),
        workflow_id=arguments.workflow,
        inputs={} if arguments.input is None else read_object(arguments.input),
    )
    return Outcome(values=(str(create_run(request=request, now=now).result["runId"]),))


def _id_argument(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the run's id, for example acme/r-…")


def _show_arguments(parser: ArgumentParser) -> None:
    _id_argument(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of the status alone")


def _show(arguments: Namespace, _now: datetime) -> Outcome:
    run = read_run(tenant_id=tenant_of(arguments.id), run_id=arguments.id)
    shown = json.dumps(_described(run), ensure_ascii=False, indent=2) if arguments.json else run.status
    return Outcome(values=(shown,))


def _described(run: Run) -> dict[str, Any]:
    return {
        "runId": run.pk,
        "workflowId": run.workflow_key,
        "status": run.status,
        "currentNodeId": run.current_node_id or None,
        "createdAt": run.created_at.isoformat(),
        "completedAt": run.completed_at and run.completed_at.isoformat(),
        "inputs": run.inputs,
        "variables": run.variables,
        "error": run.error,
    }


def _cancel_arguments(parser: ArgumentParser) -> None:
    _id_argument(parser)
    parser.add_argument("--reason", help="why, for the log")


def _cancel(arguments: Namespace, now: datetime) -> Outcome:
    actor = identity.command_line_actor(identity.get_tenant(tenant_of(arguments.id)))
    done = cancel_run(request=CancelRun(actor=actor, run_id=arguments.id, reason=arguments.reason), now=now)
    return Outcome(values=(str(done.result["runId"]),))


COMMANDS: Final = (
    Command(
        words="run start",
        summary="Start a run and print its id",
        example="wop run start expense-approval --tenant acme --input expense.json",
        arguments=_start_arguments,
        run=_start,
    ),
    Command(
        words="run show",
        summary="Print a run's status",
        example="wop run show acme/r-0123456789abcdef0123456789abcdef --json",
        arguments=_show_arguments,
        run=_show,
    ),
    Command(
        words="run cancel",
        summary="End a run early and print its id",
        example="wop run cancel acme/r-0123456789abcdef0123456789abcdef --reason 'entered twice'",
        arguments=_cancel_arguments,
        run=_cancel,
    ),
)
