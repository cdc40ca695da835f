"""Credential interrupts (interrupt.md §Payload; wire contract §22; cases 20, 21, 23, 24)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.nodes import NODE_TYPES
from interrupts.engine.nodes.oauth_use import OAuthUse
from interrupts.errors import CapabilityRequired, ValidationFailed
from interrupts.ids import project_id
from interrupts.kinds import registry
from interrupts.kinds.credential import RESUME_SCHEMA, Credential
from interrupts.models import IdempotencyRecord, Run, RunEvent, Suspension
from interrupts.vocabulary import InterruptKind
from tests.factories import (
    actor,
    after,
    edge,
    gate_node,
    idempotency_key,
    last,
    node,
    one_interrupt,
    register,
    reply,
    run_of,
    start,
    start_flow,
    status,
    sweep,
    trail,
    workflow,
)
from tests.offers import Accounts, offer_credentials

SCOPES: list[JsonValue] = ["openwop.read"]
DATA: JsonObject = {"provider": "synthetic", "scopes": SCOPES, "reason": "missing"}
SECRET = "sk-live-9d1f6a7c2b"


@pytest.fixture
def accounts(monkeypatch: pytest.MonkeyPatch) -> Accounts:
    return offer_credentials(monkeypatch)


USES: JsonObject = {"auth": {"type": "oauth2", "provider": "synthetic", "scopes": SCOPES}}


def using() -> JsonObject:
    return workflow([node("ask", "conformance.oauth.use", config=USES)])


def written(document: bool) -> JsonObject:
    return using() if document else one_interrupt("credential", DATA, resumeSchema=RESUME_SCHEMA)


@pytest.mark.parametrize("by_node", [True, False])
def test_a_host_without_an_authority_refuses_to_create_the_run(by_node: bool) -> None:
    register(written(by_node))
    with pytest.raises(CapabilityRequired) as caught:
        start(actor("owner"))
    assert caught.value.details == {"requiredCapability": "oauth.credentialInterrupt", "nodeId": "ask"}
    assert not Run.objects.exists()


@pytest.mark.parametrize("by_node", [True, False])
def test_a_missing_account_is_asked_for_with_the_fixed_schema(accounts: Accounts, by_node: bool) -> None:
    run_id = start_flow(written(by_node))
    assert (status(run_id), run_of(run_id).current_node_id) == ("waiting-input", "ask")
    asked = last(run_id, "interrupt.requested")
    page = f"https://wop.example.org/host/wopsite/runs/{project_id(run_id)}/interrupts/ask/connect"
    assert (asked["kind"], asked["resumeSchema"]) == ("credential", RESUME_SCHEMA)
    assert asked["data"] == {**DATA, "connectUrl": page}


def test_an_account_that_is_connected_is_used_without_asking(accounts: Accounts) -> None:
    owner = actor("owner")
    accounts.grant(owner.subject, "synthetic", "openwop.read")
    assert status(start_flow(using(), by=owner)) == "completed"


def test_authorized_is_looked_up_for_the_runs_own_subject_before_it_is_believed(accounts: Accounts) -> None:
    owner, ann = actor("owner"), actor("ann")
    run_id = start_flow(using(), by=owner)
    accounts.grant(ann.subject, "synthetic", "openwop.read")
    accounts.grant(owner.subject, "other", "openwop.read")
    accounts.grant(owner.subject, "synthetic", "openwop.write")
    for who in (owner, ann):
        with pytest.raises(ValidationFailed) as caught:
            reply(who, run_id, {"outcome": "authorized"})
        assert caught.value.details == {"field": "resumeValue"}
    assert status(run_id) == "waiting-input"
    accounts.grant(owner.subject, "synthetic", "openwop.read")
    assert reply(ann, run_id, {"outcome": "authorized"}).result["status"] == "completed"
    assert last(run_id, "interrupt.resolved")["resumeValue"] == {"outcome": "authorized"}
    granted = last(run_id, "connector.authorized")
    ref = granted.pop("credentialRef")
    assert granted == {"provider": "synthetic", "scopes": SCOPES}
    assert last(run_id, "interrupt.resolved")["x-credential-ref"] == ref


def test_a_credential_that_ran_out_is_told_before_it_is_asked_for_again(accounts: Accounts) -> None:
    owner = actor("owner")
    accounts.grant(owner.subject, "synthetic", "openwop.read")
    accounts.end(owner.subject, "synthetic")
    run_id = start_flow(using(), by=owner)
    names = trail(run_id)
    assert names[names.index("connector.auth-expired ask") + 1] == "interrupt.requested ask"
    asked, ref = last(run_id, "interrupt.requested")["data"], last(run_id, "connector.auth-expired")["credentialRef"]
    assert (asked["reason"], asked["credentialRef"]) == ("expired", {"ref": ref})
    with pytest.raises(ValidationFailed):
        reply(owner, run_id, {"outcome": "authorized"})


def test_an_account_with_too_few_scopes_is_asked_for_as_that(accounts: Accounts) -> None:
    owner = actor("owner")
    accounts.grant(owner.subject, "synthetic", "openwop.write")
    run_id = start_flow(using(), by=owner)
    assert last(run_id, "interrupt.requested")["data"]["reason"] == "insufficient_scope"
    assert "connector.auth-expired ask" not in trail(run_id)


def test_what_was_asked_under_an_authority_that_has_gone_can_be_declined_and_times_out(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_one = start_flow(using())
    late = start_flow({**one_interrupt("credential", DATA, "late", resumeSchema=RESUME_SCHEMA, timeoutMs=60_000)})
    monkeypatch.setitem(registry._KINDS, InterruptKind.CREDENTIAL, Credential(None))
    monkeypatch.setitem(NODE_TYPES, OAuthUse.type_id, OAuthUse(None))
    with pytest.raises(ValidationFailed):
        reply(actor("ann"), open_one, {"outcome": "authorized"})
    reply(actor("ann"), open_one, {"outcome": "declined"})
    assert status(open_one) == "failed"
    sweep(now=after(minutes=1))
    assert last(late, "run.failed")["error"]["code"] == "interrupt_expired"


def test_a_run_that_began_under_an_authority_that_has_gone_fails_and_asks_nobody(
    accounts: Accounts, monkeypatch: pytest.MonkeyPatch
) -> None:
    nodes = [gate_node(), node("ask", "conformance.oauth.use", config=USES)]
    run_id = start_flow(workflow(nodes, [edge("gate", "ask")]))
    monkeypatch.setitem(NODE_TYPES, OAuthUse.type_id, OAuthUse(None))
    reply(actor("ann"), run_id, {"action": "accept"}, at="gate")
    assert last(run_id, "node.failed")["error"]["code"] == "connector_auth_expired"
    assert "interrupt.requested ask" not in trail(run_id)


@pytest.mark.parametrize("by_node", [True, False])
def test_declining_fails_the_node_with_its_own_code(accounts: Accounts, by_node: bool) -> None:
    run_id = start_flow(written(by_node))
    reply(actor("ann"), run_id, {"outcome": "declined"})
    assert status(run_id) == "failed"
    error = last(run_id, "node.failed")["error"]
    assert (error["code"], error["retryable"]) == ("connector_auth_declined", False)
    assert last(run_id, "run.failed")["failedNodeId"] == "ask"


@pytest.mark.parametrize(
    "value",
    [
        {"outcome": "authorized", "token": SECRET},
        {"outcome": SECRET},
        {"outcome": True},
        {"outcome": ["declined"]},
        {"token": SECRET},
        {SECRET: "declined"},
        SECRET,
        None,
        [],
    ],
)
def test_anything_but_an_outcome_is_refused_and_leaves_no_trace(accounts: Accounts, value: JsonValue) -> None:
    run_id = start_flow(using())
    before = trail(run_id)
    with pytest.raises(ValidationFailed) as caught:
        reply(actor("ann"), run_id, value, key=idempotency_key())
    assert SECRET not in caught.value.message + json.dumps(caught.value.details)
    assert trail(run_id) == before
    rows = [*RunEvent.objects.values_list("payload", flat=True), *Suspension.objects.values_list("payload", flat=True)]
    assert SECRET not in json.dumps(rows)
    assert not IdempotencyRecord.objects.exists()


@pytest.mark.parametrize(
    "changed",
    [
        {"connectUrl": "https://elsewhere.example.org/"},
        {"reason": "other"},
        {"token": SECRET},
        {"scopes": ["a", "a"]},
    ],
)
def test_a_payload_that_the_protocol_does_not_know_is_refused_at_registration(changed: JsonObject) -> None:
    with pytest.raises(ValidationFailed):
        register(one_interrupt("credential", {**DATA, **changed}, resumeSchema=RESUME_SCHEMA))


def test_the_resume_schema_must_be_the_fixed_one() -> None:
    loose: JsonObject = {"type": "object"}
    schemas: list[dict[str, Any]] = [{}, {"resumeSchema": loose}, {"resumeSchema": {**RESUME_SCHEMA, "title": "x"}}]
    for config in schemas:
        with pytest.raises(ValidationFailed) as caught:
            register(one_interrupt("credential", DATA, **config))
        problems = caught.value.details["problems"]
        assert isinstance(problems, list)
        assert problems[0]["pointer"] == "/nodes/0/config/resumeSchema"
