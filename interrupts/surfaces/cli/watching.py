"""``wop run watch``: a line an event, as it happens."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Final, cast

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.surfaces.cli.command import NOT_COMPLETED, Command, Outcome
from interrupts.surfaces.cli.gateways import gateway_of, host_arguments, options_to_look, warnings_of
from interrupts.surfaces.cli.paint import Paint
from interrupts.surfaces.cli.words import on_one_line
from interrupts.vocabulary import RunStatus

_WAIT_SECONDS: Final = 20
_WAITING: Final = "waiting-"
_LABEL: Final = 22
_MESSAGE: Final = 500
_TOLD: Final = ("kind", "action", "reason", "error", "childRunId", "name")
_MARKS: Final[dict[str, Callable[[Paint, str], str]]] = {
    "completed": Paint.good,
    "failed": Paint.bad,
    "cancelled": Paint.bad,
    "breached": Paint.bad,
    "requested": Paint.caution,
    "suspended": Paint.caution,
}


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the run's id, for example acme/r-…")
    parser.add_argument("--until-waiting", action="store_true", help="end as soon as the run waits for an answer")
    host_arguments(parser)


def _watch(arguments: Namespace, _now: datetime) -> Iterator[Outcome]:
    gateway = gateway_of(arguments)
    yield Outcome(notes=warnings_of(arguments))
    last = -1
    why: tuple[str, ...] = ()
    while True:
        page = gateway.call(
            "workflow.runs.events",
            {"run_id": arguments.id, "after": last, "timeout_seconds": _WAIT_SECONDS},
            wait_seconds=_WAIT_SECONDS,
        )
        events = cast("list[JsonObject]", page["events"])
        if events:
            yield Outcome(values=tuple(_line(event, arguments.paint) for event in events))
            why = _reasons(events[-1])
        last = cast("int", page["last_sequence"])
        status = on_one_line(page["status"])
        if page["is_terminal"]:
            yield _ended(status, why)
            return
        if arguments.until_waiting and status.startswith(_WAITING):
            look = f"wop run inspect {arguments.id}{options_to_look(arguments)}"
            yield Outcome(notes=(f"The run waits for an answer. See what for: {look}",))
            return


def _ended(status: str, why: tuple[str, ...]) -> Outcome:
    return Outcome(notes=(f"The run is {status}.", *why), status=0 if status == RunStatus.COMPLETED else NOT_COMPLETED)


def _reasons(event: JsonObject) -> tuple[str, ...]:
    """Return the error that a run ended with in words: its message, and a line a problem by JSON Pointer."""
    error = _object(_object(event.get("payload")).get("error"))
    problems = _object(error.get("details")).get("problems")
    told = map(_object, problems if isinstance(problems, list) else [])
    lines = [f"  {on_one_line(each.get('pointer', ''))}: {on_one_line(each.get('message', ''))}" for each in told]
    return (on_one_line(error["message"], width=_MESSAGE), *lines) if "message" in error else ()


def _object(value: JsonValue) -> JsonObject:
    return value if isinstance(value, dict) else {}


def _line(event: JsonObject, paint: Paint) -> str:
    """Return an event as its time, its type, the node it is about, and what matters of it."""
    kind = on_one_line(event["type"])
    told = _object(event.get("payload"))
    node = on_one_line(event.get("nodeId") or told.get("nodeId") or "")
    details = " ".join(f"{name}={on_one_line(told[name], width=60)}" for name in _TOLD if _is_told(told, name))
    mark = _MARKS.get(kind.rpartition(".")[2], Paint.strong)
    at = paint.faint(on_one_line(event.get("timestamp", ""))[11:19])
    return f"{at}  {mark(paint, kind.ljust(_LABEL))}  {node}{'  ' if node and details else ''}{details}".rstrip()


def _is_told(payload: JsonObject, name: str) -> bool:
    return name in payload and payload[name] not in (None, "", {}, [])


COMMANDS: Final = (
    Command(
        words="run watch",
        summary="Follow a run: a line an event, until it ends (Ctrl-C stops watching, and not the run)",
        example="wop run watch acme/r-0123456789abcdef0123456789abcdef --until-waiting",
        arguments=_arguments,
        run=_watch,
        more=f"Exit status {NOT_COMPLETED} when the run failed or was cancelled, 0 when it completed.",
    ),
)
