"""GET /runs (wire contract §7.3; case 43)."""

from __future__ import annotations

from typing import Any

import pytest
from django.core import signing

from tests import factories
from tests.factories import register
from tests.surfaces.rest.api import Api, wire

pytestmark = pytest.mark.django_db


@pytest.fixture
def runs(api: Api) -> list[str]:
    """Five runs, newest first: of the workflows flow and other by turns."""
    register(factories.one_gate())
    register(factories.one_gate("other"))
    names = ("flow", "other", "flow", "other", "flow")
    return [str(api.post("/runs", {"workflowId": name}).body["runId"]) for name in names][::-1]


def ids(page: Any) -> list[str]:
    return [run["runId"] for run in page["runs"]]


def test_runs_come_newest_first(api: Api, runs: list[str]) -> None:
    answer = api.get("/runs")
    assert answer.fits("run-list-response")
    assert ids(answer.body) == runs
    assert "nextCursor" not in answer.body


def test_a_row_is_the_same_document_as_the_run_itself(api: Api, runs: list[str]) -> None:
    assert api.get("/runs?limit=1").body["runs"][0] == api.get(f"/runs/{wire(runs[0])}").body


def test_pages_follow_one_another_without_gap_or_repeat(api: Api, runs: list[str]) -> None:
    seen: list[str] = []
    page = api.get("/runs?limit=2").body
    while True:
        seen += ids(page)
        assert len(page["runs"]) <= 2
        if "nextCursor" not in page:
            break
        page = api.get(f"/runs?limit=2&cursor={page['nextCursor']}").body
    assert seen == runs


def test_the_last_full_page_has_no_cursor(api: Api, runs: list[str]) -> None:
    assert "nextCursor" not in api.get("/runs?limit=5").body


def test_runs_made_between_two_pages_shift_nothing(api: Api, runs: list[str]) -> None:
    page = api.get("/runs?limit=2").body
    api.post("/runs", {"workflowId": "flow"})
    assert ids(api.get(f"/runs?limit=2&cursor={page['nextCursor']}").body) == runs[2:4]


def test_filters_are_exact_and_hold_over_pages(api: Api, runs: list[str]) -> None:
    api.post(f"/runs/{wire(runs[0])}/cancel", {})
    assert ids(api.get("/runs?workflowId=other").body) == [runs[1], runs[3]]
    assert ids(api.get("/runs?status=cancelled").body) == [runs[0]]
    assert ids(api.get("/runs?status=waiting-approval&workflowId=flow").body) == [runs[2], runs[4]]
    assert ids(api.get("/runs?workflowId=fl").body) == []
    first = api.get("/runs?workflowId=flow&limit=1").body
    assert ids(api.get(f"/runs?workflowId=flow&limit=9&cursor={first['nextCursor']}").body) == [runs[2], runs[4]]


def test_a_filter_that_is_not_offered_is_ignored(api: Api, runs: list[str]) -> None:
    assert ids(api.get("/runs?owner=nobody").body) == runs


def test_a_page_never_exceeds_the_advertised_size(api: Api, runs: list[str], settings: Any) -> None:
    settings.WOP_MAX_PAGE_SIZE = 3
    for limit in ("", "?limit=4", "?limit=100000"):
        page = api.get(f"/runs{limit}").body
        assert ids(page) == runs[:3]
        assert "nextCursor" in page


@pytest.mark.parametrize("limit", ["0", "-1", "1.5", "abc", "", "1e1", "٣", "1" * 30, " 1", "+1", "0x1"])
def test_a_limit_that_is_no_positive_number_is_refused(api: Api, limit: str) -> None:
    assert api.get(f"/runs?limit={limit.replace('+', '%2B')}").refused(400, "validation_error") == {"field": "limit"}


@pytest.mark.parametrize("status", ["", "done", "COMPLETED", "waiting-approval "])
def test_a_status_that_does_not_exist_is_refused(api: Api, status: str) -> None:
    assert api.get(f"/runs?status={status}").refused(400, "validation_error") == {"field": "status"}


@pytest.mark.parametrize("workflow_id", ["", "a%00b", "a/b", "x" * 129])
def test_a_workflow_id_outside_its_grammar_is_refused(api: Api, workflow_id: str) -> None:
    assert api.get(f"/runs?workflowId={workflow_id}").refused(400, "validation_error") == {"field": "workflowId"}


@pytest.mark.parametrize("cursor", ["", "openwop-conformance-not-a-cursor", "a:b", "%00", "é", "x" * 4000])
def test_a_cursor_of_nobodys_is_refused(api: Api, runs: list[str], cursor: str) -> None:
    assert api.get(f"/runs?cursor={cursor}").refused(400, "validation_error") == {"field": "cursor"}


def test_an_altered_cursor_is_refused(api: Api, runs: list[str]) -> None:
    cursor = api.get("/runs?limit=2").body["nextCursor"]
    value, _, signature = cursor.rpartition(":")
    for altered in (value, f"{value}x:{signature}", f"{value}:{signature[:-1]}", f"{cursor}x"):
        api.get(f"/runs?cursor={altered}").refused(400, "validation_error")


def test_a_cursor_of_another_tenant_or_another_use_of_the_key_is_refused(
    api: Api, stranger: Api, runs: list[str]
) -> None:
    cursor = api.get("/runs?limit=2").body["nextCursor"]
    stranger.get(f"/runs?cursor={cursor}").refused(400, "validation_error")
    other = signing.Signer(salt="other").sign_object(["2026-01-01T00:00:00+00:00", "acme/r-0123456789abcdef"])
    api.get(f"/runs?cursor={other}").refused(400, "validation_error")


def test_another_tenants_runs_are_never_listed(api: Api, stranger: Api, runs: list[str]) -> None:
    register(factories.one_gate(), of="globex")
    theirs = stranger.post("/runs", {"workflowId": "flow"}).body["runId"]
    assert ids(stranger.get("/runs").body) == [theirs]
    assert ids(api.get("/runs").body) == runs
