"""GET /host/wopsite/runs/{runId}/interrupt: an interrupted run describes itself."""

from __future__ import annotations

import pytest

from interrupts.vocabulary import Scope
from tests import factories
from tests.surfaces.rest.api import Answer, Api, wire

pytestmark = pytest.mark.django_db


def inspect(api: Api, run_id: str) -> Answer:
    return api.get(f"/host/wopsite/runs/{wire(run_id)}/interrupt")


def test_inspect_includes_schemas_outcomes_typed_flag_and_payload(api: Api, gate_run: str) -> None:
    answer = inspect(api, gate_run)
    assert answer.status == 200
    assert answer.fits("inspect-run-response")
    assert (answer.body["status"], answer.body["run_status"]) == ("interrupted", "waiting-approval")
    request = answer.body["interrupt"]
    assert request["payload"] == factories.suspension(gate_run).payload["data"]
    assert request["outcomes"] == request["payload"]["actions"]
    assert (request["request_schema"]["type"], request["resume_schema"]["type"]) == ("object", "object")
    assert request["typed"] is True


def test_a_run_that_waits_for_nothing_has_no_interrupt(api: Api, gate_run: str) -> None:
    factories.answer(factories.actor("ann"), gate_run, "accept")
    answer = inspect(api, gate_run)
    assert answer.fits("inspect-run-response")
    assert (answer.body["status"], answer.body["interrupt"]) == ("completed", None)


def test_several_open_interrupts_are_all_named(api: Api) -> None:
    run_id = factories.start_flow(factories.workflow([factories.gate_node("a"), factories.gate_node("b")]))
    answer = inspect(api, run_id)
    assert answer.fits("inspect-run-response")
    assert len(answer.body["interrupts"]) == 2


def test_inspecting_needs_the_scope_for_runs(gate_run: str) -> None:
    secret = factories.api_key("ann", scopes=[Scope.APPROVALS_RESPOND])
    inspect(Api(secret), gate_run).refused(403, "forbidden")
    inspect(Api(), gate_run).refused(401, "unauthenticated")


def test_a_run_that_is_not_there_or_another_tenants_is_refused(api: Api, gate_run: str) -> None:
    inspect(api, "acme/r-00000000000000000000000000000000").refused(404, "not_found")
    inspect(Api(factories.api_key("eve", of="other")), gate_run).refused(403, "id_tenant_mismatch")
