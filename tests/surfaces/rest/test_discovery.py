"""GET /.well-known/openwop (wire contract §1; cases Q, R 85)."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.kinds import registry
from interrupts.vocabulary import MAX_PARTICIPANTS, InterruptKind, Scope
from tests import factories
from tests.factories import register
from tests.offers import offer_credentials
from tests.surfaces.rest.api import Api, wire

pytestmark = pytest.mark.django_db

PATH = "/.well-known/openwop"


def test_anyone_may_read_what_this_host_offers(anonymous: Api) -> None:
    answer = anonymous.get(PATH)
    assert answer.status == 200
    assert answer.fits("capabilities")
    assert answer.body["protocolVersions"] == ["2.0"]
    assert answer.body["preferredVersion"] == "2.0"


def test_only_families_that_work_are_advertised(anonymous: Api) -> None:
    document = anonymous.get(PATH).body
    families = {name for name, value in document.items() if isinstance(value, dict) and "status" in value}
    assert families == {
        "auth",
        "conversationPrimitive",
        "eventLog",
        "interrupt",
        "limits",
        "multiPartyConversation",
        "runList",
        "webhooks",
    }
    assert document["interrupt"] == {
        "status": "experimental",
        "since": "2.0",
        "until": "2.1",
        "witness": "witnessable-gated",
        "tokenAlgs": ["hs256"],
        "refKinds": ["principal", "group", "role"],
    }


def test_conversations_are_offered_whole(anonymous: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    document = anonymous.get(PATH).body
    assert document["conversationPrimitive"]["witness"] == "claims-check"
    assert document["multiPartyConversation"]["maxParticipants"] == MAX_PARTICIPANTS
    monkeypatch.delitem(registry._KINDS, InterruptKind.CONVERSATION_CLOSE)
    document = anonymous.get(PATH).body
    assert not {"conversationPrimitive", "multiPartyConversation"} & set(document)


def test_accounts_are_offered_only_where_something_knows_them(anonymous: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "oauth" not in anonymous.get(PATH).body
    offer_credentials(monkeypatch)
    answer = anonymous.get(PATH)
    assert answer.fits("capabilities")
    assert answer.body["oauth"]["credentialInterrupt"] is True
    assert answer.body["oauth"]["providers"] == [{"id": "synthetic", "pkce": "S256"}]


def test_limits_are_those_that_are_enforced(anonymous: Api, settings: Any) -> None:
    settings.WOP_MAX_NODE_EXECUTIONS = 77
    settings.WOP_MAX_BODY_BYTES = 2048
    settings.WOP_MAX_PAGE_SIZE = 3
    document = anonymous.get(PATH).body
    assert document["limits"]["maxNodeExecutions"] == 77
    assert document["limits"]["clarificationRounds"] == 77
    assert document["limits"]["maxRequestBodyBytes"] == 2048
    assert document["runList"]["maxPageSize"] == 3


def test_the_issuer_of_a_runs_owner_is_among_the_lanes(api: Api, gate_run: str) -> None:
    lanes = api.get(PATH).body["auth"]["lanes"]
    assert {lane["lane"] for lane in lanes} == {"api-key", "session"}
    assert {lane["revocation"] for lane in lanes} == {"next-request"}
    owner = api.get(f"/runs/{wire(gate_run)}").body["owner"]["subject"]
    assert owner["issuer"] in {issuer for lane in lanes for issuer in lane["issuers"]}


def test_an_unchanged_document_is_not_sent_again(anonymous: Api, settings: Any) -> None:
    etag = anonymous.get(PATH).headers["ETag"]
    for tags in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        unchanged = anonymous.get(PATH, If_None_Match=tags)
        assert (unchanged.status, unchanged.headers["ETag"]) == (304, etag)
    assert anonymous.get(PATH, If_None_Match='"other"').status == 200
    settings.WOP_MAX_PAGE_SIZE = 3
    assert anonymous.get(PATH, If_None_Match=etag).status == 200


def test_fixtures_are_listed_in_a_conformance_run_alone(anonymous: Api, settings: Any) -> None:
    for workflow_id in ("conformance-approval", "conformance-noop", "flow"):
        register(factories.one_gate(workflow_id))
    register({**factories.one_gate("conformance-noop"), "version": "2"})
    assert not {"fixtures", "conformance"} & set(anonymous.get(PATH).body)
    settings.WOP_CONFORMANCE = True
    answer = anonymous.get(PATH)
    assert answer.body["fixtures"] == ["conformance-approval", "conformance-noop"]
    assert answer.body["conformance"] == {"mockAgent": True}
    assert answer.fits("capabilities")


def test_reading_it_needs_no_credential_and_a_bad_one_makes_no_difference(db: None) -> None:
    assert Api("wop_nonsense").get(PATH).status == 200
    assert Api(factories.api_key("rita", scopes=[Scope.RUNS_CREATE])).get(PATH).status == 200
