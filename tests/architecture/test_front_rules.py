"""House rules for templates and scripts: what the Content-Security-Policy would block never gets written."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

from tests.architecture.sources import ROOT

MAX_SCRIPT_LINES = 100


class Inline(HTMLParser):
    """Collects what a strict policy blocks: scripts and styles in the page, and style and event attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = dict(attrs)
        line = self.getpos()[0]
        if tag == "style" or (tag == "script" and "src" not in names and names.get("type") != "application/json"):
            self.found.append(f"{line} <{tag}>")
        self.found += [f"{line} {name}=" for name in names if name == "style" or name.startswith("on")]


def inline_code(html: str) -> list[str]:
    parser = Inline()
    parser.feed(html)
    return parser.found


def templates() -> list[Path]:
    return sorted((ROOT / "templates").rglob("*.html"))


def test_the_rule_sees_each_form_of_inline_code() -> None:
    html = '<p style="x">\n<script>1</script>\n<b onclick="x">\n<style></style>\n<script src="a.js"></script>'
    assert inline_code(html) == ["1 style=", "2 <script>", "3 onclick=", "4 <style>"]


def test_no_template_has_inline_code() -> None:
    """Mails are not served: no policy holds for them, and they can load no stylesheet. Even so they have one block."""
    assert templates() != []
    found = {str(path.relative_to(ROOT / "templates")): inline_code(path.read_text("utf-8")) for path in templates()}
    assert {path: [place.split()[1] for place in places] for path, places in found.items() if places} == {
        "mail/base.html": ["<style>"]
    }


def test_no_template_switches_escaping_off() -> None:
    trusting = ("|safe", "autoescape off")
    assert [path.name for path in templates() if any(word in path.read_text("utf-8") for word in trusting)] == []


def test_our_scripts_stay_under_100_lines() -> None:
    lengths = {path.name: len(path.read_text("utf-8").splitlines()) for path in (ROOT / "static/js").glob("*.js")}
    assert {name: lines for name, lines in lengths.items() if lines >= MAX_SCRIPT_LINES} == {}


def test_no_template_parts_facts_by_a_dot_that_could_end_a_line() -> None:
    assert [path.name for path in templates() if "·" in path.read_text("utf-8")] == []
