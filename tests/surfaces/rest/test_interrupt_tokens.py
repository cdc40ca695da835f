"""GET and POST /interrupts/{token}, and the minting of tokens (interrupt.md §Tokens; cases D, G12, G14-G20, G26)."""

from __future__ import annotations

import random
import string
from collections.abc import Iterator
from typing import Any

import pytest
import time_machine

from interrupts.services.tokens import Claims, Intent, mint
from tests import factories
from tests.factories import NOW, after, edge, gate_node, node, one_gate, suspension, sweep, workflow
from tests.surfaces.rest.api import KEY, Answer, Api, wire

EVENT = {"eventType": "payment.settled", "correlation": {"orderId": "7"}}
ACCEPT = {"resumeValue": {"action": "accept"}}
RING = {"k2": "the-new-key-of-32-characters-or-more", "k1": "an-old-key-of-32-characters-or-more"}


@pytest.fixture(autouse=True)
def clock(settings: Any) -> Iterator[time_machine.Traveller]:
    """The clock stands still at ``NOW``; the key ring is the test's own."""
    settings.WOP_TOKEN_KEYS = RING
    with time_machine.travel(NOW, tick=False) as traveller:
        yield traveller


def minted(api: Api, run_id: str, at: str = "gate", **body: str) -> Answer:
    return api.post(f"/host/wopsite/runs/{wire(run_id)}/interrupts/{at}/links", body)


def token(api: Api, run_id: str, at: str = "gate", **body: str) -> str:
    return str(minted(api, run_id, at, **body).body["token"])


def start(document: Any) -> str:
    return factories.start_flow(document)


def log_of(run_id: str) -> list[str]:
    return factories.trail(run_id)


# --- Minting ----------------------------------------------------------------------------------------------------------


def test_a_link_is_minted_with_its_address_and_its_end(api: Api, gate_run: str) -> None:
    answer = minted(api, gate_run)
    assert answer.status == 201
    assert answer.fits("mint-link-response")
    made = answer.body["token"]
    assert answer.body == {
        "token": made,
        "url": f"http://testserver/interrupts/{made}",
        "intent": "resolve",
        "expiresAt": "2026-03-02T09:30:00.000Z",
    }
    assert answer.headers["Cache-Control"] == "no-store"


def test_the_body_may_be_left_out(api: Api, gate_run: str) -> None:
    assert api.send("POST", f"/host/wopsite/runs/{wire(gate_run)}/interrupts/gate/links").status == 201


def test_a_links_address_is_the_configured_one(api: Api, gate_run: str, settings: Any) -> None:
    settings.WOP_PUBLIC_URL = "https://wop.example.org"
    assert minted(api, gate_run).body["url"].startswith("https://wop.example.org/interrupts/ow2.hs256.k2.")


def test_no_link_leads_to_a_host_that_is_not_ours(api: Api, gate_run: str) -> None:
    path = f"/host/wopsite/runs/{wire(gate_run)}/interrupts/gate/links"
    api.post(path, {}, Host="evil.example").refused(400, "validation_error")


def test_a_links_life_is_capped_by_the_deadline(api: Api) -> None:
    run_id = start(one_gate(timeoutMs=90_000))
    assert minted(api, run_id).body["expiresAt"] == "2026-03-02T09:01:30.000Z"


@pytest.mark.parametrize(
    "body", [{"intent": "decide"}, {"approver": ""}, {"approver": 7}, {"more": 1}, [], {"approver": "nobody"}]
)
def test_a_link_for_no_member_or_no_intent_is_refused(api: Api, gate_run: str, body: Any) -> None:
    path = f"/host/wopsite/runs/{wire(gate_run)}/interrupts/gate/links"
    api.post(path, body).refused(400, "validation_error")


def test_minting_needs_the_scope_the_tenant_and_something_that_waits(api: Api, stranger: Api, gate_run: str) -> None:
    minted(Api(), gate_run).refused(401, "unauthenticated")
    reader = Api(factories.api_key("rita", scopes=["runs:read", "runs:create"]))
    assert minted(reader, gate_run).refused(403, "forbidden") == {"scopeRequired": "approvals:respond"}
    minted(stranger, gate_run).refused(403, "id_tenant_mismatch")
    minted(api, "acme/r-0123456789abcdef").refused(404, "not_found")
    minted(api, gate_run, "other").refused(404, "not_found")
    api.post(f"/runs/{wire(gate_run)}/cancel", {})
    minted(api, gate_run).refused(409, "interrupt_already_resolved")


def test_a_repeated_request_is_given_the_same_link(api: Api, gate_run: str, clock: time_machine.Traveller) -> None:
    path = f"/host/wopsite/runs/{wire(gate_run)}/interrupts/gate/links"
    first = api.post(path, {"intent": "inspect"}, Idempotency_Key=KEY)
    clock.shift(60)
    again = api.post(path, {"intent": "inspect"}, Idempotency_Key=KEY)
    assert (again.status, again.body, again.headers["OpenWOP-Idempotent-Replay"]) == (201, first.body, "true")
    assert first.body["token"] != api.post(path, {"intent": "inspect"}).body["token"]
    api.post(path, {"intent": "resolve"}, Idempotency_Key=KEY).refused(409, "idempotency_key_mismatch")


def test_no_answer_of_the_protocol_holds_a_token(api: Api, gate_run: str) -> None:
    made = token(api, gate_run)
    api.post(f"/interrupts/{made}", {"resumeValue": {"action": "ask"}}, Idempotency_Key=KEY)
    for path in (f"/runs/{wire(gate_run)}", f"/runs/{wire(gate_run)}/events/poll?timeout=0", f"/interrupts/{made}"):
        assert b"ow2." not in api.get(path).raw


# --- Looking ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("intent", ["resolve", "inspect"])
def test_a_link_shows_the_payload_as_it_was_requested(api: Api, anonymous: Api, gate_run: str, intent: str) -> None:
    made = token(api, gate_run, intent=intent)
    for _ in range(2):
        answer = anonymous.get(f"/interrupts/{made}")
        assert (answer.status, answer.fits("suspend-request")) == (200, True)
        assert answer.body == factories.last(gate_run, "interrupt.requested")
        assert answer.headers["Cache-Control"] == "no-store"


def test_looking_decides_nothing_whatever_the_method(api: Api, anonymous: Api, gate_run: str) -> None:
    made, before = token(api, gate_run), log_of(gate_run)
    assert anonymous.get(f"/interrupts/{made}").status == 200
    assert anonymous.send("HEAD", f"/interrupts/{made}").status == 200
    for method in ("OPTIONS", "PUT", "PATCH", "DELETE"):
        anonymous.send(method, f"/interrupts/{made}", b'{"resumeValue": {"action": "accept"}}').refused(
            404, "not_found"
        )
    bots = {"User_Agent": "Slackbot-LinkExpanding 1.0", "Purpose": "prefetch", "Sec_Purpose": "prefetch;prerender"}
    assert anonymous.get(f"/interrupts/{made}?action=accept", **bots).status == 200
    assert log_of(gate_run) == before


# --- Answering --------------------------------------------------------------------------------------------------------


def test_a_link_answers_without_any_other_credential(api: Api, anonymous: Api, gate_run: str) -> None:
    answer = anonymous.post(f"/interrupts/{token(api, gate_run)}", ACCEPT)
    assert (answer.status, answer.fits("resolve-interrupt-response")) == (200, True)
    assert answer.body == {"runId": gate_run, "nodeId": "gate", "status": "completed"}
    assert "resolvedBy" not in factories.last(gate_run, "interrupt.resolved")


@pytest.mark.parametrize(
    ("kind", "data", "wrong", "value"),
    [
        ("custom", {"customKind": "sms"}, None, {"any": "thing"}),
        ("external-event", EVENT, {"orderId": "8"}, {"orderId": "7", "paid": True}),
    ],
)
def test_other_kinds_are_answered_by_link_too(
    api: Api, anonymous: Api, kind: str, data: Any, wrong: Any, value: Any
) -> None:
    run_id = start(factories.one_interrupt(kind, data))
    made = token(api, run_id, "ask")
    assert anonymous.get(f"/interrupts/{made}").body["data"] == data
    if wrong is not None:
        anonymous.post(f"/interrupts/{made}", {"resumeValue": wrong}).refused(400, "validation_error")
    assert anonymous.post(f"/interrupts/{made}", {"resumeValue": value}).body["status"] == "completed"
    resolved = factories.last(run_id, "interrupt.resolved")
    assert resolved["resumeValue"] == value
    assert "resolvedBy" not in resolved


def test_a_bearer_beside_the_token_counts_for_nothing(api: Api, gate_run: str) -> None:
    made = token(api, gate_run)
    assert Api("wop_000000000000_wrong").get(f"/interrupts/{made}").status == 200
    assert api.post(f"/interrupts/{made}", ACCEPT).status == 200
    assert "resolvedBy" not in factories.last(gate_run, "interrupt.resolved")


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"resumeValue": {"action": "accept"}, "more": 1},
        [],
        None,
        {"resumeValue": None},
        {"resumeValue": {"action": "timeout"}},
        {"resumeValue": {"action": "refine"}},
        {"resumeValue": {"action": "edit-accept"}},
    ],
)
def test_a_body_or_value_that_does_not_fit_changes_nothing(api: Api, anonymous: Api, gate_run: str, body: Any) -> None:
    made = token(api, gate_run)
    anonymous.post(f"/interrupts/{made}", body).refused(400, "validation_error")
    anonymous.send("POST", f"/interrupts/{made}", b"{").refused(400, "validation_error")
    assert factories.status(gate_run) == "waiting-approval"


def test_a_gate_that_names_approvers_is_answered_by_their_links_alone(api: Api, anonymous: Api) -> None:
    for name in ("ann", "ben"):
        factories.member(name)
    run_id = start(one_gate(approversList=["ann"]))
    for made in (token(api, run_id), token(api, run_id, approver="ben"), token(api, run_id, approver="olga")):
        anonymous.post(f"/interrupts/{made}", ACCEPT).refused(403, "forbidden")
    assert factories.status(run_id) == "waiting-approval"
    assert anonymous.post(f"/interrupts/{token(api, run_id, approver='ann')}", ACCEPT).body["status"] == "completed"


def test_a_quorum_by_links_needs_as_many_people(api: Api, anonymous: Api) -> None:
    for name in ("ann", "ben"):
        factories.member(name)
    run_id = start(one_gate(approversList=["ann", "ben"], requiredApprovals=2))
    for _ in range(3):
        made = token(api, run_id, approver="ann")
        assert anonymous.post(f"/interrupts/{made}", ACCEPT).body["status"] == "waiting-approval"
    assert anonymous.post(f"/interrupts/{token(api, run_id, approver='ben')}", ACCEPT).body["status"] == "completed"


def test_an_inspecting_link_answers_nothing(api: Api, anonymous: Api, gate_run: str) -> None:
    made = token(api, gate_run, intent="inspect")
    anonymous.post(f"/interrupts/{made}", ACCEPT).refused(403, "forbidden")
    anonymous.send("POST", f"/interrupts/{made}", b"{").refused(403, "forbidden")
    assert factories.status(gate_run) == "waiting-approval"


# --- What is no longer, or was never, a way in ------------------------------------------------------------------------


def both(anonymous: Api, made: str, status: int, code: str) -> None:
    anonymous.get(f"/interrupts/{made}").refused(status, code)
    anonymous.post(f"/interrupts/{made}", ACCEPT).refused(status, code)
    # A body that cannot be read does not change what is wrong with the token.
    anonymous.send("POST", f"/interrupts/{made}", b"{").refused(status, code)
    assert anonymous.send("HEAD", f"/interrupts/{made}").status == status


ENDINGS: dict[str, list[tuple[str, Any]]] = {
    "resolved": [("interrupts/gate", ACCEPT)],
    "cancelled": [("cancel", {})],
    "completed": [("interrupts/gate", ACCEPT), ("interrupts/other", ACCEPT)],
    "failed": [("interrupts/other", {"resumeValue": {"action": "reject"}})],
}


@pytest.mark.parametrize("end", ENDINGS)
def test_a_link_is_dead_after_each_way_to_end(
    api: Api, anonymous: Api, clock: time_machine.Traveller, end: str
) -> None:
    run_id = start(workflow([gate_node(), gate_node("other")]))
    dead = token(api, run_id)
    for path, body in ENDINGS[end]:
        assert api.post(f"/runs/{wire(run_id)}/{path}", body).status == 200
    assert factories.status(run_id) == ("waiting-approval" if end == "resolved" else end)
    both(anonymous, dead, 409, "interrupt_already_resolved")
    clock.move_to(after(minutes=30))
    both(anonymous, dead, 410, "interrupt_expired")


def test_an_expired_link_is_told_so(api: Api, anonymous: Api, gate_run: str, clock: time_machine.Traveller) -> None:
    made = token(api, gate_run)
    clock.move_to(after(minutes=29, seconds=59))
    assert anonymous.get(f"/interrupts/{made}").status == 200
    clock.move_to(after(minutes=30))
    both(anonymous, made, 410, "interrupt_expired")
    assert factories.status(gate_run) == "waiting-approval"


def test_a_link_ends_at_the_deadline_before_and_after_the_sweep(
    api: Api, anonymous: Api, clock: time_machine.Traveller
) -> None:
    made = token(api, start(one_gate(timeoutMs=60_000)))
    clock.move_to(after(minutes=1))
    both(anonymous, made, 410, "interrupt_expired")
    sweep(now=after(minutes=1))
    both(anonymous, made, 410, "interrupt_expired")


def test_a_link_to_one_gate_answers_no_other(api: Api, anonymous: Api) -> None:
    nodes = [node("start"), gate_node(), gate_node("second"), node("rework")]
    edges = [
        edge("start", "gate", "any_success"),
        edge("gate", "second"),
        edge("gate", "rework", "any_failed"),
        edge("rework", "gate", "any_success"),
    ]
    run_id = start(workflow(nodes, edges))
    first = token(api, run_id)
    anonymous.post(f"/interrupts/{first}", {"resumeValue": {"action": "reject"}})
    again = token(api, run_id)
    both(anonymous, first, 409, "interrupt_already_resolved")
    assert anonymous.post(f"/interrupts/{again}", ACCEPT).body["status"] == "waiting-approval"
    both(anonymous, again, 409, "interrupt_already_resolved")
    assert suspension(run_id, "second").outcome is None


def test_a_signed_token_that_mixes_two_interrupts_is_a_dead_one(api: Api, anonymous: Api) -> None:
    one, other = start(one_gate()), start(one_gate("other"))
    mixed = Claims(one, "gate", suspension(other).pk, after(minutes=5), Intent.RESOLVE)
    both(anonymous, mint(mixed), 409, "interrupt_already_resolved")


def test_a_token_of_a_dropped_or_unheld_key_is_refused(api: Api, anonymous: Api, gate_run: str, settings: Any) -> None:
    made = token(api, gate_run)
    settings.WOP_TOKEN_KEYS = {"k3": "a-third-key-of-32-characters-or-more", "k2": RING["k2"]}
    assert anonymous.get(f"/interrupts/{made}").status == 200
    settings.WOP_TOKEN_KEYS = {"k3": "a-third-key-of-32-characters-or-more"}
    both(anonymous, made, 401, "interrupt_token_invalid")


def test_the_probes_of_the_public_suite_are_answered_as_it_asks(anonymous: Api) -> None:
    """Cases D 17 and D 18."""
    for made in (
        "b3BlbndvcC1jb25mb3JtYW5jZQ.0123456789abcdef0123456789abcdef",
        "ow2.hs256.nokid.b3BlbndvcC1jb25mb3JtYW5jZQ.0123456789abcdef0123456789abcdef",
    ):
        both(anonymous, made, 401, "interrupt_token_invalid")


def test_a_forged_token_is_refused_before_anything_is_looked_at(
    api: Api, anonymous: Api, gate_run: str, django_assert_num_queries: Any
) -> None:
    made = token(api, gate_run)
    head, _, mac = made.rpartition(".")
    for forged in (
        f"{head}.{mac[:-1]}",
        f"{head}.{mac}A",
        f"{head}.",
        head,
        made.swapcase(),
        f"{made}%3D",
        f"{made}%0A",
    ):
        with django_assert_num_queries(0):
            both(anonymous, forged, 401, "interrupt_token_invalid")
    anonymous.post(f"/interrupts/{head}.x", ACCEPT, Idempotency_Key="short").refused(401, "interrupt_token_invalid")


def test_random_tokens_are_refused_and_never_a_fault(anonymous: Api) -> None:
    source = random.Random(7)
    characters = string.ascii_letters + string.digits + "-_.~!$&'()*+,;=:@"
    for _ in range(300):
        head = source.choice(("", "ow2.", "ow2.hs256.k2.", "ow2.hs256."))
        made = head + "".join(source.choices(characters, k=source.randrange(1, 80)))
        anonymous.get(f"/interrupts/{made}").refused(401, "interrupt_token_invalid")
        anonymous.post(f"/interrupts/{made}", ACCEPT).refused(401, "interrupt_token_invalid")
    for strange in ("%FF%FE", "%00", "%ED%A0%80", "x" * 7000, "%F0%9F%98%80", ".", "...."):
        answer = anonymous.get(f"/interrupts/{strange}")
        assert answer.status in (401, 404)


# --- Idempotency ------------------------------------------------------------------------------------------------------


def test_a_repeated_answer_is_given_the_same_outcome(
    api: Api, anonymous: Api, gate_run: str, clock: time_machine.Traveller
) -> None:
    made = token(api, gate_run)
    first = anonymous.post(f"/interrupts/{made}", ACCEPT, Idempotency_Key=KEY)
    clock.move_to(after(hours=1))
    again = anonymous.post(f"/interrupts/{made}", ACCEPT, Idempotency_Key=KEY)
    assert (first.status, again.status, again.body) == (200, 200, first.body)
    assert "OpenWOP-Idempotent-Replay" not in first.headers
    assert again.headers["OpenWOP-Idempotent-Replay"] == "true"
    assert log_of(gate_run).count("interrupt.resolved gate") == 1


def test_a_kept_refusal_is_marked_as_given_again(api: Api, anonymous: Api, gate_run: str) -> None:
    made = token(api, gate_run)
    api.post(f"/runs/{wire(gate_run)}/cancel", {})
    for is_replay in (False, True):
        answer = anonymous.post(f"/interrupts/{made}", ACCEPT, Idempotency_Key=KEY)
        answer.refused(409, "interrupt_already_resolved")
        assert ("OpenWOP-Idempotent-Replay" in answer.headers) == is_replay


def test_a_key_with_another_body_or_out_of_its_grammar_is_refused(api: Api, anonymous: Api, gate_run: str) -> None:
    made = token(api, gate_run)
    anonymous.post(f"/interrupts/{made}", ACCEPT, Idempotency_Key="short").refused(400, "idempotency_key_invalid")
    anonymous.post(f"/interrupts/{made}", {"resumeValue": {"action": "ask"}}, Idempotency_Key=KEY)
    anonymous.post(f"/interrupts/{made}", ACCEPT, Idempotency_Key=KEY).refused(409, "idempotency_key_mismatch")
    assert anonymous.post(f"/interrupts/{made}", ACCEPT).status == 200


def test_a_key_used_on_the_run_does_not_count_on_the_link(api: Api, anonymous: Api, gate_run: str) -> None:
    made = token(api, gate_run)
    ask = {"resumeValue": {"action": "ask"}}
    assert api.post(f"/runs/{wire(gate_run)}/interrupts/gate", ask, Idempotency_Key=KEY).status == 200
    assert anonymous.post(f"/interrupts/{made}", ACCEPT, Idempotency_Key=KEY).body["status"] == "completed"
