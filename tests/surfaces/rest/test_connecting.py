"""Connecting an account with a key (wire contract §22; case 22)."""

from __future__ import annotations

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.vocabulary import Scope
from tests import factories
from tests.offers import Accounts, consent, offer_credentials
from tests.surfaces.rest.api import Answer, Api, wire

USES: JsonObject = {"auth": {"type": "oauth2", "provider": "synthetic", "scopes": ["openwop.read"]}}


@pytest.fixture(autouse=True)
def accounts(db: None, monkeypatch: pytest.MonkeyPatch) -> Accounts:
    return offer_credentials(monkeypatch)


@pytest.fixture
def run_id(api: Api) -> str:
    factories.register(factories.workflow([factories.node("ask", "conformance.oauth.use", config=USES)]))
    return str(api.post("/runs", {"workflowId": "flow"}).body["runId"])


def connect(by: Api, run_id: str) -> Answer:
    """Visit the address that the payload gives, on this server."""
    url = str(factories.last(run_id, "interrupt.requested")["data"]["connectUrl"])
    return by.get(url.removeprefix("https://wop.example.org"))


def come_back(by: Api, sent: dict[str, str]) -> Answer:
    return by.get(f"/host/wopsite/connected?state={sent['state']}&code={sent['code']}")


def test_the_owner_is_sent_to_the_provider_and_back(api: Api, run_id: str) -> None:
    there = connect(api, run_id)
    assert there.status == 302
    assert there.headers["Referrer-Policy"] == "no-referrer"
    assert there.headers["Location"].startswith("https://synthetic.example.org/authorize?")
    assert come_back(api, consent(there.headers["Location"])).body["status"] == "completed"
    assert connect(api, run_id).refused(409, "interrupt_already_resolved") is None


def test_the_address_alone_gets_nobody_anywhere(api: Api, anonymous: Api, stranger: Api, run_id: str) -> None:
    connect(anonymous, run_id).refused(401, "unauthenticated")
    connect(stranger, run_id).refused(403, "id_tenant_mismatch")
    connect(Api(factories.api_key("other")), run_id).refused(403, "forbidden")
    connect(Api(factories.api_key("olga", scopes=[Scope.RUNS_CREATE])), run_id).refused(403, "forbidden")
    sent = consent(connect(api, run_id).headers["Location"])
    come_back(anonymous, sent).refused(401, "unauthenticated")
    come_back(Api(factories.api_key("other")), sent).refused(403, "forbidden")
    come_back(stranger, sent).refused(400, "validation_error")
    assert factories.status(run_id) == "waiting-input"


def test_a_node_that_asks_for_no_account_has_no_such_page(api: Api, gate_run: str) -> None:
    path = f"/host/wopsite/runs/{wire(gate_run)}/interrupts"
    api.get(f"{path}/gate/connect").refused(400, "validation_error")
    api.get(f"{path}/nowhere/connect").refused(404, "not_found")


def test_coming_back_with_nothing_is_refused(api: Api, run_id: str) -> None:
    for query in ("", "?state=", "?state=%00&code=%FF", f"?state={'x' * 3000}&code=1", "?error=access_denied"):
        api.get(f"/host/wopsite/connected{query}").refused(400, "validation_error")
