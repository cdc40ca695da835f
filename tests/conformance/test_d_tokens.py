"""Section D, G12, G14, G15 and S2: signed links over HTTP, and what an origin is granted (interrupt.md §Tokens)."""

from __future__ import annotations

import random
from typing import Any
from urllib.parse import quote

import pytest

from tests.live.peer import TERMINAL, Peer, assert_refused, assert_valid, payloads, projected

ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


def mint(suite: Peer, run_id: str, **wish: str) -> str:
    minted = suite.post(f"/host/wopsite/runs/{projected(run_id)}/interrupts/gate/links", wish)
    assert minted.status_code == 201, minted.text
    return str(minted.json()["token"])


def inspect(peer: Peer, token: str) -> Any:
    return peer.get(f"/interrupts/{quote(token, safe='')}")


def resolve(peer: Peer, token: str, action: str = "accept") -> Any:
    return peer.post(f"/interrupts/{quote(token, safe='')}", {"resumeValue": {"action": action}})


def changed(segment: str) -> str:
    return ("A" if segment[0] != "A" else "B") + segment[1:]


def test_g12_a_link_shows_the_payload_that_the_log_holds(suite: Peer, anonymous: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    shown = inspect(anonymous, mint(suite, run_id))
    assert_valid("suspend-request", shown.json())
    (requested,) = payloads(suite.log(run_id), "interrupt.requested")
    assert shown.json() == requested


def test_g14_looking_uses_nothing_up_and_an_answer_decides(suite: Peer, anonymous: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    token = mint(suite, run_id)
    for _ in range(2):
        assert inspect(anonymous, token).status_code == 200
        assert anonymous.send("HEAD", f"/interrupts/{token}").status_code == 200
        assert anonymous.send("OPTIONS", f"/interrupts/{token}").status_code == 404
    assert suite.snapshot(run_id)["status"] == "waiting-approval"
    assert resolve(anonymous, token).status_code == 200
    assert suite.until(run_id, *TERMINAL)["status"] == "completed"


def test_g14_a_token_changed_in_any_segment_is_401(suite: Peer, anonymous: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    other = mint(suite, suite.suspended("conformance-approval")).split(".")
    token = mint(suite, run_id)
    prefix, algorithm, kid, payload, mac = token.split(".")
    forged = [
        f"{prefix}.hs512.{kid}.{payload}.{mac}",
        f"{prefix}.none.{kid}.{payload}.",
        f"{prefix}.{algorithm}.nokid.{payload}.{mac}",
        ".".join([prefix, algorithm, kid, changed(payload), mac]),
        ".".join([prefix, algorithm, kid, payload, changed(mac)]),
        ".".join([prefix, algorithm, kid, other[3], mac]),
        token[:-1],
        token + "=",
        token.replace("ow2", "OW2", 1),
    ]
    for text in forged:
        assert_refused(inspect(anonymous, text), 401, "interrupt_token_invalid")
        assert_refused(resolve(anonymous, text), 401, "interrupt_token_invalid")
    assert suite.snapshot(run_id)["status"] == "waiting-approval"
    suite.cancel(run_id)


@pytest.mark.parametrize("end", ["accept", "reject", "cancel"])
def test_g15_a_token_of_what_is_over_is_409(suite: Peer, anonymous: Peer, end: str) -> None:
    run_id = suite.suspended("conformance-approval")
    token = mint(suite, run_id)
    over = suite.cancel(run_id) if end == "cancel" else suite.answer(run_id, end)
    assert over.status_code == 200
    assert_refused(inspect(anonymous, token), 409, "interrupt_already_resolved")
    assert_refused(resolve(anonymous, token), 409, "interrupt_already_resolved")


def test_g15_a_token_past_its_end_is_410(suite: Peer, anonymous: Peer) -> None:
    run_id = suite.suspended("conformance-approval-timeout")
    token = mint(suite, run_id)
    assert suite.until(run_id, *TERMINAL, seconds=20)["status"] == "failed"
    assert_refused(inspect(anonymous, token), 410, "interrupt_expired")
    assert_refused(resolve(anonymous, token), 410, "interrupt_expired")


def test_a_token_that_only_inspects_resolves_nothing(suite: Peer, anonymous: Peer) -> None:
    run_id = suite.suspended("conformance-approval")
    token = mint(suite, run_id, intent="inspect")
    assert inspect(anonymous, token).status_code == 200
    assert_refused(resolve(anonymous, token), 403, "forbidden")
    suite.cancel(run_id)


def test_random_tokens_are_refused_over_http_and_never_a_fault(anonymous: Peer) -> None:
    source = random.Random(20260302)
    heads = ["", "ow2.", "ow2.hs256.", "ow2.hs256.k.", "eyJ"]
    for _ in range(300):
        text = source.choice(heads) + "".join(source.choices(ALPHABET + "..=%é\0 ", k=source.randrange(1, 80)))
        answer = inspect(anonymous, text)
        assert (answer.status_code, answer.json()["error"]) == (401, "interrupt_token_invalid"), text


def test_case_112_no_origin_is_granted_anything_by_any_operation(suite: Peer, anonymous: Peer) -> None:
    """No grant at all makes the case inapplicable: a page of another site can neither ask nor read."""
    paths: dict[str, dict[str, Any]] = anonymous.get("/openapi.json").json()["paths"]
    for template, operations in paths.items():
        path = template.replace("{", "").replace("}", "")
        for method in operations:
            asked = {
                "Origin": "https://conformance.invalid",
                "Access_Control_Request_Method": method.upper(),
                "Access_Control_Request_Headers": "authorization,content-type,openwop-version,idempotency-key",
            }
            answer = anonymous.send("OPTIONS", path, **asked)
            assert not [name for name in answer.headers if name.lower().startswith("access-control-")], path
