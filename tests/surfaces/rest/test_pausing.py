"""POST /runs/{runId}:pause and :resume (wire contract §7.5; cases 40 and 105)."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.vocabulary import Scope
from tests import factories
from tests.factories import chain, node, start_flow
from tests.surfaces.rest.api import KEY, Api, wire

pytestmark = pytest.mark.django_db


@pytest.fixture
def sleeping(api: Api) -> str:
    """A run in the middle of a delay."""
    return start_flow(chain(node("wait", "core.delay", config={"ms": 60_000})))


def test_an_immediate_pause_and_the_resume_are_answered_202(api: Api, sleeping: str) -> None:
    answer = api.post(f"/runs/{wire(sleeping)}:pause", {"drainPolicy": "immediate", "reason": "month end"})
    assert answer.status == 202
    assert answer.fits("pause-response")
    assert answer.body["pausedAt"]
    assert api.get(f"/runs/{wire(sleeping)}").body["status"] == "paused"
    assert factories.last(sleeping, "run.paused")["drainPolicy"] == "immediate"
    answer = api.post(f"/runs/{wire(sleeping)}:resume", {"reason": "done"})
    assert answer.status == 202
    assert answer.fits("resume-response")
    assert (answer.body["runId"], answer.body["status"]) == (sleeping, "running")
    assert api.get(f"/runs/{wire(sleeping)}").body["status"] == "running"


@pytest.mark.parametrize("raw", [b"", b"{}"])
def test_without_a_policy_a_pause_drains_and_its_answer_names_no_time_yet(api: Api, sleeping: str, raw: bytes) -> None:
    answer = api.send("POST", f"/runs/{wire(sleeping)}:pause", raw)
    assert (answer.status, answer.body) == (202, {"runId": sleeping, "status": "paused"})
    assert api.get(f"/runs/{wire(sleeping)}").body["status"] == "running"
    assert api.send("POST", f"/runs/{wire(sleeping)}:resume", raw).status == 202


@pytest.mark.parametrize("spelled", ["{}~2F{}:pause", "{}%2F{}:pause", "{}/{}:pause", "{}~2F{}%3Apause"])
def test_an_id_may_be_spelled_in_every_way_a_path_allows(api: Api, sleeping: str, spelled: str) -> None:
    assert api.post("/runs/" + spelled.format(*sleeping.split("/")), {}).status == 202


@pytest.mark.parametrize(
    "body", [{"reason": 7}, {"reason": "x" * 1001}, {"other": 1}, {"drainPolicy": "later"}, {"drainPolicy": None}, []]
)
def test_a_body_that_does_not_fit_is_refused_and_the_run_goes_on(api: Api, sleeping: str, body: Any) -> None:
    api.post(f"/runs/{wire(sleeping)}:pause", body).refused(400, "validation_error")
    assert factories.run_of(sleeping).pause_request is None


@pytest.mark.parametrize("body", [{"reason": 7}, {"drainPolicy": "immediate"}, []])
def test_a_resume_is_closed_too(api: Api, sleeping: str, body: Any) -> None:
    api.post(f"/runs/{wire(sleeping)}:pause", {"drainPolicy": "immediate"})
    api.post(f"/runs/{wire(sleeping)}:resume", body).refused(400, "validation_error")
    assert factories.status(sleeping) == "paused"


@pytest.mark.parametrize("operation", ["pause", "resume"])
def test_a_run_in_another_state_is_refused_with_that_state(api: Api, gate_run: str, operation: str) -> None:
    path = f"/runs/{wire(gate_run)}:{operation}"
    assert api.post(path, {}).refused(409, "run_state_conflict") == {"runStatus": "waiting-approval"}
    api.post(f"/runs/{wire(gate_run)}/cancel", {})
    api.post(path, {}).refused(409, "run_terminal")


@pytest.mark.parametrize("operation", ["pause", "resume"])
def test_it_takes_the_scope_to_cancel_and_a_run_of_ones_own_tenant(
    api: Api, stranger: Api, sleeping: str, operation: str
) -> None:
    path = f"/runs/{wire(sleeping)}:{operation}"
    reader = Api(factories.api_key("reader", scopes=[Scope.RUNS_READ]))
    assert reader.post(path, {}).refused(403, "forbidden") == {"scopeRequired": "runs:cancel"}
    stranger.post(path, {}).refused(403, "id_tenant_mismatch")
    api.post(f"/runs/acme~2Fr-00000000000000000000000000000000:{operation}", {}).refused(404, "not_found")
    api.get(path).refused(404, "not_found")


def test_the_same_key_gives_the_same_answer_again(api: Api, sleeping: str) -> None:
    path, body = f"/runs/{wire(sleeping)}:pause", {"drainPolicy": "immediate"}
    first, again = (api.post(path, body, Idempotency_Key=KEY) for _ in range(2))
    assert (again.status, again.raw, again.headers["OpenWOP-Idempotent-Replay"]) == (202, first.raw, "true")
    assert api.post(path, body).refused(409, "run_state_conflict") == {"runStatus": "paused"}
