"""What ``wop run inspect`` prints of texts and schemas that mean harm: words, and never too many of them."""

from __future__ import annotations

import re
import shlex

from django.utils import timezone

from interrupts.contracts.types import JsonObject, JsonSchema, JsonValue
from interrupts.surfaces.cli.describing import describe
from interrupts.surfaces.cli.paint import Paint

ESCAPES = "\x1b]0;mine\x07\x1b[2J\x9b5m\u202e\u061c\u200b\u2028\ufeff\r"
OBEYED = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]")


def described(schema: JsonSchema, *, text: str = "ask", outcome: str = "submitted") -> list[str]:
    interrupt: JsonObject = {
        "id": f"acme/i-{text}",
        "node_id": text,
        "kind": text,
        "title": f"About {text}",
        "payload": {text: text, "list": [text], "object": {text: text}, "long": f"{text}\n{text}"},
        "outcomes": [outcome],
        "resume_schema": schema,
        "deadline": text,
        "route": [{"run_id": text}],
        "resumable": False,
    }
    shown: JsonObject = {
        "run_id": "acme/r-1",
        "run_status": text,
        "title": text,
        "progress": text,
        "interrupt": interrupt,
        "interrupts": [text, interrupt["id"]],
    }
    return list(describe(shown, interrupt=interrupt, link="", now=timezone.now(), paint=Paint(), look="", answer=""))


def test_no_text_of_an_author_drives_the_terminal() -> None:
    field: JsonObject = {"type": "string", "title": ESCAPES, "description": ESCAPES, "format": ESCAPES}
    options: list[JsonValue] = [ESCAPES, {ESCAPES: ESCAPES}]
    properties: JsonObject = {
        f"{ESCAPES}1": field,
        "formatted": {"type": "string", "format": ESCAPES},
        "chosen": {"enum": options},
        "several": {"type": "array", "items": {"enum": options}},
        "inner": {"type": "object", "properties": {ESCAPES: field}},
    }
    schema: JsonObject = {"type": "object", "properties": properties, "required": [ESCAPES]}
    assert not OBEYED.search("\n".join(described(schema, text=ESCAPES, outcome=ESCAPES)))


def test_the_command_that_is_proposed_runs_nothing_else_in_a_shell() -> None:
    outcome, field = "$(touch /tmp/x); `id` 'a'", "b; rm -rf ~"
    schema: JsonObject = {"type": "object", "properties": {field: {}}, "required": [field]}
    proposed = described(schema, outcome=outcome)[-1]
    assert shlex.split(proposed)[-4:] == ["--outcome", outcome, "--input", f"{field}=…"]
    assert f"{shlex.quote(outcome)} --input {shlex.quote(field)}=…" in proposed


def test_schemas_without_an_end_are_told_in_few_words() -> None:
    same: JsonObject = {"$ref": "#"}
    lines = described({"type": "object", "properties": {f"p{number}": same for number in range(60)}})
    assert sum(line.startswith("  p0.") for line in lines) == 60
    lists: JsonObject = {"type": "array", "items": {"$ref": "#/$defs/lists"}}
    schema: JsonObject = {
        "type": "object",
        "$defs": {"lists": lists},
        "properties": {"tree": {"$ref": "#/$defs/lists"}},
    }
    assert "  tree  optional  list of list of list of list" in described(schema)
