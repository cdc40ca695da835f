"""``wop run``."""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace
from datetime import datetime
from typing import Any, Final

from interrupts.actor import Actor
from interrupts.ids import tenant_of
from interrupts.models import Run
from interrupts.services import identity
from interrupts.services.pausing import PauseRun, ResumeRun, pause_run, resume_run
from interrupts.services.runs import CancelRun, CreateRun, cancel_run, create_run, read_run
from interrupts.surfaces.cli.command import Command, Outcome, tenant_argument
from interrupts.surfaces.cli.reading import read_object
from interrupts.vocabulary import DrainPolicy


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
        "parentRunId": run.parent_run_id,
        "parentNodeId": run.parent_node_id or None,
        "createdAt": run.created_at.isoformat(),
        "completedAt": run.completed_at and run.completed_at.isoformat(),
        "inputs": run.inputs,
        "variables": run.variables,
        "error": run.error,
    }


def _reason_arguments(parser: ArgumentParser) -> None:
    _id_argument(parser)
    parser.add_argument("--reason", help="why, for the log")


def _cancel(arguments: Namespace, now: datetime) -> Outcome:
    request = CancelRun(actor=_actor(arguments), run_id=arguments.id, reason=arguments.reason)
    return Outcome(values=(str(cancel_run(request=request, now=now).result["runId"]),))


def _pause_arguments(parser: ArgumentParser) -> None:
    _reason_arguments(parser)
    parser.add_argument(
        "--immediate", action="store_true", help="cut short what is under way; it starts anew when the run goes on"
    )


def _pause(arguments: Namespace, now: datetime) -> Outcome:
    policy = DrainPolicy.IMMEDIATE if arguments.immediate else DrainPolicy.DRAIN_CURRENT_NODE
    request = PauseRun(_actor(arguments), arguments.id, policy, arguments.reason)
    done = pause_run(request=request, now=now)
    begun = "pausedAt" in done.result
    notes = () if begun else ("The run finishes what is under way, then it pauses.",)
    return Outcome(values=(str(done.result["runId"]),), notes=notes)


def _resume(arguments: Namespace, now: datetime) -> Outcome:
    done = resume_run(request=ResumeRun(_actor(arguments), arguments.id, arguments.reason), now=now)
    return Outcome(values=(str(done.result["runId"]),))


def _actor(arguments: Namespace) -> Actor:
    return identity.command_line_actor(identity.get_tenant(tenant_of(arguments.id)))


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
        arguments=_reason_arguments,
        run=_cancel,
    ),
    Command(
        words="run pause",
        summary="Let a run start nothing more, and print its id",
        example="wop run pause acme/r-0123456789abcdef0123456789abcdef --reason 'month end'",
        arguments=_pause_arguments,
        run=_pause,
    ),
    Command(
        words="run resume",
        summary="Let a paused run go on, and print its id",
        example="wop run resume acme/r-0123456789abcdef0123456789abcdef",
        arguments=_reason_arguments,
        run=_resume,
    ),
)
