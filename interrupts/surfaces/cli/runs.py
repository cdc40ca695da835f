"""``wop run``: start, show, cancel and pause. Answers are in ``answering``, progress in ``watching``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from typing import Final
from uuid import uuid4

from interrupts.contracts.types import JsonObject
from interrupts.surfaces.cli.answers import HOW_TO_INPUT, input_argument, read_input
from interrupts.surfaces.cli.command import Command, Outcome
from interrupts.surfaces.cli.gateways import gateway_of, host_arguments, warnings_of
from interrupts.surfaces.cli.words import in_json, on_one_line


def _start_arguments(parser: ArgumentParser) -> None:
    parser.add_argument("workflow", metavar="WORKFLOW", help="the workflow's id; its newest version is run")
    input_argument(parser, "the inputs of the run")
    host_arguments(parser)


def _start(arguments: Namespace, _now: datetime) -> Outcome:
    wish: JsonObject = {"workflow_id": arguments.workflow, "inputs": read_input(arguments.input, {})}
    started = gateway_of(arguments).call("workflow.runs.start", wish, idempotency_key=new_key())
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
    wish = with_reason({"run_id": arguments.id}, arguments)
    cancelled = gateway_of(arguments).call("workflow.runs.cancel", wish, idempotency_key=new_key())
    return Outcome(values=(on_one_line(cancelled["run_id"]),), notes=warnings_of(arguments))


def new_key() -> str:
    """Return a key under which this one command may be sent again when its answer got lost."""
    return f"wop-{uuid4().hex}"


def _pause_arguments(parser: ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--reason", help="why, for the log")
    parser.add_argument(
        "--immediate", action="store_true", help="cut short what is under way; it starts anew when the run goes on"
    )
    host_arguments(parser)


def _pause(arguments: Namespace, _now: datetime) -> Outcome:
    wish: JsonObject = {"run_id": arguments.id, "immediate": arguments.immediate}
    paused = gateway_of(arguments).call("workflow.runs.pause", with_reason(wish, arguments), idempotency_key=new_key())
    begun = () if "paused_at" in paused else ("The run finishes what is under way, then it pauses.",)
    return Outcome(values=(on_one_line(paused["run_id"]),), notes=(*warnings_of(arguments), *begun))


def with_reason(wish: JsonObject, arguments: Namespace) -> JsonObject:
    return wish if arguments.reason is None else {**wish, "reason": arguments.reason}


COMMANDS: Final = (
    Command(
        words="run start",
        summary="Start a run and print its id",
        example="wop run start expense-approval --input amount=420 description='Train to Lyon'",
        arguments=_start_arguments,
        run=_start,
        more=f"{HOW_TO_INPUT}\n\n"
        "What types the inputs have is known to the host alone: a word is JSON if it can be, and text if not, and\n"
        "lists are numbered. code:='\"42\"' is text.",
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
        more="'wop run resume ID' ends the pause.",
    ),
)
