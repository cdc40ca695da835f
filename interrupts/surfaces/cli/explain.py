"""``wop explain``."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from datetime import datetime
from textwrap import wrap
from typing import Final

from interrupts.errors import NotFound
from interrupts.surfaces.cards import CARDS, GROUPS, Card, nearest
from interrupts.surfaces.cli.command import EXIT_STATUSES, Command, Outcome
from interrupts.surfaces.cli.paint import Paint
from interrupts.surfaces.problems import RENDERINGS

_WIDTH: Final = 88


def _arguments(parser: ArgumentParser) -> None:
    parser.add_argument(
        "code", nargs="?", metavar="CODE", help="the code to explain, for example not_found; none: list them all"
    )


def _explain(arguments: Namespace, _now: datetime) -> Outcome:
    paint: Paint = arguments.paint
    if arguments.code is None:
        return Outcome(values=tuple(_listing(paint)))
    card = CARDS.get(arguments.code.strip())
    if card is None:
        raise NotFound(_unknown(arguments.code))
    return Outcome(values=tuple(_shown(card, paint)))


def _listing(paint: Paint) -> Iterator[str]:
    widest = max(map(len, CARDS))
    for title, cards in GROUPS.items():
        yield paint.strong(title)
        for card in cards:
            beginning, *rest = wrap(card.meaning, _WIDTH - widest)
            yield f"  {paint.good(card.code)}{' ' * (widest - len(card.code))}  {beginning}"
            yield from (f"{' ' * widest}    {line}" for line in rest)
        yield ""
    yield "'wop explain CODE' shows an example of one, and what to do."


def _shown(card: Card, paint: Paint) -> Iterator[str]:
    yield paint.strong(card.code)
    if card.weight:
        yield paint.faint(card.weight)
    rendering = RENDERINGS.get(card.code)
    if rendering is not None:
        again = ", with Retry-After" if rendering.retry_after is not None else ""
        yield paint.faint(
            f"HTTP status {rendering.status}{again}. Exit status of a command: {rendering.exit_code}"
            f" ({EXIT_STATUSES[rendering.exit_code]})."
        )
    for title, text in (("What it means", card.meaning), ("For example", card.example), ("What to do", card.advice)):
        yield ""
        yield paint.strong(title)
        yield from (f"  {line}" for line in wrap(text, _WIDTH))


def _unknown(code: str) -> str:
    close = nearest(code)
    meant = f" Did you mean {' or '.join(close)}?" if close else ""
    return f"There is no code {code!r}.{meant} 'wop explain' lists them all."


COMMANDS: Final = (
    Command(
        words="explain",
        summary="Explain an error code: what it means, an example, and what to do",
        example="wop explain interrupt_already_resolved",
        arguments=_arguments,
        run=_explain,
    ),
)
