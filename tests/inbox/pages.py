"""Reading pages as a person does: their words, their links, their forms."""

from __future__ import annotations

from collections.abc import Mapping
from html.parser import HTMLParser
from typing import Any, cast

from django.http import HttpResponse
from django.test import Client

from interrupts.models import Suspension
from tests.factories import suspension


class Reader(HTMLParser):
    """Collects a page's text and start tags."""

    def __init__(self) -> None:
        super().__init__()
        self.words: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.row_titles: list[str] = []
        self._in_row_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in_row_title = self._in_row_title or ("class", "row-title") in attrs

    def handle_endtag(self, tag: str) -> None:
        self._in_row_title = self._in_row_title and tag != "h3"

    def handle_data(self, data: str) -> None:
        self.words.append(data)
        if self._in_row_title and data.strip():
            self.row_titles.append(data)


def read(response: Any) -> Reader:
    reader = Reader()
    reader.feed(response.content.decode())
    return reader


def text_of(response: Any) -> str:
    """All the words of a page, with single spaces between them and none before a full stop."""
    return " ".join(" ".join(read(response).words).replace("\xa0", " ").split()).replace(" .", ".")


def title_of(response: Any) -> str:
    content: str = response.content.decode()
    return " ".join(content.partition("<title>")[2].partition("</title>")[0].split())


def row_titles(response: Any) -> list[str]:
    """The titles of a list's rows, in order."""
    return read(response).row_titles


def links(response: Any) -> list[str]:
    return [str(attrs.get("href")) for tag, attrs in read(response).tags if tag == "a"]


def buttons(response: Any) -> list[str]:
    """The buttons of a page's form, by their values, without the one for the Enter key."""
    pressed = [attrs for tag, attrs in read(response).tags if tag == "button" and attrs.get("name") in {"action", "op"}]
    return [str(attrs["value"]) for attrs in pressed if attrs["value"] != "check"]


def hidden(response: Any, name: str) -> str:
    found = [attrs for tag, attrs in read(response).tags if tag == "input" and attrs.get("name") == name]
    return str(found[0].get("value"))


class Form(HTMLParser):
    """Collects what a browser would post of a page's forms, in the order of the page: controls, not buttons."""

    def __init__(self) -> None:
        super().__init__()
        self.fields: dict[str, list[str]] = {}
        self._select = ""
        self._is_first = False
        self._textarea = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        name, value = str(found.get("name")), found.get("value") or ""
        if tag == "input" and (found.get("type") not in {"radio", "checkbox"} or "checked" in found):
            self.fields.setdefault(name, []).append(value)
        if tag == "textarea":
            self._textarea = name
            self.fields.setdefault(name, []).append("")
        if tag == "select":
            self._select, self._is_first = name, True
        if tag == "option" and self._is_first:
            self.fields.setdefault(self._select, []).append(value)
            self._is_first = False
        if tag == "option" and "selected" in found:
            self.fields[self._select][-1] = value

    def handle_endtag(self, tag: str) -> None:
        self._textarea = "" if tag == "textarea" else self._textarea

    def handle_data(self, data: str) -> None:
        if self._textarea:
            self.fields[self._textarea][-1] += data

    def close(self) -> None:
        super().close()
        for name, texts in self.fields.items():
            # A browser drops the first line break of a text area.
            if name[:2] in {"v:", "j:"}:
                self.fields[name] = [text.removeprefix("\n").replace("\n", "\r\n") for text in texts]


def fields_of(response: Any) -> dict[str, list[str]]:
    """What a browser would post of a page, with nothing changed in it."""
    form = Form()
    form.feed(response.content.decode())
    form.close()
    return form.fields


def page_of(asked: Suspension | str) -> str:
    """The address of an interrupt's page: of the interrupt, or of the one that a run's gate raised."""
    found = suspension(asked) if isinstance(asked, str) else asked
    return f"/inbox/{found.pk.partition('/')[2]}/"


def answer_page(client: Client, run_id: str, action: str, **fields: str) -> HttpResponse:
    """Open the page of a run's gate, and press one of its buttons."""
    url = page_of(run_id)
    shown = hidden(client.get(url), "shown")
    return press(client, url, {"shown": shown, "action": action, **fields})


def press(client: Client, url: str, fields: Mapping[str, str | list[str]]) -> HttpResponse:
    return cast("HttpResponse", client.post(url, dict(fields)))
