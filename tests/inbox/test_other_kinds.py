"""Answering every kind but an approval in the inbox: one field a question, or JSON with its schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import pytest
import time_machine
from django.contrib.auth.models import User
from django.test import Client

from approvals.forms.names import child
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.models import Suspension
from tests.factories import actor, after, last, one_gate, one_interrupt, reply, start_flow, status, suspension, sweep
from tests.inbox.conftest import SignIn
from tests.inbox.pages import buttons, fields_of, hidden, links, page_of, press, read, row_titles, text_of, title_of

QUESTIONS: list[JsonValue] = [
    {"id": "name", "question": "Whose is it?"},
    {"id": "size", "question": "Which size?", "schema": {"enum": ["S", 2, None]}},
    {"id": "gift", "question": "Is it a gift?", "schema": {"type": "boolean"}},
    {"id": "count", "question": "How many?", "schema": {"type": "integer", "minimum": 1}},
    {"id": "line", "question": "Which lines?", "schema": {"type": "array", "items": {"type": "string"}}},
]
GOOD = {
    "v:#/answers/name": " Ann ",
    "v:#/answers/size": "1",
    "v:#/answers/gift": "false",
    "v:#/answers/count": "3",
    "r:#/answers/line": "k1",
    "v:#/answers/line/@k1": "a",
}
LEAST: dict[str, JsonObject] = {
    "clarification": {"questions": [{"id": "q", "question": "What now?"}]},
    "external-event": {"eventType": "order.paid", "correlation": {"orderId": "7"}},
    "custom": {"customKind": "sms", "payload": [1, {"a": "b"}]},
    "conversation.start": {"conversationId": "c-1", "title": "Support"},
    "conversation.exchange": {"conversationId": "c-1", "prompt": "Shall we?", "outcomeSchema": {"type": "string"}},
    "conversation.close": {"conversationId": "c-1"},
    "low-confidence": {"agentId": "bot", "threshold": 0.7, "observed": 0.5, "decision": {"refund": True}},
}
ANSWERS = {"clarification": {"v:#/answers/q": "Go on."}, "conversation.exchange": {"v:#": "Go on."}}
TITLES = ["What now?", "order.paid", "sms", "Support", "Shall we?", "c-1", "bot"]


def asked(kind: str, data: JsonObject, **config: Any) -> Suspension:
    return suspension(start_flow(one_interrupt(kind, data, **config)), "ask")


def send(client: Client, url: str, fields: Mapping[str, str | list[str]], op: str = "submit") -> Any:
    return press(client, url, {"shown": hidden(client.get(url), "shown"), "op": op, **fields})


def five_questions(client: Client) -> tuple[str, str]:
    waits = asked("clarification", {"questions": QUESTIONS})
    return waits.run_id, page_of(waits)


# --- Lists ------------------------------------------------------------------------------------------------------------


def test_the_lists_hold_every_kind_under_words_of_its_own(sign_in: SignIn) -> None:
    for number, (kind, data) in enumerate(LEAST.items()):
        start_flow(one_interrupt(kind, data, f"flow{number}"))
    start_flow(one_gate("gate"))
    client = sign_in()
    for url in ("/inbox/", "/inbox/open/"):
        response = client.get(url)
        assert sorted(row_titles(response)) == sorted([*TITLES, "Release it?"])
        for words in ("Question", "Outside event", "Request", "Conversation", "Unsure decision", "Approval"):
            assert words in text_of(response)


def test_the_history_tells_answered_from_timed_out(sign_in: SignIn, clock: time_machine.Traveller) -> None:
    run_id = start_flow(one_interrupt("custom", LEAST["custom"], "one"))
    start_flow(one_interrupt("custom", LEAST["custom"], "two", timeoutMs=60_000))
    reply(actor("ann"), run_id, None)
    sweep(now=after(minutes=1))
    text = text_of(sign_in().get("/inbox/history/"))
    assert "Answered" in text
    assert "Timed out" in text


# --- Pages ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", LEAST)
def test_each_kind_has_a_page_that_shows_what_is_asked_and_takes_an_answer(sign_in: SignIn, kind: str) -> None:
    waits = asked(kind, LEAST[kind])
    client, url = sign_in(), page_of(waits)
    page = client.get(url)
    assert page.status_code == 200
    assert title_of(page) == f"{waits.title} | wopsite"
    assert buttons(page) == ["submit"]
    answered = send(client, url, ANSWERS.get(kind, {"j:#": '"Go on."'}))
    assert (answered.status_code, answered["Location"]) == (302, url)
    assert status(waits.run_id) == "completed"
    ended = text_of(client.get(url))
    assert "Answered You answered this." in ended
    assert "Go on." in ended
    assert buttons(client.get(url)) == []


def test_the_payload_and_the_schema_are_shown(sign_in: SignIn) -> None:
    client = sign_in()
    event = text_of(client.get(page_of(asked("external-event", LEAST["external-event"], resumeSchema={"minimum": 4}))))
    assert "orderId 7" in event
    assert '"minimum": 4' in event


def test_each_question_has_the_field_that_suits_it(sign_in: SignIn) -> None:
    client = sign_in()
    run_id, url = five_questions(client)
    tags = read(client.get(url)).tags
    named = [(tag, attrs["name"]) for tag, attrs in tags if "#" in str(attrs.get("name", ""))]
    assert named == [
        ("textarea", "v:#/answers/name"),
        *[("input", "v:#/answers/size")] * 3,
        *[("input", "v:#/answers/gift")] * 2,
        ("input", "v:#/answers/count"),
        ("input", "p:#/answers/line"),
    ]
    assert buttons(client.get(url)) == ["add:#/answers/line", "submit"]
    send(client, url, GOOD)
    assert last(run_id, "interrupt.resolved")["resumeValue"] == {
        "answers": {"name": " Ann ", "size": 2, "gift": False, "count": 3, "line": ["a"]}
    }


@pytest.mark.parametrize(
    ("field", "text", "said"),
    [
        ("name", "  ", "Whose is it? : Write an answer."),
        ("size", "7", "Choose one of those offered."),
        ("size", "", "Choose one."),
        ("gift", "maybe", "Choose one of those offered."),
        ("count", "three", "Write a number, such as 12 or 1.5."),
        ("count", "1,5", "Write 1.5, not 1,5."),
        ("count", "0", "How many? : 0 is too small: at least 1 is allowed."),
        ("line/@k1", "", "Which lines? : Write an answer."),
        ("line/@k1", "\0", "This holds a character that cannot be stored."),
    ],
)
def test_what_does_not_fit_is_said_and_nothing_typed_is_lost(sign_in: SignIn, field: str, text: str, said: str) -> None:
    client = sign_in()
    run_id, url = five_questions(client)
    refused = send(client, url, {**GOOD, f"v:#/answers/{field}": text})
    assert refused.status_code == 422
    assert title_of(refused).startswith("Error: ")
    assert said in text_of(refused)
    assert " Ann " in refused.content.decode() or field == "name"
    assert status(run_id) == "waiting-input"


def test_a_time_is_asked_for_in_parts_and_the_part_that_is_wrong_is_marked(sign_in: SignIn) -> None:
    schema: JsonObject = {"type": "string", "format": "date-time"}
    waits = asked("custom", {"customKind": "sms"}, resumeSchema=schema)
    client, url = sign_in(), page_of(waits)
    assert "The time is in UTC, unless you choose another offset." in text_of(client.get(url))
    refused = send(client, url, {"v:#": ["2031-05-17", "half past two", "+02:00"]})
    assert refused.status_code == 422
    assert "Write the time, such as 14:30 or 14:30:05." in text_of(refused)
    drawn = [attrs for tag, attrs in read(refused).tags if attrs.get("name") == "v:#"]
    assert [attrs.get("type") for attrs in drawn] == ["date", "text", None]
    assert [attrs.get("aria-describedby") for attrs in drawn] == [None, "n1-error", None]
    assert [attrs.get("id") for attrs in drawn] == ["n1-date", "n1", "n1-offset"]
    assert fields_of(refused)["v:#"] == ["2031-05-17", "half past two", "+02:00"]
    send(client, url, {"v:#": ["2031-05-17", "14:30", "+02:00"]})
    assert last(waits.run_id, "interrupt.resolved")["resumeValue"] == "2031-05-17T14:30:00+02:00"


@pytest.mark.parametrize(("default", "step"), [({}, None), ({"default": "14:30:05Z"}, "1")])
def test_seconds_are_asked_for_where_there_are_some(sign_in: SignIn, default: JsonObject, step: str | None) -> None:
    schema: JsonObject = {"type": "string", "format": "time", **default}
    page = sign_in().get(page_of(asked("custom", {"customKind": "sms"}, resumeSchema=schema)))
    (drawn,) = [attrs for _tag, attrs in read(page).tags if attrs.get("type") == "time"]
    assert drawn.get("step") == step


@pytest.mark.parametrize(
    "default", ["2031-05-17T14:30:00.123456+00:00", "2031-05-17t14:30:00z", "2031-12-31T23:59:60Z"]
)
def test_a_time_that_nobody_touched_is_sent_as_it_was(sign_in: SignIn, default: str) -> None:
    schema: JsonObject = {"type": "string", "format": "date-time", "default": default}
    waits = asked("custom", {"customKind": "sms"}, resumeSchema=schema)
    client, url = sign_in(), page_of(waits)
    assert press(client, url, {**fields_of(client.get(url)), "op": "submit"}).status_code == 302
    assert last(waits.run_id, "interrupt.resolved")["resumeValue"] == default


def test_a_file_is_text_that_an_error_keeps(sign_in: SignIn) -> None:
    url: JsonObject = {"type": "string", "format": "data-url"}
    schema: JsonObject = {
        "type": "object",
        "properties": {"scan": {"type": "string", "contentEncoding": "base64"}, "photo": url, "n": {"type": "integer"}},
    }
    waits, client = asked("custom", {"customKind": "sms"}, resumeSchema=schema), sign_in()
    typed = {"v:#/scan": "aGk=" * 100_000, "v:#/photo": "data:text/plain;base64,aGk="}
    refused = send(client, page_of(waits), {**typed, "v:#/n": "x"})
    assert refused.status_code == 422
    pickers = [attrs for _tag, attrs in read(refused).tags if attrs.get("type") == "file"]
    assert [(attrs.get("data-as"), attrs.get("name")) for attrs in pickers] == [("base64", None), ("data-url", None)]
    send(client, page_of(waits), {**fields_of(refused), "v:#/n": "1"})
    value = {"scan": typed["v:#/scan"], "photo": typed["v:#/photo"], "n": 1}
    assert last(waits.run_id, "interrupt.resolved")["resumeValue"] == value


@pytest.mark.parametrize(("count", "boxes"), [(200, 0), (201, 2)])
def test_a_long_list_of_options_can_be_narrowed(sign_in: SignIn, count: int, boxes: int) -> None:
    options: JsonObject = {"enum": [f"Town {number}" for number in range(count)]}
    several: JsonObject = {"type": "array", "uniqueItems": True, "items": options}
    schema: JsonObject = {"type": "object", "properties": {"home": options, "seen": several}}
    page = sign_in().get(page_of(asked("custom", {"customKind": "sms"}, resumeSchema=schema)))
    found = [attrs for _tag, attrs in read(page).tags if attrs.get("type") == "search"]
    assert [attrs.get("data-filter") for attrs in found] == ["v:#/home", "v:#/seen"][:boxes]
    assert "name" not in {name for attrs in found for name in attrs}


def test_the_enter_key_sends_nothing(sign_in: SignIn) -> None:
    client = sign_in()
    run_id, url = five_questions(client)
    page = send(client, url, GOOD, "check")
    assert page.status_code == 200
    assert "Nothing was sent." in text_of(page)
    assert status(run_id) == "waiting-input"


def test_an_answer_to_another_question_decides_nothing(sign_in: SignIn) -> None:
    waits = asked("custom", LEAST["custom"])
    refused = press(sign_in(), page_of(waits), {"shown": "0" * 64, "op": "submit", "j:#": "1"})
    assert refused.status_code == 409
    assert "The question has changed" in text_of(refused)
    assert status(waits.run_id) == "waiting-approval"


def test_who_comes_second_keeps_what_they_typed(sign_in: SignIn) -> None:
    waits = asked("custom", LEAST["custom"])
    client, url = sign_in(), page_of(waits)
    shown = hidden(client.get(url), "shown")
    reply(actor("bob"), waits.run_id, {"first": True})
    late = press(client, url, {"shown": shown, "op": "submit", "j:#": '{"mine": 1}'})
    assert late.status_code == 409
    assert "bob answered on" in text_of(late)
    assert '{"mine": 1}' in text_of(late)
    assert "bob answered this." in text_of(client.get(url))


def test_what_was_filled_in_comes_back_after_signing_in_again(sign_in: SignIn) -> None:
    client = sign_in()
    _run_id, url = five_questions(client)
    typed = {**fields_of(client.get(url)), **GOOD, "r:#/answers/line": ["k1", "k2"], "v:#/answers/line/@k2": "b"}
    typed["v:#/answers/when"] = ["2031-05-17", "14:30", ""]
    client.logout()
    refused = press(client, url, {**typed, "op": "submit"})
    assert refused.status_code == 403
    assert "name Ann" in text_of(refused)
    person = User.objects.get(username="ann")
    person.set_password("secret-pass-1")
    person.save(update_fields=["password"])
    entered = {name: texts[-1] for name, texts in fields_of(refused).items()}
    entered |= {"username": "ann", "password": "secret-pass-1"}
    assert client.post("/accounts/login/", entered).status_code == 302
    back = fields_of(client.get(url))
    assert back["r:#/answers/line"] == ["k1", "k2"]
    assert back["v:#/answers/when"] == ["2031-05-17", "14:30", ""]
    assert (back["v:#/answers/line/@k2"], back["v:#/answers/gift"]) == (["b"], ["false"])


def test_a_link_to_a_question_is_made_in_the_inbox(sign_in: SignIn) -> None:
    waits, client = asked("custom", LEAST["custom"]), sign_in()
    approver = fields_of(client.get(page_of(waits)))["approver"][0]
    made = press(client, f"{page_of(waits)}link/", {"approver": approver})
    assert made.status_code == 200
    assert "/interrupts/ow2." in made.content.decode()


def test_who_comes_too_late_is_told_so(sign_in: SignIn, clock: time_machine.Traveller) -> None:
    waits = asked("custom", LEAST["custom"], timeoutMs=600_000)
    client, url = sign_in(), page_of(waits)
    assert "If nobody answers by then, this step of the run fails." in text_of(client.get(url))
    shown = hidden(client.get(url), "shown")
    clock.move_to(after(minutes=10))
    late = press(client, url, {"shown": shown, "op": "submit", "j:#": "1"})
    assert late.status_code == 410
    assert "Nobody answered in time" in text_of(late)
    assert status(waits.run_id) == "failed"


@pytest.mark.parametrize("value", ['<script>alert("x")</script>', "\u202egnp.exe", "{{ request }}", "' onload='x"])
def test_what_others_wrote_is_text_and_nothing_else(sign_in: SignIn, value: str) -> None:
    data: JsonObject = {"questions": [{"id": value, "question": value, "schema": {"enum": [value, "b"]}}]}
    client = sign_in()
    custom: JsonObject = {"customKind": value, "payload": {value: value}}
    for kind, asks in (("clarification", data), ("custom", custom)):
        waits = suspension(start_flow(one_interrupt(kind, asks, kind)), "ask")
        page = client.get(page_of(waits))
        scripts = [str(attrs.get("src")) for tag, attrs in read(page).tags if tag == "script"]
        assert scripts == ["/static/js/times.js", "/static/js/form.js"]
        assert "\u202e" not in page.content.decode()
        assert not any(name.startswith("on") for _tag, attrs in read(page).tags for name in attrs)
        field = f"v:{child('#/answers', value)}" if kind == "clarification" else "j:#"
        assert send(client, page_of(waits), {field: "0"}).status_code == 302


def test_the_page_of_the_run_names_each_question(sign_in: SignIn) -> None:
    waits = asked("external-event", LEAST["external-event"])
    client = sign_in()
    run_page = next(link for link in links(client.get(page_of(waits))) if link.startswith("/inbox/runs/"))
    assert "order.paid" in text_of(client.get(run_page))
    send(client, page_of(waits), {"j:#": json.dumps({"orderId": "7"})})
    assert "ann answered at “Ask”." in text_of(client.get(run_page))


def test_a_question_of_another_tenant_is_not_there(sign_in: SignIn) -> None:
    run_id = start_flow(one_interrupt("custom", LEAST["custom"]), by=actor("olga", of="globex"))
    url = page_of(suspension(run_id, "ask"))
    assert sign_in().get(url).status_code == 404
    assert sign_in().post(url, {"op": "submit", "j:#": "1"}).status_code == 404
    assert status(run_id) == "waiting-approval"
