"""``wop run inspect`` and ``wop run resume``: look at what a run waits for, and answer it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from shlex import quote
from typing import Final, cast

from interrupts import conf
from interrupts.contracts.json_text import digest
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import SchemaRefused
from interrupts.errors import NotFound, RunStateConflict, RunTerminal, ValidationFailed, WopError
from interrupts.kinds.base import answer_problems
from interrupts.problems import validation_failed
from interrupts.surfaces.addresses import interrupt_url
from interrupts.surfaces.cli.answers import HOW_TO_INPUT, input_argument, read_input
from interrupts.surfaces.cli.command import Command, Outcome
from interrupts.surfaces.cli.describing import describe
from interrupts.surfaces.cli.gateways import (
    Gateway,
    gateway_of,
    host_arguments,
    options_to_answer,
    options_to_look,
    warnings_of,
)
from interrupts.surfaces.cli.runs import id_argument, new_key, with_reason
from interrupts.surfaces.cli.words import in_json, on_one_line
from interrupts.vocabulary import TERMINAL_STATUSES

_INSPECT: Final = "workflow.runs.inspect"
_RESUME: Final = "workflow.runs.resume"
_PAGE: Final = 100
_UNPAUSE: Final = "workflow.runs.unpause"


def _inspect_arguments(parser: ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--interrupt", metavar="ID", help="which one to show, when the run waits for several")
    parser.add_argument("--json", action="store_true", help="print it all, or the refusal, as JSON, with the schemas")
    host_arguments(parser)


def _inspect(arguments: Namespace, now: datetime) -> Outcome:
    gateway = gateway_of(arguments)
    shown = gateway.call(_INSPECT, {"run_id": arguments.id})
    interrupt = _interrupt(gateway, shown, arguments.interrupt)
    notes = warnings_of(arguments)
    if arguments.json:
        return Outcome(values=(in_json({**shown, "interrupt": interrupt}),), notes=notes)
    lines = describe(
        shown,
        interrupt=interrupt,
        link=_page_of(interrupt, gateway),
        now=now,
        paint=arguments.paint,
        look=options_to_look(arguments),
        answer=options_to_answer(arguments),
    )
    return Outcome(values=tuple(lines), notes=notes)


def _page_of(interrupt: JsonObject | None, gateway: Gateway) -> str:
    """Return the address of the page for an interrupt and, unless it was set or given, how it is known."""
    if interrupt is None:
        return ""
    link = interrupt_url(str(interrupt["id"]), origin=gateway.origin)
    is_known = gateway.origin or conf.public_url() or conf.served_at()
    return link if is_known else f"{link} (if the site is elsewhere, say so with WOP_PUBLIC_URL or PORT)"


def _resume_arguments(parser: ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--outcome", metavar="OUTCOME", help="one of those that 'wop run inspect' lists")
    input_argument(parser, "the answer")
    parser.add_argument("--interrupt", metavar="ID", help="which one to answer, when the run waits for several")
    parser.add_argument("--json", action="store_true", help="print the result, or the refusal, as JSON")
    parser.add_argument("--reason", help="why a pause ends, for the log (only without --outcome)")
    host_arguments(parser)


def _resume(arguments: Namespace, _now: datetime) -> Outcome:
    gateway = gateway_of(arguments)
    if arguments.outcome is None and arguments.input is None:
        return _end_pause(gateway, arguments)
    gateway.require_person()
    shown = gateway.call(_INSPECT, {"run_id": arguments.id})
    interrupt = _interrupt(gateway, shown, arguments.interrupt)
    if interrupt is None:
        raise _nothing_asked(shown)
    outcome = arguments.outcome or _only_outcome(arguments, interrupt)
    payload = read_input(arguments.input, interrupt["resume_schema"])
    _check(interrupt, outcome, payload)
    answer: JsonObject = {
        "run_id": arguments.id,
        "outcome": outcome,
        "payload": payload,
        "interrupt_id": interrupt["id"],
    }
    done = gateway.call(_RESUME, answer, idempotency_key=_key(gateway, answer))
    if arguments.json:
        return Outcome(values=(in_json(done),), notes=warnings_of(arguments))
    told = f"Your answer was taken: {on_one_line(outcome)}. {_so_far(gateway, shown, interrupt)}"
    told += f"The run is now {on_one_line(done['status'])}."
    return Outcome(values=(on_one_line(done["run_id"]),), notes=(*warnings_of(arguments), told))


def _so_far(gateway: Gateway, before: JsonObject, answered: JsonObject) -> str:
    """Return what is still missing where an interrupt takes several answers; never a refusal, as this one counts."""
    if "progress" not in before:
        return ""
    try:
        shown = gateway.call(_INSPECT, {"run_id": before["run_id"]})
    except WopError:
        return ""
    still_asked = cast("JsonObject", shown["interrupt"] or {}).get("id") == answered["id"]
    return f"So far: {on_one_line(shown['progress'])}. " if still_asked and "progress" in shown else ""


def _end_pause(gateway: Gateway, arguments: Namespace) -> Outcome:
    wish = with_reason({"run_id": arguments.id}, arguments)
    try:
        done = gateway.call(_UNPAUSE, wish, idempotency_key=new_key())
    except WopError as error:
        if error.code != RunStateConflict.code:
            raise
        interrupt = _interrupt(gateway, gateway.call(_INSPECT, {"run_id": arguments.id}), arguments.interrupt)
        if interrupt is None:
            raise
        raise _no_outcome(arguments, interrupt) from None
    return Outcome(values=(on_one_line(done["run_id"]),), notes=warnings_of(arguments))


def _interrupt(gateway: Gateway, shown: JsonObject, wanted: str | None) -> JsonObject | None:
    """Return the interrupt that is meant: the one that is shown, or another open one of the run."""
    first = cast("JsonObject | None", shown["interrupt"])
    if wanted is None or (first is not None and first["id"] == wanted):
        return first
    if wanted not in cast("list[JsonValue]", shown.get("interrupts", [])):
        raise NotFound(f"The run is not waiting for “{wanted}”.")
    return _listed(gateway, wanted)


def _listed(gateway: Gateway, wanted: str) -> JsonObject:
    """Return an open interrupt that ``inspect`` does not show, from the list of all."""
    page: JsonObject = {"next_cursor": None}
    while "next_cursor" in page:
        cursor: JsonObject = {"cursor": page["next_cursor"]} if page["next_cursor"] else {}
        page = gateway.call("interrupts.list", {"full": True, "limit": _PAGE, **cursor})
        for interrupt in cast("list[JsonObject]", page["interrupts"]):
            if interrupt["id"] == wanted:
                return interrupt
    raise NotFound(f"“{wanted}” takes no answer any more.")


def _nothing_asked(shown: JsonObject) -> RunTerminal | RunStateConflict:
    status = on_one_line(shown["run_status"])
    if status in TERMINAL_STATUSES:
        return RunTerminal(f"The run has already ended: it is {status}.")
    return RunStateConflict(f"The run is not waiting for an answer: it is {status}.")


def _only_outcome(arguments: Namespace, interrupt: JsonObject) -> str:
    outcomes = cast("list[str]", interrupt["outcomes"])
    if len(outcomes) != 1:
        raise _no_outcome(arguments, interrupt)
    return outcomes[0]


def _no_outcome(arguments: Namespace, interrupt: JsonObject) -> ValidationFailed:
    outcomes = cast("list[str]", interrupt["outcomes"])
    return ValidationFailed(
        f"The run waits for an answer. Say which outcome yours has, with --outcome: {', '.join(outcomes)}."
        f" For example: wop run resume {arguments.id}{options_to_answer(arguments)} --outcome {quote(outcomes[0])}"
    )


def _check(interrupt: JsonObject, outcome: str, payload: JsonValue) -> None:
    """Check the answer as the host will, or leave it to the host where its schema is not one we can read."""
    try:
        problems = answer_problems(
            outcome,
            payload,
            outcomes=cast("list[str]", interrupt["outcomes"]),
            resume_schema=cast("JsonObject", interrupt["resume_schema"]),
        )
    except SchemaRefused:
        return
    if problems:
        raise validation_failed(problems)


def _key(gateway: Gateway, answer: JsonObject) -> str:
    """Return a key that is the same for the same answer of the same caller: sent twice, it counts once."""
    return f"wop-{digest([gateway.identity, answer])}"


COMMANDS: Final = (
    Command(
        words="run inspect",
        summary="Show what a run waits for: the question, the outcomes, and the fields of an answer",
        example="wop run inspect acme/r-0123456789abcdef0123456789abcdef",
        arguments=_inspect_arguments,
        run=_inspect,
    ),
    Command(
        words="run resume",
        summary="Answer what a run waits for, or end its pause when no answer is given, and print its id",
        example="wop run resume acme/r-0123456789abcdef0123456789abcdef --outcome submitted --input approved=true",
        arguments=_resume_arguments,
        run=_resume,
        more=f"{HOW_TO_INPUT}\n\n"
        "It is checked here before it is sent. A host that gets the same answer twice counts it once.",
    ),
)
