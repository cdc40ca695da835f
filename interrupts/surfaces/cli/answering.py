"""``wop run inspect`` and ``wop run resume``: look at what a run waits for, and answer it."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from datetime import datetime
from typing import Final, cast

from interrupts.contracts.json_text import digest
from interrupts.contracts.problems import Problem
from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue
from interrupts.contracts.validation import SchemaRefused, compile_schema, validate
from interrupts.errors import NotFound, RunStateConflict, RunTerminal, ValidationFailed
from interrupts.ids import tenant_of
from interrupts.problems import validation_failed
from interrupts.services import identity
from interrupts.services.pausing import ResumeRun, resume_run
from interrupts.surfaces.addresses import interrupt_url
from interrupts.surfaces.cli.answers import read_answer
from interrupts.surfaces.cli.command import Command, Outcome
from interrupts.surfaces.cli.describing import describe
from interrupts.surfaces.cli.gateways import Gateway, gateway_of, host_arguments, on_this_machine, warnings_of
from interrupts.surfaces.cli.runs import id_argument
from interrupts.surfaces.cli.words import in_json, on_one_line
from interrupts.vocabulary import TERMINAL_STATUSES

_INSPECT: Final = "workflow.runs.inspect"
_RESUME: Final = "workflow.runs.resume"
_PAGE: Final = 100
_HOW_TO_INPUT: Final = """How to write the answer:
  --input answer.json                 a JSON file; '-' reads standard input
  --input approved=true comment=Fine  a word a field, read as the field's type
  --input ids=A-1 ids=A-2             the same key again: the next item of a list
  --input address.city=Lyon           a member of a member
  --input lines.0.amount=12.50        a member of the first item of a list
  --input /odd.name=1                 a JSON Pointer, for names with dots
  --input 'data:=[1, null]'           JSON, whatever the type

It is checked here before it is sent. A host that gets the same answer twice counts it once."""


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
    link = interrupt_url(str(interrupt["id"]), origin=gateway.origin) if interrupt else ""
    lines = describe(shown, interrupt=interrupt, link=link, now=now, paint=arguments.paint)
    return Outcome(values=tuple(lines), notes=notes)


def _resume_arguments(parser: ArgumentParser) -> None:
    id_argument(parser)
    parser.add_argument("--outcome", metavar="OUTCOME", help="one of those that 'wop run inspect' lists")
    parser.add_argument("--input", nargs="+", metavar="FILE|-|KEY=VALUE", help="the answer: see below")
    parser.add_argument("--interrupt", metavar="ID", help="which one to answer, when the run waits for several")
    parser.add_argument("--json", action="store_true", help="print the result, or the refusal, as JSON")
    parser.add_argument("--reason", help="why a pause ends, for the log (only without --outcome)")
    host_arguments(parser)


def _resume(arguments: Namespace, now: datetime) -> Outcome:
    if arguments.outcome is None and arguments.input is None:
        return _end_pause(arguments, now)
    gateway = gateway_of(arguments)
    gateway.require_person()
    shown = gateway.call(_INSPECT, {"run_id": arguments.id})
    interrupt = _interrupt(gateway, shown, arguments.interrupt)
    if interrupt is None:
        raise _nothing_asked(shown)
    outcome = _outcome(interrupt, arguments.outcome)
    payload = {} if arguments.input is None else read_answer(arguments.input, interrupt["resume_schema"])
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
    told = f"Your answer was taken: {on_one_line(outcome)}. The run is now {on_one_line(done['status'])}."
    return Outcome(values=(on_one_line(done["run_id"]),), notes=(*warnings_of(arguments), told))


def _end_pause(arguments: Namespace, now: datetime) -> Outcome:
    on_this_machine("run resume' without an answer, which ends a pause, 'run resume")
    actor = identity.command_line_actor(identity.get_tenant(tenant_of(arguments.id)))
    done = resume_run(request=ResumeRun(actor, arguments.id, arguments.reason), now=now)
    return Outcome(values=(str(done.result["runId"]),))


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


def _outcome(interrupt: JsonObject, given: str | None) -> str:
    outcomes = cast("list[str]", interrupt["outcomes"])
    names = ", ".join(map(on_one_line, outcomes))
    if given is None:
        if len(outcomes) != 1:
            raise ValidationFailed(f"Say which outcome your answer has, with --outcome: {names}.")
        return outcomes[0]
    if given not in outcomes:
        raise validation_failed(
            [Problem("/outcome", "enum", f"There is no outcome “{given}” here. There are: {names}.")]
        )
    return given


def _check(interrupt: JsonObject, outcome: str, payload: JsonValue) -> None:
    """Check the answer as the host will, or leave it to the host where its schema is not one we can read."""
    try:
        compiled = compile_schema(cast("JsonSchema", interrupt["resume_schema"]))
    except SchemaRefused:
        return
    problems = validate(compiled, payload)
    if problems:
        raise validation_failed(problems, base="/payload")


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
        more=_HOW_TO_INPUT,
    ),
)
