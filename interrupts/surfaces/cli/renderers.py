"""What was asked, as text: a view of its own for kinds that are known, and one that can show anything."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from textwrap import indent, wrap
from typing import Final, cast

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.surfaces.cli.paint import Paint
from interrupts.surfaces.cli.words import in_json, on_one_line, plain

Renderer = Callable[[JsonObject, Paint], Iterator[str]]
_WIDTH: Final = 100
_SHORT: Final = 80


def render_question(kind: str, payload: JsonValue, paint: Paint) -> Iterator[str]:
    """Yield the lines that show what an interrupt asks.

    A renderer of a kind is used when the payload is as that kind's payloads are; kinds are free text, and two workflows
    may mean different things by one.
    """
    if isinstance(payload, dict):
        is_fit, renderer = _RENDERERS.get(kind, (_always, _any))
        yield from (renderer if is_fit(payload) else _any)(payload, paint)
    else:
        yield from _block(payload)


def _any(payload: JsonObject, paint: Paint) -> Iterator[str]:
    for name, value in payload.items():
        label = paint.strong(on_one_line(name))
        if _is_short(value):
            yield f"{label}: {on_one_line(value, width=_WIDTH)}"
        else:
            yield f"{label}:"
            yield from (f"  {line}" for line in _block(value))


def _is_short(value: JsonValue) -> bool:
    if isinstance(value, str):
        return "\n" not in value and len(value) <= _SHORT
    return not isinstance(value, list | dict) or len(str(value)) <= _SHORT


def _block(value: JsonValue) -> Iterator[str]:
    text = plain(value) if isinstance(value, str) else in_json(value)
    for line in text.splitlines():
        yield from wrap(line, _WIDTH, drop_whitespace=False) if len(line) > _WIDTH else [line]


# --- approval: what is to be approved, without what is said elsewhere or only to programs -----------------------------


def _is_approval(payload: JsonObject) -> bool:
    return "artifactId" in payload and isinstance(payload.get("title"), str)


def _approval(payload: JsonObject, paint: Paint) -> Iterator[str]:
    shown = {name: value for name, value in payload.items() if name in _OF_APPROVALS}
    yield from _any({_OF_APPROVALS[name]: value for name, value in shown.items()}, paint)


_OF_APPROVALS: Final = {
    "description": "Description",
    "artifactData": "To approve",
    "requiredApprovals": "Approvals needed",
    "rejectionPolicy": "Rejection",
    "approversList": "People asked",
    "approverGroupRefs": "Groups asked",
    "approverRoleRefs": "Roles asked",
}


# --- clarification: questions, which the fields of the answer name by their ids ---------------------------------------


def _is_clarification(payload: JsonObject) -> bool:
    questions = payload.get("questions")
    return isinstance(questions, list) and all(
        isinstance(each, dict) and isinstance(each.get("id"), str) and isinstance(each.get("question"), str)
        for each in questions
    )


def _clarification(payload: JsonObject, paint: Paint) -> Iterator[str]:
    for number, question in enumerate(cast("list[JsonObject]", payload["questions"]), 1):
        asked = indent("\n".join(_block(question["question"])), " " * 4).strip()
        yield from f"{number:>2}. {paint.good(on_one_line(question['id']))}  {asked}".splitlines()
        others = {name: value for name, value in question.items() if name not in {"id", "question", "schema"}}
        yield from indent("\n".join(_any(others, paint)), " " * 4).splitlines()
    yield from _any({name: value for name, value in payload.items() if name != "questions"}, paint)


# --- issue_review: a report in Markdown, and issues that are proposed because of it -----------------------------------


def _is_issue_review(payload: JsonObject) -> bool:
    issues = payload.get("proposed_issues")
    return (
        isinstance(payload.get("report_markdown"), str)
        and isinstance(issues, list)
        and all(isinstance(issue, dict) and isinstance(issue.get("id"), str) for issue in issues)
    )


def _issue_review(payload: JsonObject, paint: Paint) -> Iterator[str]:
    yield paint.strong("Report")
    yield from (f"  {_heading(line, paint)}" for line in _block(payload["report_markdown"]))
    issues = cast("list[JsonObject]", payload["proposed_issues"])
    yield ""
    yield paint.strong(f"Proposed issues ({len(issues)})")
    for number, issue in enumerate(issues, 1):
        title = issue.get("title", issue.get("summary", ""))
        yield f"  {number:>2}. {paint.good(on_one_line(issue['id']))}  {on_one_line(title)}"
        for name, value in issue.items():
            if name not in {"id", "title", "summary"} or (name == "summary" and "title" in issue):
                yield from indent("\n".join(_any({name: value}, paint)), " " * 6).splitlines()
    others = {name: value for name, value in payload.items() if name not in {"report_markdown", "proposed_issues"}}
    if others:
        yield ""
        yield from _any(others, paint)


def _heading(line: str, paint: Paint) -> str:
    return paint.strong(line) if line.startswith("#") else line


def _always(_payload: JsonObject) -> bool:
    return True


_RENDERERS: Final[dict[str, tuple[Callable[[JsonObject], bool], Renderer]]] = {
    "approval": (_is_approval, _approval),
    "clarification": (_is_clarification, _clarification),
    "issue_review": (_is_issue_review, _issue_review),
}
