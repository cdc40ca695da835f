"""The published client, unmodified, against the real server (wire contract §24.3)."""

from __future__ import annotations

import pytest
from openwop_client import (
    BulkCancelRunsRequest,
    CancelRunRequest,
    CreateRunRequest,
    OpenwopClient,
    ResolveInterruptRequest,
    WopError,
)

from tests import factories
from tests.factories import register
from tests.surfaces.rest.api import KEY

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def client(server: str, transactional_db: None) -> OpenwopClient:
    register(factories.one_gate())
    return OpenwopClient(base_url=f"http://{server}", api_key=factories.api_key("olga"))


def create(client: OpenwopClient) -> str:
    return str(client.runs_create(CreateRunRequest(workflowId="flow")).runId)


def accept(client: OpenwopClient, run_id: str, node_id: str = "gate") -> str:
    answer = client.interrupts_resolve_by_run(
        run_id, node_id, ResolveInterruptRequest(resumeValue={"action": "accept"})
    )
    return str(answer.status)


def code(error: pytest.ExceptionInfo[WopError]) -> tuple[int, str]:
    assert error.value.envelope is not None
    return error.value.status, error.value.envelope.error


def test_it_discovers_what_is_offered(client: OpenwopClient) -> None:
    found = client.discovery_capabilities()
    assert found.preferredVersion == "2.0"
    conversations = {"conversationPrimitive", "multiPartyConversation"}
    assert set(found.families) == {"auth", "eventLog", "interrupt", "limits", "runList", "webhooks"} | conversations
    assert found.families["interrupt"].facets["refKinds"] == ["principal", "group", "role"]
    assert "/runs/{runId}/interrupts/{nodeId}" in client.discovery_openapi()["paths"]


def test_it_reads_a_workflow(client: OpenwopClient) -> None:
    assert client.workflows_get("flow")["id"] == "flow"


def test_it_creates_a_run_with_all_it_can_say(client: OpenwopClient) -> None:
    created = client.runs_create(
        CreateRunRequest(
            workflowId="flow",
            inputs={"amount": 12},
            tags=["one", "two words"],
            metadata={"order": {"id": 7}},
            scopeId="order-7",
            configurable={"version": 1, "run": {"recursionLimit": 10}},
        ),
        idempotency_key=KEY,
        dedup=True,
    )
    assert created.status == "waiting-approval"
    snapshot = client.runs_get(created.runId)
    assert (snapshot.workflowId, snapshot.status, snapshot.currentNodeId) == ("flow", "waiting-approval", "gate")
    assert (snapshot.tags, snapshot.metadata) == (["one", "two words"], {"order": {"id": 7}})
    assert snapshot.owner.tenant == "acme"
    assert snapshot.owner.subject.issuer == "urn:wopsite:api-key"
    assert snapshot.eventLogSchemaVersion == 3
    with pytest.raises(WopError) as second:
        client.runs_create(CreateRunRequest(workflowId="flow", scopeId="order-7"), dedup=True)
    assert code(second) == (409, "run_already_active")


def test_it_lists_runs_page_by_page(client: OpenwopClient) -> None:
    runs = [create(client) for _ in range(3)]
    first = client.runs_list(limit=2, workflow_id="flow", status="waiting-approval")
    assert first is not None
    second = client.runs_list(limit=2, cursor=first.next_cursor, workflow_id="flow")
    assert second is not None
    assert [run.runId for run in [*first.runs, *second.runs]] == runs[::-1]
    assert second.next_cursor is None
    with pytest.raises(WopError) as refused:
        client.runs_list(cursor="not-a-cursor")
    assert code(refused) == (400, "validation_error")


def test_it_polls_answers_and_sees_the_end(client: OpenwopClient) -> None:
    run_id = create(client)
    before = client.runs_poll_events(run_id)
    assert [event.type for event in before.events][-2:] == ["interrupt.requested", "node.suspended"]
    assert (before.status, before.isTerminal) == ("waiting-approval", False)
    assert accept(client, run_id) == "completed"
    after = client.runs_poll_events(run_id, after_sequence=before.lastSequence, timeout_seconds=5)
    assert after.events[0].type == "interrupt.resolved"
    assert after.events[-1].type == "run.completed"
    assert after.isTerminal
    assert client.runs_poll_events(run_id, after_sequence=after.lastSequence, timeout_seconds=1).events == []


def test_it_is_told_when_somebody_was_faster(client: OpenwopClient) -> None:
    run_id = create(client)
    accept(client, run_id)
    with pytest.raises(WopError) as late:
        accept(client, run_id)
    assert code(late) == (409, "interrupt_already_resolved")


def test_it_is_told_what_is_wrong_with_an_answer(client: OpenwopClient) -> None:
    run_id = create(client)
    with pytest.raises(WopError) as nothing:
        client.interrupts_resolve_by_run(run_id, "gate", ResolveInterruptRequest(resumeValue=None))
    assert code(nothing) == (400, "validation_error")
    with pytest.raises(WopError) as nowhere:
        accept(client, run_id, "a:b/c")
    assert code(nowhere) == (404, "not_found")


def test_it_cancels_a_run_once(client: OpenwopClient) -> None:
    run_id = create(client)
    assert client.runs_cancel(run_id, CancelRunRequest(reason="enough")).status == "cancelled"
    with pytest.raises(WopError) as again:
        client.runs_cancel(run_id)
    assert code(again) == (409, "run_terminal")
    with pytest.raises(WopError) as late:
        accept(client, run_id)
    assert code(late) == (409, "interrupt_already_resolved")


def test_it_cancels_many_runs(client: OpenwopClient) -> None:
    runs = [create(client), create(client)]
    answer = client.runs_bulk_cancel(BulkCancelRunsRequest(runIds=[*runs, "globex/0123456789abcdef"]))
    assert [(entry.runId, entry.ok, entry.status) for entry in answer.results[:2]] == [
        (r, True, "cancelled") for r in runs
    ]
    assert answer.results[2].ok is False
    with pytest.raises(WopError) as too_many:
        client.runs_bulk_cancel(BulkCancelRunsRequest(runIds=["acme/0123456789abcdef"] * 101))
    assert code(too_many) == (400, "validation_error")
    assert too_many.value.envelope.details["maxRunIds"] == 100


def test_it_is_told_who_it_is_not(server: str, client: OpenwopClient) -> None:
    run_id = create(client)
    with pytest.raises(WopError) as nobody:
        OpenwopClient(base_url=f"http://{server}", api_key="nonsense").runs_get(run_id)
    assert code(nobody) == (401, "unauthenticated")
    other = OpenwopClient(base_url=f"http://{server}", api_key=factories.api_key("sven", of="globex"))
    with pytest.raises(WopError) as foreign:
        other.runs_get(run_id)
    assert code(foreign) == (403, "id_tenant_mismatch")
    reader = OpenwopClient(base_url=f"http://{server}", api_key=factories.api_key("rita", scopes=["runs:read"]))
    with pytest.raises(WopError) as unscoped:
        accept(reader, run_id)
    assert code(unscoped) == (403, "forbidden")


def test_its_unknown_runs_and_tokens_have_their_own_codes(client: OpenwopClient) -> None:
    with pytest.raises(WopError) as run:
        client.runs_get("acme/00000000000000000000")
    assert code(run) == (404, "not_found")
    with pytest.raises(WopError) as inspected:
        client.interrupts_inspect_by_token("ow2.hs256.nokid.payload.mac")
    assert code(inspected) == (401, "interrupt_token_invalid")
    with pytest.raises(WopError) as resolved:
        client.interrupts_resolve_by_token("x/y", ResolveInterruptRequest(resumeValue=1))
    assert resolved.value.status in {401, 404}


def test_what_is_not_offered_it_takes_for_absent(client: OpenwopClient) -> None:
    assert client.runs_ancestry(create(client)) is None
    assert client.runs_effects(create(client)) is None
