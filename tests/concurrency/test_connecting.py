"""One consent brought back twice at one moment, and two ways to a provider begun at one: each counts once."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest

from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.models import ConnectAttempt
from interrupts.services.connecting import Return, finish_connecting, start_connecting
from tests.concurrency.racing import at_once, codes
from tests.concurrency.soundness import assert_sound
from tests.factories import NOW, actor, node, start_flow, status, workflow
from tests.offers import Accounts, consent, offer_credentials

pytestmark = pytest.mark.django_db(transaction=True)

USES: JsonObject = {"auth": {"type": "oauth2", "provider": "synthetic", "scopes": ["openwop.read"]}}


@pytest.fixture(autouse=True)
def accounts(monkeypatch: pytest.MonkeyPatch) -> Accounts:
    return offer_credentials(monkeypatch)


def waiting(owner: Actor) -> str:
    return start_flow(workflow([node("ask", "conformance.oauth.use", config=USES)]), by=owner)


def test_of_four_that_bring_one_consent_back_one_is_believed(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = actor("owner")
    run_id = waiting(owner)
    sent = consent(start_connecting(actor=owner, run_id=run_id, node_id="ask", now=NOW))
    exchanged: list[str] = []
    really_connect = accounts.connect

    def connect(**asked: Any) -> None:
        exchanged.append(asked["code"])
        really_connect(**asked)

    monkeypatch.setattr(accounts, "connect", connect)
    back = Return(owner, sent["state"], sent["code"])
    outcomes = at_once(*(lambda: finish_connecting(back=back, now=NOW) for _ in range(4)))
    assert sorted(codes(outcomes)) == ["ok", *["validation_error"] * 3]
    assert exchanged == [sent["code"]]
    assert status(run_id) == "completed"
    assert_sound(run_id)


def test_of_four_ways_begun_at_once_one_leads_back() -> None:
    owner = actor("owner")
    run_id = waiting(owner)
    urls = at_once(*(lambda: start_connecting(actor=owner, run_id=run_id, node_id="ask", now=NOW) for _ in range(4)))
    assert codes(urls) == ["ok"] * 4
    assert ConnectAttempt.objects.count() == 1
    backs = [Return(owner, sent["state"], sent["code"]) for sent in (consent(str(url)) for url in urls)]
    outcomes = [at_once(partial(finish_connecting, back=back, now=NOW))[0] for back in backs]
    assert sorted(codes(outcomes)) == ["ok", *["validation_error"] * 3]
