"""Every kind of interrupt over REST: the rows of interrupt.md's tables (§Payload, §Errors)."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.models import Workflow
from interrupts.vocabulary import Scope
from tests import factories
from tests.factories import one_interrupt, register
from tests.offers import offer_credentials
from tests.surfaces.rest.api import KEY, Answer, Api, wire

pytestmark = pytest.mark.django_db

REGISTER = "/host/wopsite/workflows"
QUESTIONS: JsonObject = {"questions": [{"id": "q1", "question": "How many?", "schema": {"type": "integer"}}]}
# Of each kind: its data, the waiting status, a good answer, and a bad one where any answer is not good.
KINDS: dict[str, tuple[JsonObject, str, Any, Any]] = {
    "clarification": (QUESTIONS, "waiting-input", {"q1": 3}, {"q1": "three"}),
    "external-event": (
        {"eventType": "paid", "correlation": {"orderId": "7"}},
        "waiting-external",
        {"orderId": "7"},
        {"orderId": 7},
    ),
    "custom": ({"customKind": "sms", "payload": None}, "waiting-approval", [1, None], ...),
    "conversation.start": ({"conversationId": "c-1"}, "waiting-input", None, ...),
    "conversation.exchange": (
        {"conversationId": "c-1", "prompt": "?", "outcomeSchema": {"type": "string"}},
        "waiting-input",
        "Hello.",
        None,
    ),
    "conversation.close": ({"conversationId": "c-1"}, "waiting-input", {}, ...),
    "low-confidence": (
        {"agentId": "bot", "threshold": 0.7, "observed": 0.5},
        "waiting-approval",
        {"go": True},
        ...,
    ),
}  # fmt: skip
WITH_BAD = [kind for kind, row in KINDS.items() if row[3] is not ...]

every_kind = pytest.mark.parametrize("kind", KINDS)


def started(api: Api, kind: str, **config: Any) -> str:
    register(one_interrupt(kind, KINDS[kind][0], **config))
    created = api.post("/runs", {"workflowId": "flow"})
    assert (created.status, created.body["status"]) == (201, KINDS[kind][1])
    return str(created.body["runId"])


def resolve(api: Api, run_id: str, value: Any, **headers: str) -> Answer:
    return api.post(f"/runs/{wire(run_id)}/interrupts/ask", {"resumeValue": value}, **headers)


@every_kind
def test_a_run_shows_that_it_waits_and_at_which_node(api: Api, kind: str) -> None:
    run_id = started(api, kind)
    snapshot = api.get(f"/runs/{wire(run_id)}")
    assert snapshot.fits("run-snapshot")
    assert (snapshot.body["status"], snapshot.body["currentNodeId"]) == (KINDS[kind][1], "ask")


@every_kind
def test_the_request_is_the_payload_verbatim_and_both_events_are_in_the_log(api: Api, kind: str) -> None:
    run_id = started(api, kind, timeoutMs=60_000, resumeSchema={"description": "Whatever you think."})
    assert resolve(api, run_id, KINDS[kind][2]).status == 200
    polled = api.get(f"/runs/{wire(run_id)}/events/poll?timeout=1")
    assert polled.fits("poll-response")
    [asked] = [event for event in polled.body["events"] if event["type"] == "interrupt.requested"]
    assert asked["nodeId"] == "ask"
    assert asked["payload"] == {
        "kind": kind,
        "key": factories.suspension(run_id, "ask").key,
        "data": KINDS[kind][0],
        "resumeSchema": {"description": "Whatever you think."},
        "timeoutMs": 60_000,
    }
    [resolved] = [event for event in polled.body["events"] if event["type"] == "interrupt.resolved"]
    assert (resolved["nodeId"], resolved["payload"]["kind"]) == ("ask", kind)


@every_kind
def test_an_answer_completes_the_run_and_is_on_record_with_who_gave_it(api: Api, kind: str) -> None:
    run_id = started(api, kind)
    answer = resolve(api, run_id, KINDS[kind][2])
    assert answer.fits("resolve-interrupt-response")
    assert answer.body == {"runId": run_id, "nodeId": "ask", "status": "completed"}
    resolved = factories.last(run_id, "interrupt.resolved")
    assert resolved["resumeValue"] == KINDS[kind][2]
    assert resolved["resolvedBy"]["subjectId"] == factories.actor("olga").subject_id
    assert not {"action", "decision", "reason"} & set(resolved)


@pytest.mark.parametrize("kind", WITH_BAD)
def test_a_value_that_the_kind_does_not_take_is_400_and_the_interrupt_stays_open(api: Api, kind: str) -> None:
    run_id = started(api, kind)
    details = resolve(api, run_id, KINDS[kind][3]).refused(400, "validation_error")
    assert details["field"].startswith("resumeValue")
    assert factories.status(run_id) == KINDS[kind][1]


@every_kind
def test_a_value_that_fails_the_resume_schema_is_400_whatever_the_kind(api: Api, kind: str) -> None:
    run_id = started(api, kind, resumeSchema={"not": {}})
    resolve(api, run_id, KINDS[kind][2]).refused(400, "validation_error")
    assert factories.status(run_id) == KINDS[kind][1]


@every_kind
def test_a_second_answer_is_409_and_the_same_key_gives_the_first_again(api: Api, kind: str) -> None:
    run_id = started(api, kind)
    first = resolve(api, run_id, KINDS[kind][2], Idempotency_Key=KEY)
    again = resolve(api, run_id, KINDS[kind][2], Idempotency_Key=KEY)
    assert (first.status, again.status, again.raw) == (200, 200, first.raw)
    resolve(api, run_id, KINDS[kind][2]).refused(409, "interrupt_already_resolved")


@every_kind
def test_a_cancelled_run_takes_no_answer(api: Api, kind: str) -> None:
    run_id = started(api, kind)
    api.post(f"/runs/{wire(run_id)}/cancel", {})
    resolve(api, run_id, KINDS[kind][2]).refused(409, "interrupt_already_resolved")


@every_kind
def test_only_a_key_of_the_tenant_with_the_scope_may_answer(api: Api, stranger: Api, anonymous: Api, kind: str) -> None:
    run_id = started(api, kind)
    reader = Api(factories.api_key("rita", scopes=[Scope.RUNS_READ]))
    assert resolve(reader, run_id, KINDS[kind][2]).refused(403, "forbidden") == {"scopeRequired": "approvals:respond"}
    resolve(stranger, run_id, KINDS[kind][2]).refused(403, "id_tenant_mismatch")
    resolve(anonymous, run_id, KINDS[kind][2]).refused(401, "unauthenticated")
    other = Api(factories.api_key("otto", scopes=[Scope.APPROVALS_RESPOND]))
    assert resolve(other, run_id, KINDS[kind][2]).status == 200


def test_somebody_outside_the_roster_is_422_and_the_turn_is_not_used_up(api: Api) -> None:
    config: JsonObject = {"participants": [{"agentId": "host:a"}]}
    register(factories.workflow([factories.node("ask", "core.conversationGate", config=config)]))
    run_id = api.post("/runs", {"workflowId": "flow"}).body["runId"]
    details = resolve(api, run_id, {"speakerId": "host:b"}).refused(422, "conversation_speaker_not_participant")
    assert details == {"participants": ["host:a"]}
    assert resolve(api, run_id, {"speakerId": "host:a"}).body["status"] == "completed"


def test_a_credential_is_never_told_back(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    offer_credentials(monkeypatch)
    auth: JsonObject = {"type": "oauth2", "provider": "synthetic", "scopes": []}
    register(
        factories.workflow([factories.node("ask", "conformance.oauth.use", config={"auth": {**auth, "scopes": ["a"]}})])
    )
    run_id = api.post("/runs", {"workflowId": "flow"}).body["runId"]
    refused = resolve(api, run_id, {"outcome": "authorized", "token": "sk-live-1"}, Idempotency_Key=KEY)
    assert refused.refused(400, "validation_error") == {"field": "resumeValue"}
    assert b"sk-live" not in refused.raw
    assert resolve(api, run_id, {"outcome": "declined"}).body["status"] == "failed"


# --- What this host does not offer ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("type_id", "capability"),
    [
        ("core.dispatch", "multiAgent"),
        ("core.conformance.mock-agent", "conformance"),
        ("conformance.oauth.use", "oauth.credentialInterrupt"),
        ("conformance.requiresMissing", "conformance.never-provided"),
    ],
)
def test_a_reserved_type_is_registered_and_refused_when_a_run_is_created(
    api: Api, type_id: str, capability: str
) -> None:
    assert api.post(REGISTER, factories.workflow([factories.node("n", type_id)])).status == 201
    details = api.post("/runs", {"workflowId": "flow"}).refused(422, "capability_required")
    assert details == {"requiredCapability": capability, "nodeId": "n"}


def test_an_unknown_type_is_refused_at_registration(api: Api) -> None:
    details = api.post(REGISTER, factories.workflow([factories.node("n", "core.unheardOf")])).refused(
        400, "validation_error"
    )
    assert [problem["keyword"] for problem in details["problems"]] == ["unknown_type"]
    assert not Workflow.objects.exists()


def test_a_refused_roster_is_told_the_limit(api: Api) -> None:
    crowd: JsonObject = {"participants": [{"agentId": f"host:{index}"} for index in range(64)]}
    register(factories.workflow([factories.node("n", "core.conversationGate", config=crowd)]))
    details = api.post("/runs", {"workflowId": "flow"}).refused(422, "conversation_roster_exceeded")
    assert details == {"maxParticipants": 16}


# --- Nothing asks for a credential ------------------------------------------------------------------------------------

ASKING: JsonObject = {"type": "object", "properties": {"apiKey": {"type": "string"}}}
_CUSTOM: JsonObject = {"customKind": "sms"}
_START: JsonObject = {"conversationId": "c", "initialPrompt": "Token?"}
_QUESTION: JsonObject = {"questions": [{"id": "a", "question": "Password?"}]}
_TALK: JsonObject = {"conversationId": "c", "prompt": "?"}


@pytest.mark.parametrize(
    ("node", "pointer"),
    [
        (("core.approvalGate", {"title": "T", "resumeSchema": ASKING}), "/resumeSchema/properties/apiKey"),
        (
            ("core.interrupt", {"kind": "custom", "data": _CUSTOM, "resumeSchema": ASKING}),
            "/resumeSchema/properties/apiKey",
        ),
        (
            ("core.interrupt", {"kind": "conversation.exchange", "data": {**_TALK, "outcomeSchema": ASKING}}),
            "/data/outcomeSchema/properties/apiKey",
        ),
        (
            ("core.interrupt", {"kind": "conversation.exchange", "data": {**_TALK, "prompt": "Your password?"}}),
            "/data/prompt",
        ),
        (
            ("core.interrupt", {"kind": "conversation.start", "data": _START}),
            "/data/initialPrompt",
        ),
        (
            ("core.interrupt", {"kind": "clarification", "data": _QUESTION}),
            "/data/questions/0/question",
        ),
        (("core.clarificationGate", {"questions": [{"id": "password", "question": "?"}]}), "/questions/0/question"),
        (
            ("core.clarificationGate", {"questions": [{"id": "a", "question": "?", "schema": ASKING}]}),
            "/questions/0/schema/properties/apiKey",
        ),
        (
            ("core.clarificationGate", {"questions": [{"id": "a", "question": "?"}], "resumeSchema": ASKING}),
            "/resumeSchema/properties/apiKey",
        ),
        (("core.conversationGate", {"prompt": "Which API key?"}), "/prompt"),
        (("core.conversationGate", {"outcomeSchema": ASKING}), "/outcomeSchema/properties/apiKey"),
    ],
)  # fmt: skip
def test_a_workflow_that_would_ask_for_a_credential_is_refused_with_the_reason(
    api: Api, node: tuple[str, JsonObject], pointer: str
) -> None:
    document = factories.workflow([factories.node("n", node[0], config=node[1])])
    details = api.post(REGISTER, document).refused(400, "validation_error")
    [problem] = details["problems"]
    assert (problem["pointer"], problem["keyword"]) == (f"/nodes/0/config{pointer}", "credential_solicited")
    assert "credential interrupt" in problem["message"]
    assert not Workflow.objects.exists()


def test_a_field_that_says_why_it_is_harmless_is_accepted(api: Api) -> None:
    harmless: JsonObject = {"x-wopsite-harmless": "The public token of the queue, printed on the ticket."}
    asks: JsonObject = {
        "questions": [{"id": "token", "question": "Which token is on your ticket?", "schema": harmless}]
    }
    assert api.post(REGISTER, one_interrupt("clarification", asks)).status == 201


def test_a_run_cannot_bring_a_question_that_no_workflow_may_ask(api: Api) -> None:
    inputs: JsonObject = {"data": {"type": "expression", "expression": "inputs.asks"}}
    register(one_interrupt("clarification", QUESTIONS, inputs=inputs))
    asks: JsonObject = {"questions": [{"id": "a", "question": "What is your password?"}]}
    run_id = api.post("/runs", {"workflowId": "flow", "inputs": {"asks": asks}}).body["runId"]
    assert factories.status(run_id) == "failed"
    error = factories.last(run_id, "node.failed")["error"]
    assert (error["code"], error["details"]["pointer"]) == ("node_config_invalid", "/questions/0/question")
    assert "interrupt.requested ask" not in factories.trail(run_id)
