"""GET /runs/{runId} (wire contract §7.2)."""

from __future__ import annotations

import pytest

from interrupts.models import Membership
from tests import factories
from tests.factories import register
from tests.surfaces.rest.api import Api, wire

pytestmark = pytest.mark.django_db


def test_a_waiting_run_shows_who_owns_it_and_where_it_waits(api: Api, gate_run: str) -> None:
    answer = api.get(f"/runs/{wire(gate_run)}")
    assert answer.fits("run-snapshot")
    snapshot = answer.body
    interrupt = factories.suspension(gate_run)
    started = snapshot.pop("startedAt")
    assert started.endswith("Z")
    assert snapshot == {
        "runId": gate_run,
        "workflowId": "flow",
        "status": "waiting-approval",
        "owner": {
            "tenant": "acme",
            "subject": {
                "issuer": "urn:wopsite:api-key",
                "subjectId": Membership.objects.get(user__username="olga").subject_id,
                "tenant": "acme",
                "lane": "api-key",
                "kind": "user",
            },
        },
        "eventLogSchemaVersion": 3,
        "engineVersion": 1,
        "inputs": {},
        "variables": {},
        "nodeStates": {"gate": {"status": "suspended", "visits": 1, "interruptId": interrupt.pk}},
        "tags": [],
        "currentNodeId": "gate",
    }


def test_a_completed_run_waits_nowhere(api: Api, gate_run: str) -> None:
    api.post(f"/runs/{wire(gate_run)}/interrupts/gate", {"resumeValue": {"action": "accept"}})
    answer = api.get(f"/runs/{wire(gate_run)}")
    assert answer.fits("run-snapshot")
    assert answer.body["status"] == "completed"
    assert answer.body["completedAt"] >= answer.body["startedAt"]
    assert "currentNodeId" not in answer.body
    assert answer.body["nodeStates"] == {"gate": {"status": "completed", "visits": 1}}


def test_a_failed_run_says_why_and_not_whether_to_retry(api: Api, gate_run: str) -> None:
    api.post(f"/runs/{wire(gate_run)}/interrupts/gate", {"resumeValue": {"action": "reject"}})
    answer = api.get(f"/runs/{wire(gate_run)}")
    assert answer.fits("run-snapshot")
    assert answer.body["status"] == "failed"
    assert answer.body["error"]["code"] == "approval_rejected"
    assert "retryable" not in answer.body["error"]


def test_what_a_workflow_calls_sensitive_is_not_shown(api: Api, stranger: Api) -> None:
    variables = [
        {"name": "secret", "type": "string", "sensitive": True},
        {"name": "hidden", "type": "string", "sensitive": True, "defaultValue": "from-default"},
        {"name": "open", "type": "string"},
    ]
    register(factories.workflow([factories.node("a")], workflow_id="discreet", variables=variables))
    inputs = {"secret": "s3cr3t", "open": "seen"}
    run_id = api.post("/runs", {"workflowId": "discreet", "inputs": inputs}).body["runId"]
    answer = api.get(f"/runs/{wire(run_id)}")
    assert (answer.body["inputs"], answer.body["variables"]) == ({"open": "seen"}, {"open": "seen"})
    assert b"s3cr3t" not in answer.raw
    assert b"from-default" not in answer.raw
    assert b"s3cr3t" not in api.get("/runs").raw
    log = api.get(f"/runs/{wire(run_id)}/events/poll")
    assert log.body["events"][0]["payload"]["inputs"] == {"open": "seen"}
    assert b"s3cr3t" not in log.raw


def test_an_unchanged_run_is_not_sent_again_and_every_transition_changes_its_tag(api: Api, gate_run: str) -> None:
    path = f"/runs/{wire(gate_run)}"
    etag = api.get(path).headers["ETag"]
    assert etag == f'"{factories.run_of(gate_run).last_sequence}"'
    unchanged = api.get(path, If_None_Match=etag)
    assert (unchanged.status, unchanged.headers["ETag"]) == (304, etag)
    api.post(f"{path}/cancel", {})
    changed = api.get(path, If_None_Match=etag)
    assert changed.status == 200
    assert changed.headers["ETag"] != etag


def test_an_unknown_run_is_not_found_whatever_tag_is_sent(api: Api) -> None:
    api.get("/runs/acme~2Fr-00000000000000000000000000000000", If_None_Match="*").refused(404, "not_found")
