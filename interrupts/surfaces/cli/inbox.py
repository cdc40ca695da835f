"""``wop inbox``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import datetime
from typing import Final, cast

from interrupts.contracts.types import JsonObject
from interrupts.surfaces.cli.command import Command, Outcome
from interrupts.surfaces.cli.describing import deadline_in_words, title_of
from interrupts.surfaces.cli.gateways import Gateway, gateway_of, host_arguments, warnings_of
from interrupts.surfaces.cli.paint import Paint
from interrupts.surfaces.cli.reading import count
from interrupts.surfaces.cli.words import in_json, on_one_line

_DEFAULT: Final = 50
_WIDTH: Final = 40
_COLUMNS: Final = ("RUN", "KIND", "ABOUT", "OUTCOMES", "DEADLINE")


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--limit", type=count, default=_DEFAULT, metavar="N", help=f"how many to show (default: {_DEFAULT})"
    )
    parser.add_argument("--json", action="store_true", help="print a JSON list with everything but the schemas")
    host_arguments(parser)


def _inbox(arguments: Namespace, now: datetime) -> Outcome:
    waiting, has_more = _read(gateway_of(arguments), arguments.limit)
    notes = warnings_of(arguments)
    if has_more:
        notes = (*notes, f"There are more than these {len(waiting)}: show them with --limit.")
    if arguments.json:
        return Outcome(values=(in_json(list(waiting)),), notes=notes)
    if not waiting:
        return Outcome(notes=(*notes, "Nothing waits for an answer."))
    return Outcome(values=tuple(_table(waiting, now, arguments.paint)), notes=notes)


def _read(gateway: Gateway, limit: int) -> tuple[list[JsonObject], bool]:
    """Return what waits, page by page, up to ``limit``, and whether there is more."""
    waiting: list[JsonObject] = []
    cursor: JsonObject = {}
    while True:
        page = gateway.call("interrupts.list", {"limit": limit - len(waiting), **cursor})
        waiting += cast("list[JsonObject]", page["interrupts"])
        following = page.get("next_cursor")
        if following is None or len(waiting) >= limit:
            return waiting[:limit], following is not None or len(waiting) > limit
        cursor = {"cursor": following}


def _table(waiting: list[JsonObject], now: datetime, paint: Paint) -> Iterator[str]:
    rows = [_row(each, now) for each in waiting]
    widths = [max(map(len, column)) for column in zip(_COLUMNS, *rows, strict=True)]
    yield paint.faint(_aligned(_COLUMNS, widths))
    yield from (_aligned(row, widths) for row in rows)


def _row(interrupt: JsonObject, now: datetime) -> tuple[str, ...]:
    outcomes = cast("list[str]", interrupt["outcomes"])
    return (
        on_one_line(interrupt["run_id"], width=200),
        on_one_line(interrupt["kind"], width=_WIDTH),
        title_of(interrupt)[:_WIDTH] or on_one_line(interrupt["node_id"], width=_WIDTH),
        on_one_line(", ".join(outcomes), width=_WIDTH),
        deadline_in_words(interrupt, now) or "none",
    )


def _aligned(cells: tuple[str, ...], widths: list[int]) -> str:
    return "  ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)).rstrip()


COMMANDS: Final = (
    Command(
        words="inbox",
        summary="List what waits for an answer, oldest first",
        example="wop inbox --tenant acme",
        arguments=_arguments,
        run=_inbox,
        more="'wop run inspect RUN' shows one whole, 'wop run resume RUN' answers it.",
    ),
)
