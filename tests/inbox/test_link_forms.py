"""Every kind but an approval by its signed link: the same form as in the inbox, the same states as an approval has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
import time_machine
from django.test import Client

from interrupts.contracts.types import JsonObject
from interrupts.services.runs import CancelRun, cancel_run
from interrupts.services.tokens import Intent
from tests.factories import actor, after, last, member, one_interrupt, reply, start_flow, status, trail
from tests.inbox.pages import buttons, fields_of, links, text_of, title_of
from tests.inbox.test_link_page import BROWSER, assert_closed, assert_private, link, send

ORDER: JsonObject = {
    "type": "object",
    "properties": {
        "count": {"type": "integer", "minimum": 1, "title": "How many"},
        "lines": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["count"],
}
ASKED: list[tuple[str, JsonObject, dict[str, Any], dict[str, str], Any]] = [
    ("custom", {"customKind": "order"}, {"resumeSchema": ORDER}, {"v:#/count": "3"}, {"count": 3}),
    ("external-event", {"eventType": "paid", "correlation": {"id": "7"}}, {}, {"j:#": '{"id": "7"}'}, {"id": "7"}),
    (
        "clarification",
        {"questions": [{"id": "q", "question": "What now?"}]},
        {},
        {"v:#/answers/q": "Wait."},
        {"answers": {"q": "Wait."}},
    ),
]


@pytest.fixture
def browser() -> Client:
    return Client(enforce_csrf_checks=True, headers={"accept": BROWSER})


def order(**config: Any) -> str:
    name = "timed" if config else "flow"
    return start_flow(one_interrupt("custom", {"customKind": "order"}, name, resumeSchema=ORDER, **config))


def press(browser: Client, url: str, op: str, fields: Mapping[str, str | list[str]]) -> Any:
    """Fill in the page and press a button, as a browser does."""
    return send(browser, url, {**fields_of(browser.get(url)), **fields, "op": op})


@pytest.mark.parametrize(("kind", "data", "config", "fields", "value"), ASKED)
def test_each_kind_is_answered_by_its_link(
    browser: Client, kind: str, data: JsonObject, config: dict[str, Any], fields: dict[str, str], value: Any
) -> None:
    run_id = start_flow(one_interrupt(kind, data, **config))
    url = link(run_id, at="ask")
    page = browser.get(url)
    assert "submit" in buttons(page)
    assert "made for nobody in particular" in text_of(page)
    assert [target for target in links(page) if not target.startswith("#")] == []
    assert_private(page)
    answered = press(browser, url, "submit", fields)
    assert answered.status_code == 200
    assert "You answered" in title_of(answered)
    assert "The run is complete." in text_of(answered)
    assert_private(answered)
    assert last(run_id, "interrupt.resolved")["resumeValue"] == value
    again = browser.get(url)
    assert (again.status_code, title_of(again)) == (409, "This is already answered | wopsite")
    assert_closed(again)


@pytest.mark.parametrize("method", ["get", "head"])
def test_looking_decides_nothing(browser: Client, method: str) -> None:
    run_id = order()
    url, before = link(run_id, at="ask"), trail(run_id)
    assert getattr(browser, method)(f"{url}?op=submit&v%3A%23%2Fcount=3").status_code == 200
    assert trail(run_id) == before


def test_buttons_of_the_form_and_the_enter_key_send_nothing(browser: Client) -> None:
    run_id = order()
    url, before = link(run_id, at="ask"), trail(run_id)
    added = press(browser, url, "add:#/lines", {"v:#/count": "3"})
    assert (added.status_code, fields_of(added)["r:#/lines"]) == (200, ["k1"])
    assert fields_of(added)["v:#/count"] == ["3"]
    assert "Nothing was sent." in text_of(press(browser, url, "check", {"v:#/count": "3"}))
    assert trail(run_id) == before


def test_what_does_not_fit_is_told_at_its_input_with_everything_typed_kept(browser: Client) -> None:
    run_id = order()
    page = press(
        browser, link(run_id, at="ask"), "submit", {"v:#/count": "0", "r:#/lines": "k1", "v:#/lines/@k1": "My"}
    )
    assert page.status_code == 422
    assert title_of(page).startswith("Error:")
    assert "How many : 0 is too small: at least 1 is allowed." in text_of(page)
    assert fields_of(page)["v:#/lines/@k1"] == ["My"]
    assert status(run_id) == "waiting-approval"


def test_an_inspecting_link_shows_the_question_and_no_form(browser: Client) -> None:
    page = browser.get(link(order(), at="ask", intent=Intent.INSPECT))
    assert buttons(page) == []
    assert "You cannot answer, because this link only shows the question." in text_of(page)


def test_an_answer_to_another_question_decides_nothing(browser: Client) -> None:
    run_id = order()
    page = press(browser, link(run_id, at="ask"), "submit", {"v:#/count": "3", "shown": "0" * 64})
    assert page.status_code == 409
    assert "The question has changed" in text_of(page)
    assert "How many 3" in text_of(page)
    assert status(run_id) == "waiting-approval"


def test_a_form_from_elsewhere_keeps_what_was_typed(browser: Client) -> None:
    run_id = order()
    url = link(run_id, at="ask")
    sent = {**fields_of(browser.get(url)), "op": "submit", "v:#/count": "3"}
    refused = browser.post(url, sent, headers={"origin": "https://evil.example"})
    assert refused.status_code == 403
    assert "count 3" in text_of(refused)
    assert status(run_id) == "waiting-approval"


def test_a_closed_question_says_how_it_ended(browser: Client, clock: time_machine.Traveller) -> None:
    member("ann")
    run_id, other, late = order(), order(), order(timeoutMs=600_000)
    urls = [link(run, at="ask") for run in (run_id, other, late)]
    reply(actor("ann"), run_id, {"count": 1})
    cancel_run(request=CancelRun(actor=actor("owner"), run_id=other), now=after(minutes=3))
    clock.move_to(after(minutes=11))
    answered, cancelled, expired = (browser.get(url) for url in urls)
    assert "ann answered on" in text_of(answered)
    assert "This is no longer asked" in text_of(cancelled)
    assert (expired.status_code, title_of(expired)) == (410, "This link has expired | wopsite")
