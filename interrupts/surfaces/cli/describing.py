"""A run and what it waits for, as text for somebody who knows nothing of its workflow."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from itertools import islice
from typing import Final, cast

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.events import parse_isoformat
from interrupts.surfaces.cli.paint import Paint
from interrupts.surfaces.cli.renderers import render_question
from interrupts.surfaces.cli.shapes import Shape, shape_of
from interrupts.surfaces.cli.words import from_now, on_one_line, shell_word
from interrupts.vocabulary import RunStatus

_LABEL: Final = 10
_MOST_FIELDS: Final = 60
_DEEPEST: Final = 3


def describe(
    shown: JsonObject, *, interrupt: JsonObject | None, link: str, now: datetime, paint: Paint, look: str, answer: str
) -> Iterator[str]:
    """Yield the lines of ``run inspect``: how the run stands, what is asked, and how to answer.

    ``look`` and ``answer`` are the options of the commands that are proposed, each after a space.
    """
    run_id = on_one_line(shown["run_id"])
    if interrupt is None:
        yield f"{paint.strong(run_id)} is {on_one_line(shown['run_status'])}. It waits for no answer."
        if shown["run_status"] == RunStatus.FAILED:
            yield f"Why: wop run watch {shell_word(run_id)}{look}"
        return
    yield f"{paint.strong(run_id)} waits for an answer."
    yield from _facts(shown, interrupt, link, now, paint)
    yield ""
    yield from (f"  {line}".rstrip() for line in render_question(_kind(interrupt), interrupt["payload"], paint))
    yield ""
    yield from _how_to_answer(f"{shell_word(run_id)}{answer}", shown, interrupt, paint)


def deadline_in_words(interrupt: JsonObject, now: datetime) -> str:
    """Return when an interrupt ends, in words; empty when it has no end."""
    deadline = interrupt.get("deadline")
    if not isinstance(deadline, str):
        return ""
    try:
        moment = parse_isoformat(deadline)
    except ValueError:
        return on_one_line(deadline)
    return from_now(moment, now)


def title_of(interrupt: JsonObject) -> str:
    """Return what an interrupt is about, in a line: the title it was given, or the first text of what it asks."""
    title = interrupt.get("title")
    # One without a title is listed under its kind, which is told already.
    if isinstance(title, str) and title != interrupt["kind"]:
        return on_one_line(title)
    payload = interrupt.get("payload")
    members = payload if isinstance(payload, dict) else {}
    texts = (members.get(name) for name in ("title", "question", "prompt", "summary", "description"))
    return next((on_one_line(text) for text in texts if isinstance(text, str) and text), "")


def fields_of(schema: JsonValue) -> list[tuple[str, Shape, bool]]:
    """Return the fields of an answer as they are written on the command line, and whether each is required."""
    return list(islice(_fields(shape_of(schema), "", is_needed=True, depth=0), _MOST_FIELDS))


def _fields(shape: Shape, before: str, *, is_needed: bool, depth: int) -> Iterator[tuple[str, Shape, bool]]:
    for name, is_required in shape.members().items():
        member = shape.member(name)
        if member.members() and "array" not in member.types and depth < _DEEPEST:
            yield from _fields(member, f"{before}{name}.", is_needed=is_needed and is_required, depth=depth + 1)
        else:
            yield f"{before}{name}", member, is_needed and is_required


def _facts(shown: JsonObject, interrupt: JsonObject, link: str, now: datetime, paint: Paint) -> Iterator[str]:
    deadline = deadline_in_words(interrupt, now)
    exactly = f" ({on_one_line(interrupt['deadline'])})" if deadline else ""
    facts = {
        "Kind": _kind(interrupt) + ("" if interrupt.get("typed") else " (its author declared no schema)"),
        "Title": title_of({"title": shown.get("title"), **interrupt}),
        "Node": on_one_line(interrupt["node_id"]) + _way(interrupt),
        "So far": on_one_line(shown.get("progress", "")) if interrupt is shown["interrupt"] else "",
        "Outcomes": ", ".join(map(on_one_line, _outcomes(interrupt))),
        "Deadline": f"{deadline}{exactly}" if deadline else "none",
        "Page": link,
        "Others": _others(shown, interrupt),
    }
    for name, value in facts.items():
        if value:
            yield f"{paint.faint(name.ljust(_LABEL))}{value}"
    if not interrupt.get("resumable", True):
        yield paint.caution("Its deadline has passed: an answer comes too late.")


def _way(interrupt: JsonObject) -> str:
    """Tell which sub-workflow asks, when it is not the run itself."""
    route = interrupt.get("route")
    if not isinstance(route, list) or not route or not isinstance(route[-1], dict):
        return ""
    return f" of the run {on_one_line(route[-1].get('run_id'))}, which this one waits for"


def _others(shown: JsonObject, interrupt: JsonObject) -> str:
    ids = shown.get("interrupts")
    others = [on_one_line(each) for each in ids if each != interrupt["id"]] if isinstance(ids, list) else []
    return f"{', '.join(others)} (show one with --interrupt)" if others else ""


def _how_to_answer(run: str, shown: JsonObject, interrupt: JsonObject, paint: Paint) -> Iterator[str]:
    fields = fields_of(interrupt["resume_schema"])
    yield paint.strong("Fields of an answer" if fields else "An answer may have any fields.")
    widest = max((len(name) for name, _, _ in fields), default=0)
    for name, shape, is_required in fields:
        about = shape.said("description") or shape.said("title")
        needed = "required" if is_required else "optional"
        words = f"{shape.in_words()}, may be empty" if is_required and shape.may_be_empty else shape.in_words()
        told = f"  {on_one_line(name).ljust(widest)}  {needed}  {words}"
        yield f"{told}. {on_one_line(about)}" if about else told
    outcomes = _outcomes(interrupt)
    needed = " ".join(f"{shell_word(name)}=…" for name, _, is_required in fields if is_required)
    pinned = f" --interrupt {shell_word(interrupt['id'])}" if "interrupts" in shown else ""
    yield ""
    yield paint.strong("To answer")
    outcome = shell_word(outcomes[0]) if outcomes else "…"
    yield f"  wop run resume {run}{pinned} --outcome {outcome}{' --input ' if needed else ''}{needed}"


def _kind(interrupt: JsonObject) -> str:
    return on_one_line(interrupt["kind"])


def _outcomes(interrupt: JsonObject) -> list[JsonValue]:
    return cast("list[JsonValue]", interrupt["outcomes"])
