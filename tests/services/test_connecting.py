"""The way to a provider and back (wire contract §22; case 22)."""

from __future__ import annotations

import json
import logging
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.db import connection

from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.errors import (
    AlreadyResolved,
    CapabilityRequired,
    Forbidden,
    NotFound,
    ServiceUnavailable,
    ValidationFailed,
)
from interrupts.kinds import registry
from interrupts.kinds.credential import Credential
from interrupts.models import ConnectAttempt, RunEvent, Suspension
from interrupts.services.connecting import Return, finish_connecting, start_connecting
from interrupts.services.runs import CancelRun, cancel_run
from interrupts.vocabulary import InterruptKind, Scope
from tests.factories import NOW, actor, after, last, node, reply, start_flow, status, trail, workflow
from tests.offers import Accounts, consent, offer_credentials

USES: JsonObject = {"auth": {"type": "oauth2", "provider": "synthetic", "scopes": ["openwop.read"]}}


@pytest.fixture(autouse=True)
def accounts(db: None, monkeypatch: pytest.MonkeyPatch) -> Accounts:
    return offer_credentials(monkeypatch)


@pytest.fixture
def owner() -> Actor:
    return actor("owner")


@pytest.fixture
def run_id(owner: Actor) -> str:
    return start_flow(workflow([node("ask", "conformance.oauth.use", config=USES)]), by=owner)


def go(by: Actor, run_id: str, **when: float) -> dict[str, str]:
    """Go to the provider and consent there: what it sends back."""
    return consent(start_connecting(actor=by, run_id=run_id, node_id="ask", now=after(**when)))


def come_back(by: Actor, sent: dict[str, str], **when: float) -> JsonObject:
    back = Return(by, state=sent["state"], code=sent.get("code", ""))
    return finish_connecting(back=back, now=after(**when))


def test_a_consent_connects_the_account_and_the_host_answers_by_itself(owner: Actor, run_id: str) -> None:
    done = come_back(owner, go(owner, run_id), minutes=1)
    assert done == {"runId": run_id, "nodeId": "ask", "status": "completed"}
    assert last(run_id, "interrupt.resolved")["resumeValue"] == {"outcome": "authorized"}
    names = [line.split()[0] for line in trail(run_id)]
    assert names[-4:] == ["node.resumed", "connector.authorized", "node.completed", "run.completed"]
    assert not ConnectAttempt.objects.exists()


def test_an_owner_who_may_answer_nothing_can_connect_their_account(accounts: Accounts) -> None:
    starter = actor("starter", scopes=[Scope.RUNS_CREATE, Scope.RUNS_READ])
    run_id = start_flow(workflow([node("ask", "conformance.oauth.use", config=USES)]), by=starter)
    assert come_back(starter, go(starter, run_id))["status"] == "completed"


def test_the_provider_is_asked_with_a_challenge_and_a_state_of_256_bits(owner: Actor, run_id: str) -> None:
    first, second = (
        dict(parse_qsl(urlsplit(start_connecting(actor=owner, run_id=run_id, node_id="ask", now=NOW)).query))
        for _ in range(2)
    )
    assert first["redirect_uri"] == "https://wop.example.org/host/wopsite/connected"
    assert first["scope"] == "openwop.read"
    assert len(first["state"]) == 43
    assert {len(first["code_challenge"]), len(second["code_challenge"])} == {43}
    assert first["state"] != second["state"]
    assert first["code_challenge"] != second["code_challenge"]


def test_nobody_but_the_owner_gets_to_the_provider_or_back(owner: Actor, run_id: str) -> None:
    other = actor("other")
    with pytest.raises(Forbidden):
        go(other, run_id)
    assert not ConnectAttempt.objects.exists()
    sent = go(owner, run_id)
    with pytest.raises(Forbidden):
        come_back(other, sent)
    with pytest.raises(ValidationFailed):
        come_back(actor("owner", of="globex"), sent)
    assert come_back(owner, sent)["status"] == "completed"


def test_another_tenants_run_has_no_way_to_a_provider(run_id: str) -> None:
    with pytest.raises(NotFound):
        go(actor("owner", of="globex"), run_id)


def test_a_state_counts_once_ten_minutes_and_only_the_last_one(owner: Actor, run_id: str) -> None:
    replaced, late = go(owner, run_id), go(owner, run_id)
    with pytest.raises(ValidationFailed):
        come_back(owner, replaced)
    with pytest.raises(ValidationFailed):
        come_back(owner, late, minutes=10)
    with pytest.raises(ValidationFailed):
        come_back(owner, late, minutes=9)
    assert status(run_id) == "waiting-input"
    sent = go(owner, run_id)
    come_back(owner, sent, minutes=9)
    with pytest.raises(ValidationFailed):
        come_back(owner, sent, minutes=9)


@pytest.mark.parametrize("state", ["", "x", "\x00", "é" * 5000])
def test_a_state_that_nobody_was_given_leads_nowhere(owner: Actor, run_id: str, state: str) -> None:
    go(owner, run_id)
    with pytest.raises(ValidationFailed):
        come_back(owner, {"state": state, "code": "c"})
    assert ConnectAttempt.objects.count() == 1


def test_who_consents_to_nothing_still_has_the_question(owner: Actor, run_id: str) -> None:
    with pytest.raises(ValidationFailed):
        come_back(owner, {"state": go(owner, run_id)["state"]})
    assert status(run_id) == "waiting-input"
    reply(owner, run_id, {"outcome": "declined"})
    assert status(run_id) == "failed"


def test_a_provider_that_fails_is_told_without_its_words(
    owner: Actor, run_id: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    sent = {**go(owner, run_id), "code": "sk-live-9d1f6a7c2b"}
    with pytest.raises(ServiceUnavailable) as caught:
        come_back(owner, sent)
    assert caught.value.__cause__ is None
    assert "sk-live" not in caught.value.message + caplog.text
    assert sent["state"] not in caplog.text
    assert "fault=RuntimeError" in caplog.text
    assert status(run_id) == "waiting-input"


def test_neither_state_nor_code_nor_proof_is_kept_anywhere(owner: Actor, run_id: str) -> None:
    sent = go(owner, run_id)
    kept = [*ConnectAttempt.objects.values_list("state_hash", flat=True)]
    come_back(owner, sent)
    kept += map(json.dumps, RunEvent.objects.values_list("payload", flat=True))
    kept += map(json.dumps, Suspension.objects.values_list("payload", "resolution"))
    assert not [text for text in kept for secret in sent.values() if secret in text]


def test_an_account_that_covers_too_little_after_all_is_not_believed(
    owner: Actor, run_id: str, accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts, "grant", lambda *_: None)
    with pytest.raises(ValidationFailed):
        come_back(owner, go(owner, run_id))
    assert status(run_id) == "waiting-input"


def test_a_run_that_no_longer_waits_is_left_alone_and_the_account_stays(
    owner: Actor, run_id: str, accounts: Accounts
) -> None:
    sent = go(owner, run_id)
    cancel_run(request=CancelRun(owner, run_id), now=after(minutes=1))
    with pytest.raises(AlreadyResolved):
        come_back(owner, sent, minutes=2)
    with pytest.raises(AlreadyResolved):
        go(owner, run_id)
    assert status(run_id) == "cancelled"
    assert accounts.look_up(subject=owner.subject, provider="synthetic", scopes=["openwop.read"]).ref


def test_a_provider_that_can_no_longer_be_connected_is_said_so(
    owner: Actor, run_id: str, accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    accounts.providers = ("other",)
    with pytest.raises(CapabilityRequired):
        go(owner, run_id)
    monkeypatch.setitem(registry._KINDS, InterruptKind.CREDENTIAL, Credential(None))
    with pytest.raises(CapabilityRequired):
        go(owner, run_id)


def test_nothing_is_locked_while_the_provider_is_called(
    owner: Actor, run_id: str, accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    depths: list[int] = []
    outer = len(connection.savepoint_ids)
    monkeypatch.setattr(accounts, "connect", lambda **_: depths.append(len(connection.savepoint_ids) - outer))
    with pytest.raises(ValidationFailed):
        come_back(owner, go(owner, run_id))
    assert depths == [0]
