"""Registration: everything that is wrong with a workflow definition, at once (wire contract §6)."""

from __future__ import annotations

from typing import Final

from interrupts.contracts.admission import check_schema
from interrupts.contracts.checking import run
from interrupts.contracts.json_text import MalformedJson, dump_json
from interrupts.contracts.problems import Problem, tidy
from interrupts.contracts.shipped import shipped
from interrupts.contracts.types import JsonValue
from interrupts.engine.definition.doubts import AskedAt, asked_by, doubts
from interrupts.engine.definition.draft import Draft, read_draft
from interrupts.engine.definition.edges import edge_problems
from interrupts.engine.definition.graph import graph_problems
from interrupts.engine.definition.ids import id_problems
from interrupts.engine.definition.nodes import node_problems

MAX_BYTES: Final = 256 * 1024
MAX_NODES: Final = 500
MAX_EDGES: Final = 2_000
# A document within the bounds above takes far fewer; one of the size allowed for nothing but nodes still passes.
_STEPS: Final = 1_000_000
_SECONDS: Final = 10.0


def check_definition(document: JsonValue) -> list[Problem]:
    """Return what is wrong with a definition, sorted by pointer; an empty list means that it can be registered.

    At most 100 problems come back. A document over the bounds is told so and nothing else, since the rest of the checks
    rely on them.
    """
    too_large = _size_problems(document)
    if too_large:
        return too_large
    problems = run(shipped("workflow-definition"), document, steps=_STEPS, seconds=_SECONDS)
    if not isinstance(document, dict):
        return problems
    draft = read_draft(document)
    return tidy(
        [
            *problems,
            *id_problems(draft),
            *graph_problems(draft),
            *node_problems(draft),
            *edge_problems(draft),
            *_option_problems(draft),
        ]
    )


def read_asked(document: JsonValue) -> list[AskedAt]:
    """Return what the well-formed nodes of a definition ask; nothing of a document over the bounds."""
    if _size_problems(document) or not isinstance(document, dict):
        return []
    return list(asked_by(read_draft(document)))


def find_doubts(document: JsonValue) -> list[Problem]:
    """Return what in a definition is likely to be a mistake, sorted by pointer; each keyword is a diagnostic code."""
    if _size_problems(document) or not isinstance(document, dict):
        return []
    return tidy(doubts(read_draft(document)))


def _size_problems(document: JsonValue) -> list[Problem]:
    try:
        size = len(dump_json(document).encode())
    except (MalformedJson, UnicodeEncodeError) as error:
        return [Problem("", "json", str(error))]
    if size > MAX_BYTES:
        return [Problem("", "size", f"A definition may have at most {MAX_BYTES} bytes; this one has {size}.")]
    if not isinstance(document, dict):
        return []
    bounds = (("nodes", MAX_NODES), ("edges", MAX_EDGES))
    return [
        Problem(f"/{name}", "maxItems", f"A workflow may have at most {bound} {name}; this one has {len(items)}.")
        for name, bound in bounds
        if isinstance(items := document.get(name), list) and len(items) > bound
    ]


def _option_problems(draft: Draft) -> list[Problem]:
    problems: list[Problem] = []
    schema = draft.document.get("configurableSchema")
    if isinstance(schema, dict):
        problems = [Problem("/configurableSchema" + p.pointer, p.keyword, p.message) for p in check_schema(schema)]
    settings = draft.document.get("settings")
    if isinstance(settings, dict) and "compensation" in settings:
        message = "This host does not compensate: it lacks the capability that “compensation” needs."
        problems.append(Problem("/settings/compensation", "capability_required", message))
    return problems
