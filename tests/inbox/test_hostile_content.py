"""What authors write is shown whole, and neither runs nor hides."""

from __future__ import annotations

import json
from typing import Any

import pytest

from approvals.forms.encode import encode
from approvals.forms.judging import judging
from approvals.inbox.presenters.artifact import MAX_NODES, present_artifact
from approvals.inbox.presenters.markdown import render_markdown
from approvals.inbox.presenters.text import one_line, visible
from interrupts.contracts.types import JsonObject, JsonValue
from tests.factories import chain, gate_node, one_gate, one_interrupt, start_flow, suspension
from tests.inbox.conftest import SignIn
from tests.inbox.pages import page_of, read, text_of, title_of

SCRIPT = "<script>alert(1)</script>"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pay \u202e0001\u202c EUR", "pay ⟨U+202E⟩0001⟨U+202C⟩ EUR"),
        ("a\u200bb\ufeffc\u00add", "a⟨U+200B⟩b⟨U+FEFF⟩c⟨U+00AD⟩d"),
        ("\u2066x\u2069 \u200fy", "⟨U+2066⟩x⟨U+2069⟩ ⟨U+200F⟩y"),
        ("bell\x07 nul\x00 esc\x1b[31m", "bell⟨U+0007⟩ nul⟨U+0000⟩ esc⟨U+001B⟩[31m"),
        ("tag \U000e0041 filler \u3164", "tag ⟨U+E0041⟩ filler ⟨U+3164⟩"),
        ("line\u2028break", "line⟨U+2028⟩break"),
        ("a\u200db", "a⟨U+200D⟩b"),
        ("\u200cfirst", "⟨U+200C⟩first"),
    ],
)
def test_what_cannot_be_seen_is_written_out(text: str, shown: str) -> None:
    assert visible(text) == shown


@pytest.mark.parametrize("text", ["two\n\tlines", "👨‍👩‍👧", "نامه‌ای", "Zürich, 東京", "שלום"])
def test_what_scripts_need_stays_as_it_is(text: str) -> None:
    assert visible(text) == text


def test_a_title_is_cut_only_in_lists() -> None:
    assert one_line("a\n b" + "x" * 300) == "a b" + "x" * 196 + "…"


@pytest.mark.parametrize(
    ("source", "html"),
    [
        (SCRIPT, "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>\n"),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"),
        ("[x](data:text/html,1)", "<p>[x](data:text/html,1)</p>\n"),
        (
            "[x](//evil.example)",
            '<p><a rel="nofollow noopener noreferrer ugc">x</a></p>\n',
        ),
        ("[x](/inbox/)", '<p><a rel="nofollow noopener noreferrer ugc">x</a></p>\n'),
        (
            '[x](https://example.org "title")',
            '<p><a href="https://example.org" rel="nofollow noopener noreferrer ugc">x</a></p>\n',
        ),
        ("# Big", "<h3>Big</h3>\n"),
        ("`\u202e`", "<p><code>⟨U+202E⟩</code></p>\n"),
    ],
)
def test_markdown_cannot_run_or_lead_astray(source: str, html: str) -> None:
    assert html in render_markdown(source)


def test_markdown_shows_no_images() -> None:
    assert "<img" not in render_markdown("![x](https://evil.example/pixel.png)")


def test_hostile_text_is_shown_as_text_everywhere(sign_in: SignIn) -> None:
    definition = one_gate(
        title=f"{SCRIPT} \u202eeno",
        description=f"{SCRIPT} <img src=x onerror=alert(1)>",
        artifactType=SCRIPT,
        artifactData={SCRIPT: [SCRIPT, {"\u202e": "\u2066"}]},
        approverRoleRefs=[SCRIPT],
    )
    definition["name"] = SCRIPT
    run_id = start_flow(definition, inputs={SCRIPT: SCRIPT})
    browser = sign_in("ann")
    pages: list[Any] = [browser.get(path) for path in ("/inbox/open/", page_of(run_id))]
    pages.append(browser.get(f"/inbox/runs/{run_id.partition('/')[2]}/"))
    for page in pages:
        assert page.status_code == 200
        assert SCRIPT in text_of(page)
        sources = [attrs.get("src") for tag, attrs in read(page).tags if tag == "script"]
        assert sources == ["/static/js/times.js"]
        assert [tag for tag, _attrs in read(page).tags if tag == "img"] == []
        assert "\u202e" not in page.content.decode().partition("<form class")[0]
    assert title_of(pages[1]).startswith("&lt;script&gt;")


def test_an_artifact_of_a_megabyte_is_shown_whole_as_json(sign_in: SignIn) -> None:
    items: list[JsonValue] = [{"number": number, "text": "word " * 20, "list": [number]} for number in range(6_500)]
    value: JsonValue = {"items": items}
    assert len(json.dumps(value)) > 900_000
    gate = gate_node()
    gate["inputs"] = {"artifact": {"type": "variable", "variableName": "document"}}
    variables: list[JsonValue] = [{"name": "document", "type": "object"}]
    run_id = start_flow(chain(gate, variables=variables), inputs={"document": value})
    page = sign_in("ann").get(page_of(run_id))
    assert page.status_code == 200
    assert page.content.decode().count("&quot;number&quot;:") == 6_500


def test_a_deep_artifact_is_drawn_whole_without_end_of_stack(sign_in: SignIn) -> None:
    value: JsonValue = "the innermost"
    for _level in range(58):
        value = [value]
    gate = gate_node()
    gate["inputs"] = {"artifact": {"type": "variable", "variableName": "document"}}
    variables: list[JsonValue] = [{"name": "document", "type": "object"}]
    run_id = start_flow(chain(gate, variables=variables), inputs={"document": {"deep": value}})
    page = sign_in("ann").get(page_of(run_id))
    assert page.status_code == 200
    tree, source = page.content.decode().split("Exactly as it came")
    assert "the innermost" in tree
    assert "the innermost" in source


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        ("plain words\nin two lines", "text"),
        ("# Title\n\nText", "html"),
        ("1) first\n2) second", "html"),
        ("x" * 30_000, "text"),
        ([{"a": 1, "b": 2}, {"a": 3}], "table"),
        ([{"a": 1}, {"b": [1]}], "nodes"),
        ([{"a": 1}], "nodes"),
        ({"a": {"b": 1}}, "nodes"),
        ([], "text"),
        ({}, "text"),
        (None, "text"),
        (5, "text"),
        (list(range(MAX_NODES + 1)), "text"),
    ],
)
def test_an_artifact_takes_the_shape_that_shows_it_best(value: JsonValue, shape: str) -> None:
    shown = present_artifact({"artifactType": "thing", "artifactData": value})
    assert shown is not None
    assert [name for name in ("html", "text", "table", "nodes") if getattr(shown, name) is not None] == [shape]


def test_a_gate_without_an_artifact_shows_none() -> None:
    assert present_artifact({"artifactType": "thing"}) is None


def test_a_form_that_grew_as_deep_as_an_answer_may_be_is_drawn_and_says_the_rest_as_json(sign_in: SignIn) -> None:
    """Each level is a choice, an object, a part under a condition and a list: what a level of templates has most of."""
    level: JsonObject = {
        "oneOf": [
            {"type": "null"},
            {
                "type": "object",
                "required": ["more"],
                "properties": {"more": {"const": True}},
                "if": {"required": ["more"]},
                "then": {"properties": {"next": {"type": "array", "items": {"$ref": "#/$defs/level"}}}},
            },
        ]
    }
    schema: JsonObject = {"type": "object", "$defs": {"level": level}, "properties": {"top": {"$ref": "#/$defs/level"}}}
    value: JsonValue = {"more": True, "innermost": 1}
    for _level in range(29):
        value = {"more": True, "next": [value]}
    url = page_of(suspension(start_flow(one_interrupt("custom", {"customKind": "x"}, resumeSchema=schema)), "ask"))
    fields = encode(schema, {"top": value}, judging(schema))
    page = sign_in("ann").post(url, {**fields, "op": "add:#/nowhere"})
    assert "innermost" in page.content.decode()
