"""Connecting an account in the browser, as the person who started the run (wire contract §22; case 22)."""

from __future__ import annotations

import pytest
from django.test import Client

from interrupts.contracts.types import JsonObject
from tests.factories import actor, last, node, start_flow, status, suspension, workflow
from tests.inbox.conftest import SignIn
from tests.inbox.pages import page_of, text_of, title_of
from tests.offers import consent, offer_credentials

USES: JsonObject = {"auth": {"type": "oauth2", "provider": "synthetic", "scopes": ["openwop.read"]}}
HTML = {"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"}


@pytest.fixture
def run_id(db: None, monkeypatch: pytest.MonkeyPatch) -> str:
    offer_credentials(monkeypatch)
    return start_flow(workflow([node("ask", "conformance.oauth.use", config=USES)]), by=actor("owner"))


def address(run_id: str) -> str:
    url = str(last(run_id, "interrupt.requested")["data"]["connectUrl"])
    return url.removeprefix("https://wop.example.org")


def there(client: Client, run_id: str) -> dict[str, str]:
    response = client.get(address(run_id), headers=HTML)
    assert response.status_code == 302
    return consent(response["Location"])


def test_the_owner_connects_the_account_and_sees_the_run_go_on(sign_in: SignIn, run_id: str) -> None:
    client = sign_in("owner")
    assert "Connect the account" in text_of(client.get(page_of(suspension(run_id, "ask"))))
    back = client.get("/host/wopsite/connected", there(client, run_id), headers=HTML, follow=True)
    assert back.status_code == 200
    assert status(run_id) == "completed"


def test_who_is_not_signed_in_is_asked_to_and_comes_to_no_provider(run_id: str) -> None:
    response = Client().get(address(run_id), headers=HTML)
    assert (response.status_code, response["Location"].split("?")[0]) == (302, "/accounts/login/")


def test_colleagues_are_told_whose_account_it_is(sign_in: SignIn, run_id: str) -> None:
    ann = sign_in("ann")
    assert "Connect the account" not in text_of(ann.get(page_of(suspension(run_id, "ask"))))
    refused = ann.get(address(run_id), headers=HTML)
    assert (refused.status_code, title_of(refused)) == (403, "This account is for somebody else to connect | wopsite")
    sent = there(sign_in("owner"), run_id)
    refused = ann.get("/host/wopsite/connected", sent, headers=HTML)
    assert refused.status_code == 403
    assert status(run_id) == "waiting-input"


def test_coming_back_without_a_consent_says_what_to_do(sign_in: SignIn, run_id: str) -> None:
    client = sign_in("owner")
    sent = {"state": there(client, run_id)["state"], "error": "access_denied"}
    refused = client.get("/host/wopsite/connected", sent, headers=HTML)
    assert (refused.status_code, title_of(refused)) == (400, "The account was not connected | wopsite")
    assert "or decline" in text_of(refused)
