"""``wop run``: start, show, cancel and pause. Answers are in ``answering``, progress in ``watching``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from typing import Final
from uuid import uuid4

from interrupts.contracts.types import JsonObject
from interrupts.ids import tenant_of
from interrupts.services import identity
from interrupts.services.pausing import PauseRun, pause_run
from interrupts.surfaces.cli.command import Command, Outcome
from interrupts.surfaces.cli.gateways import gateway_of, host_arguments, on_this_machine, warnings_of
from interrupts.surfaces.cli.reading import read_object
from interrupts.surfaces.cli.words import in_json, on_one_line
from interrupts.vocabulary import DrainPolicy


def _start_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", help="the workflow's id; its newest version is run")
    parser.add_argument("--input", metavar="FILE", help="a JSON object with the inputs; - reads standard input")
    host_arguments(parser)


def _start(arguments: Namespace, _now: datetime) -> Outcome:
    inputs = {} if arguments.input is None else read_object(arguments.input)
    wish: JsonObject = {"workflow_id": arguments.workflow, "inputs": inputs}
    started = gateway_of(arguments).call("workflow.runs.start", wish, idempotency_key=_new_key())
    return Outcome(values=(on_one_line(started["run_id"]),), notes=warnings_of(arguments))


def id_argument(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the run's id, for example acme/r-…")


def _show_arguments(parser: ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--json", action="store_true", help="print a JSON object instead of the status alone")
    host_arguments(parser)


def _show(arguments: Namespace, _now: datetime) -> Outcome:
    shown = gateway_of(arguments).call("workflow.runs.get", {"run_id": arguments.id})
    value = in_json(shown) if arguments.json else on_one_line(shown["status"])
    return Outcome(values=(value,), notes=warnings_of(arguments))


def _cancel_arguments(parser: ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--reason", help="why, for the log")
    host_arguments(parser)


def _cancel(arguments: Namespace, _now: datetime) -> Outcome:
    wish: JsonObject = {"run_id": arguments.id}
    if arguments.reason is not None:
        wish["reason"] = arguments.reason
    cancelled = gateway_of(arguments).call("workflow.runs.cancel", wish, idempotency_key=_new_key())
    return Outcome(values=(on_one_line(cancelled["run_id"]),), notes=warnings_of(arguments))


def _new_key() -> str:
    """Return a key under which this one command may be sent again when its answer got lost."""
    return f"wop-{uuid4().hex}"


def _pause_arguments(parser: ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--reason", help="why, for the log")
    parser.add_argument(
        "--immediate", action="store_true", help="cut short what is under way; it starts anew when the run goes on"
    )


def _pause(arguments: Namespace, now: datetime) -> Outcome:
    on_this_machine("run pause")
    actor = identity.command_line_actor(identity.get_tenant(tenant_of(arguments.id)))
    policy = DrainPolicy.IMMEDIATE if arguments.immediate else DrainPolicy.DRAIN_CURRENT_NODE
    done = pause_run(request=PauseRun(actor, arguments.id, policy, arguments.reason), now=now)
    begun = "pausedAt" in done.result
    notes = () if begun else ("The run finishes what is under way, then it pauses.",)
    return Outcome(values=(str(done.result["runId"]),), notes=notes)


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
    Command(
        words="run pause",
        summary="Let a run start nothing more, and print its id",
        example="wop run pause acme/r-0123456789abcdef0123456789abcdef --reason 'month end'",
        arguments=_pause_arguments,
        run=_pause,
        more="This works with the database of this machine only. 'wop run resume ID' ends the pause.",
    ),
)
