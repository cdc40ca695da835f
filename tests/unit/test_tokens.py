"""Signed links as texts: what is authentic, and everything that is not (interrupt.md §Tokens, cases G14, G17, G19)."""

from __future__ import annotations

import base64
import hashlib
import hmac
import inspect
import json
import random
import string
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interrupts.errors import InterruptTokenInvalid
from interrupts.services import tokens
from interrupts.services.tokens import Claims, Intent
from tests.factories import NOW, after

OLD = "an-old-key-of-32-characters-or-more"
NEW = "the-new-key-of-32-characters-or-more"
V1 = "the-key-of-a-v1-host-32-characters-"
ALPHABET = string.ascii_letters + string.digits + "-_"

CLAIMS = Claims(
    run_id="acme/r-0123456789abcdef0123456789abcdef",
    node_id="gate",
    interrupt_id="acme/i-0123456789abcdef0123456789abcdef",
    expires_at=after(minutes=30),
    intent=Intent.RESOLVE,
    approver="u-0123456789abcdef01234567",
)


@pytest.fixture(autouse=True)
def ring(settings: Any) -> None:
    settings.WOP_TOKEN_KEYS = {"k2": NEW, "k1": OLD}


def encoded(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def signed(head: str, secret: str) -> str:
    """A token whose MAC is right, whatever it says."""
    return f"{head}.{encoded(hmac.digest(secret.encode(), head.encode(), 'sha256'))}"


def v1(members: object, secret: str = V1) -> str:
    payload = encoded(json.dumps(members).encode())
    return f"{payload}.{hmac.digest(secret.encode(), payload.encode(), 'sha256').hex()}"


def v1_members(**other: object) -> dict[str, object]:
    members = {
        "runId": CLAIMS.run_id,
        "nodeId": CLAIMS.node_id,
        "interruptId": CLAIMS.interrupt_id,
        "expiresAt": "2026-03-02T09:30:00.000Z",
        "intent": "resolve",
    }
    return {**members, **other}


def is_refused(token: str) -> bool:
    try:
        tokens.read(token)
    except InterruptTokenInvalid:
        return True
    return False


# --- Our own ----------------------------------------------------------------------------------------------------------

texts = st.text(st.characters(codec="utf-8"), max_size=40).filter(str.isprintable)
claims = st.builds(
    Claims,
    run_id=texts,
    node_id=texts,
    interrupt_id=texts,
    expires_at=st.integers(0, 10**12).map(lambda milliseconds: NOW + timedelta(milliseconds=milliseconds)),
    intent=st.sampled_from(Intent),
    approver=texts,
)


@given(claims)
def test_what_was_minted_is_read_as_it_was(made: Claims) -> None:
    assert tokens.read(tokens.mint(made)) == made


def test_a_token_has_the_grammar_of_the_protocol() -> None:
    prefix, algorithm, kid, payload, mac = tokens.mint(CLAIMS).split(".")
    assert (prefix, algorithm, kid) == ("ow2", "hs256", "k2")
    assert json.loads(base64.urlsafe_b64decode(payload + "==")) == {
        "runId": CLAIMS.run_id,
        "nodeId": "gate",
        "interruptId": CLAIMS.interrupt_id,
        "expiresAt": "2026-03-02T09:30:00.000Z",
        "intent": "resolve",
        "approver": CLAIMS.approver,
    }
    head = f"ow2.hs256.k2.{payload}"
    assert mac == encoded(hmac.new(NEW.encode(), head.encode(), hashlib.sha256).digest())
    assert set(payload + mac) <= set(ALPHABET)


def test_a_token_that_names_nobody_has_no_approver() -> None:
    token = tokens.mint(Claims(**{name: getattr(CLAIMS, name) for name in Claims.__slots__} | {"approver": ""}))
    assert "approver" not in base64.urlsafe_b64decode(token.split(".")[3] + "==").decode()
    assert tokens.read(token).approver == ""


@pytest.mark.parametrize(
    ("deadline", "end"),
    [
        (None, after(minutes=30)),
        (after(minutes=31), after(minutes=30)),
        (after(minutes=5), after(minutes=5)),
        (NOW, NOW),
    ],
)
def test_a_token_ends_after_half_an_hour_and_never_past_the_deadline(deadline: datetime | None, end: datetime) -> None:
    assert tokens.expiry(deadline=deadline, now=NOW) == end


def test_what_is_written_into_a_token_is_never_later_than_its_end() -> None:
    deadline = NOW + timedelta(microseconds=1999)
    made = Claims(CLAIMS.run_id, "gate", CLAIMS.interrupt_id, deadline, Intent.RESOLVE)
    assert tokens.read(tokens.mint(made)).expires_at == NOW + timedelta(milliseconds=1)


# --- Not ours ---------------------------------------------------------------------------------------------------------


def test_no_character_of_a_token_can_be_changed() -> None:
    token = tokens.mint(CLAIMS)
    for place, original in enumerate(token):
        for other in {*ALPHABET, ".", "=", "+", "/", "%", " ", "\n", "é"} - {original}:
            assert is_refused(token[:place] + other + token[place + 1 :]), (place, other)


def test_no_character_of_a_token_can_be_left_out_or_doubled() -> None:
    token = tokens.mint(CLAIMS)
    for place in range(len(token)):
        assert is_refused(token[:place] + token[place + 1 :]), place
        assert is_refused(token[:place] + token[place] + token[place:]), place
        assert is_refused(token[:place]), place


def test_the_last_character_of_the_mac_has_one_spelling() -> None:
    """32 bytes leave two bits of the last character unused: four characters decode alike, and one is right."""
    token = tokens.mint(CLAIMS)
    mac = base64.urlsafe_b64decode(token.split(".")[4] + "=")
    alike = [c for c in ALPHABET if base64.urlsafe_b64decode(token[:-1].split(".")[-1] + c + "=") == mac]
    assert len(alike) == 4
    assert [c for c in alike if not is_refused(token[:-1] + c)] == [token[-1]]


@pytest.mark.parametrize("change", ["pad", "pad mac", "standard", "hex", "upper", "spaces", "quoted"])
def test_a_token_written_in_another_way_is_refused(change: str) -> None:
    head, _, mac = tokens.mint(CLAIMS).rpartition(".")
    raw = base64.urlsafe_b64decode(mac + "=")
    payload = head.rpartition(".")[2]
    changed = {
        "pad": signed(f"{head}{'=' * (-len(payload) % 4 or 4)}", NEW),
        "pad mac": f"{head}.{mac}=",
        "standard": f"{head}.{base64.b64encode(raw).decode()}",
        "hex": f"{head}.{raw.hex()}",
        "upper": f"{head}.{mac}".upper(),
        "spaces": f" {head}.{mac}",
        "quoted": f"%6fw2{head[3:]}.{mac}",
    }
    assert is_refused(changed[change])


@pytest.mark.parametrize(
    "change",
    [
        lambda t: t + ".",
        lambda t: t + ".x",
        lambda t: t.replace("ow2.", "ow2..", 1),
        lambda t: t.replace(".k2.", ".", 1),
        lambda t: t.replace(".k2.", ".k.2.", 1),
        lambda t: t.replace("hs256", "none", 1),
        lambda t: t.replace("hs256", "HS256", 1),
        lambda t: t.replace("hs256", "hs512", 1),
        lambda t: t.replace("ow2", "ow3", 1),
        lambda t: t.replace("ow2", "OW2", 1),
        lambda t: t.removeprefix("ow2."),
        lambda t: t.replace("k2", "k1", 1),
        lambda t: t.replace("k2", "", 1),
        lambda t: t.replace("k2", "__class__", 1),
    ],
)
def test_other_segments_algorithms_or_kids_are_refused(change: Any) -> None:
    assert is_refused(change(tokens.mint(CLAIMS)))


def test_no_algorithm_and_no_mac_is_no_way_in() -> None:
    payload = tokens.mint(CLAIMS).split(".")[3]
    for head in (f"ow2.none.k2.{payload}", f"ow2.hs256.k2.{payload}"):
        assert is_refused(f"{head}.")
        assert is_refused(head)


@pytest.mark.parametrize("secret", ["", "k2", OLD, "0" * 32])
def test_a_token_signed_with_another_secret_is_refused(secret: str) -> None:
    head = tokens.mint(CLAIMS).rpartition(".")[0]
    assert is_refused(signed(head, secret))
    assert not is_refused(signed(head, NEW))


@pytest.mark.parametrize(
    "payload",
    [
        b"",
        b"{",
        b"\xff",
        b"[]",
        b"null",
        b"[" * 1500,
        json.dumps(v1_members(intent="decide")).encode(),
        json.dumps(v1_members(intent=["resolve"])).encode(),
        json.dumps(v1_members(interruptId=7)).encode(),
        json.dumps(v1_members(interruptId="a\0b")).encode(),
        json.dumps(v1_members(interruptId="\ud800")).encode(),
        json.dumps(v1_members(approver=None)).encode(),
        json.dumps(v1_members(expiresAt=1_772_443_800)).encode(),
        json.dumps(v1_members(expiresAt="soon")).encode(),
        json.dumps(v1_members(expiresAt="2026-03-02T09:30:00")).encode(),
        json.dumps({name: value for name, value in v1_members().items() if name != "expiresAt"}).encode(),
    ],
)
def test_a_signed_payload_of_another_form_is_refused(payload: bytes) -> None:
    assert is_refused(signed(f"ow2.hs256.k2.{encoded(payload)}", NEW))


def test_a_token_longer_than_any_of_ours_is_refused_unread() -> None:
    assert is_refused(signed("ow2.hs256.k2." + encoded(json.dumps(v1_members(more="x" * 5000)).encode()), NEW))


@given(st.one_of(st.text(), st.text(ALPHABET + ".="), st.text(ALPHABET + ".").map(lambda t: f"ow2.hs256.k2.{t}")))
def test_no_text_is_anything_but_refused(text: str) -> None:
    assert is_refused(text)


def test_a_hundred_thousand_random_tokens_are_refused_and_nothing_else_happens() -> None:
    source = random.Random(20260302)
    heads = ["", "ow2.", "ow2.hs256.", "ow2.hs256.k2.", "ow2.hs256.nokid.", "eyJ"]
    characters = ALPHABET + "..==+/~%é\0 "
    found = 0
    for _ in range(100_000):
        token = source.choice(heads) + "".join(source.choices(characters, k=source.randrange(60)))
        found += not is_refused(token)
    assert found == 0


def test_macs_are_compared_in_constant_time() -> None:
    """A comparison that stops at the first difference would tell a forger how far they are. (G19, by review.)"""
    source = inspect.getsource(tokens)
    assert source.count("hmac.compare_digest") == 2
    assert "mac ==" not in source
    assert "mac !=" not in source


# --- The key ring -----------------------------------------------------------------------------------------------------


def test_the_first_key_signs_and_each_key_verifies(settings: Any) -> None:
    settings.WOP_TOKEN_KEYS = {"k1": OLD}
    before = tokens.mint(CLAIMS)
    settings.WOP_TOKEN_KEYS = {"k2": NEW, "k1": OLD}
    since = tokens.mint(CLAIMS)
    assert (before.split(".")[2], since.split(".")[2]) == ("k1", "k2")
    assert tokens.read(before) == tokens.read(since) == CLAIMS


def test_a_token_ends_with_its_key(settings: Any) -> None:
    settings.WOP_TOKEN_KEYS = {"k1": OLD}
    token = tokens.mint(CLAIMS)
    settings.WOP_TOKEN_KEYS = {"k2": NEW}
    assert is_refused(token)


def test_a_kid_that_gets_another_secret_revokes_what_it_signed(settings: Any) -> None:
    token = tokens.mint(CLAIMS)
    settings.WOP_TOKEN_KEYS = {"k2": OLD}
    assert is_refused(token)


# --- The drain of v1 --------------------------------------------------------------------------------------------------


@pytest.fixture
def legacy(settings: Any) -> None:
    settings.WOP_TOKEN_KEYS = {"k2": NEW, "legacy": V1}


@pytest.mark.usefixtures("legacy")
def test_a_v1_token_is_read_under_the_kid_legacy() -> None:
    read = tokens.read(v1(v1_members(intent="inspect")))
    assert read == Claims(
        CLAIMS.run_id, "gate", CLAIMS.interrupt_id, datetime(2026, 3, 2, 9, 30, tzinfo=UTC), Intent.INSPECT
    )


def test_without_that_key_no_v1_token_is_authentic() -> None:
    assert is_refused(v1(v1_members()))
    assert is_refused(v1(v1_members(), NEW))


@pytest.mark.usefixtures("legacy")
def test_no_character_of_a_v1_token_can_be_changed() -> None:
    token = v1(v1_members())
    for place, original in enumerate(token):
        for other in {*"aAfFzZ09.=-_", "é"} - {original}:
            assert is_refused(token[:place] + other + token[place + 1 :]), (place, other)


@pytest.mark.usefixtures("legacy")
@pytest.mark.parametrize("change", [str.upper, lambda t: t + ".", lambda t: f"x.{t}", lambda t: t.partition(".")[0]])
def test_a_v1_token_written_in_another_way_is_refused(change: Any) -> None:
    assert is_refused(change(v1(v1_members())))


@pytest.mark.usefixtures("legacy")
def test_the_prefix_alone_tells_the_two_schemes_apart() -> None:
    """The legacy key signs nothing of today, and today's keys sign nothing of v1."""
    payload = tokens.mint(CLAIMS).split(".")[3]
    assert is_refused(signed(f"ow2.hs256.legacy.{payload}", V1))
    assert is_refused(signed(f"hs256.k2.{payload}", NEW))
    assert is_refused(f"ow2.{v1(v1_members())}")
    assert is_refused(v1(v1_members(), NEW))


@pytest.mark.usefixtures("legacy")
@pytest.mark.parametrize("members", [[], "x", {}, v1_members(nodeId=None), v1_members(expiresAt="2026-03-02")])
def test_a_v1_payload_of_another_form_is_refused(members: object) -> None:
    assert is_refused(v1(members))


@pytest.mark.usefixtures("legacy")
def test_a_v1_payload_that_is_no_canonical_base64_is_refused() -> None:
    payload = encoded(json.dumps(v1_members()).encode()) + "=="
    assert is_refused(f"{payload}.{hmac.digest(V1.encode(), payload.encode(), 'sha256').hex()}")
