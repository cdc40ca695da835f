"""How many queries a request may cost: at most 12, whatever the number of refs and votes."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from interrupts.vocabulary import RefKind
from tests import factories
from tests.factories import register
from tests.surfaces.rest.api import KEY, Api, wire

pytestmark = pytest.mark.django_db

BUDGET = 12


def cost(api: Api, path: str, body: Any = None, **headers: str) -> int:
    """The queries of a successful request; transaction and savepoint marks are no queries."""
    api.get("/runs/bare")  # The first use of a key in a minute is noted, by a query that is not the operation's.
    with CaptureQueriesContext(connection) as captured:
        answer = api.get(path) if body is None else api.post(path, body, **headers)
    assert answer.status < 300, answer.raw
    marks = ("SAVEPOINT", "RELEASE", "ROLLBACK", "BEGIN", "COMMIT")
    return len([query for query in captured.captured_queries if not query["sql"].startswith(marks)])


def quorum(api: Api, *, refs: int, votes: int) -> str:
    """A run whose gate names so many people, so many of whom have voted already."""
    names = [f"voter-{n}" for n in range(refs)]
    register(factories.one_gate(f"q{refs}-{votes}", approversList=["olga", *names], requiredApprovals=votes + 1))
    run_id = str(api.post("/runs", {"workflowId": f"q{refs}-{votes}"}).body["runId"])
    for name in names[:votes]:
        factories.answer(factories.actor(name), run_id, "accept")
    return run_id


def test_creating_a_run_with_one_gate_stays_within_its_budget(api: Api) -> None:
    register(factories.one_gate())
    register(factories.one_gate("many", approversList=[f"voter-{n}" for n in range(30)]))
    assert cost(api, "/runs", {"workflowId": "flow"}) <= BUDGET
    assert cost(api, "/runs", {"workflowId": "many"}) <= BUDGET


def test_creating_a_run_costs_the_same_for_few_and_many_refs(api: Api) -> None:
    register(factories.one_gate("few", approversList=["a", "b"]))
    register(factories.one_gate("many", approversList=[f"voter-{n}" for n in range(30)]))
    assert cost(api, "/runs", {"workflowId": "few"}) == cost(api, "/runs", {"workflowId": "many"})


def test_deciding_a_gate_costs_the_same_for_few_and_many_refs_and_votes(api: Api) -> None:
    few, many = quorum(api, refs=2, votes=1), quorum(api, refs=20, votes=15)
    body = {"resumeValue": {"action": "accept"}}
    cost_few = cost(api, f"/runs/{wire(few)}/interrupts/gate", body)
    cost_many = cost(api, f"/runs/{wire(many)}/interrupts/gate", body)
    assert factories.status(few) == factories.status(many) == "completed"
    assert cost_few == cost_many
    assert cost_many <= BUDGET


def test_answering_through_a_group_or_a_role_stays_within_the_budget(api: Api) -> None:
    olga = factories.actor("olga")
    factories.let_answer_as(olga, RefKind.ROLE, "finance")
    register(factories.one_gate(approverRoleRefs=["finance"], approverGroupRefs=["board"]))
    run_id = api.post("/runs", {"workflowId": "flow"}).body["runId"]
    assert cost(api, f"/runs/{wire(run_id)}/interrupts/gate", {"resumeValue": {"action": "accept"}}) <= BUDGET


def test_an_idempotency_key_costs_three_queries(api: Api, gate_run: str) -> None:
    register(factories.one_gate())
    plain = cost(api, "/runs", {"workflowId": "flow"})
    assert cost(api, "/runs", {"workflowId": "flow"}, Idempotency_Key=KEY) == plain + 3


def test_reading_costs_the_same_whatever_there_is(api: Api, gate_run: str) -> None:
    one = cost(api, "/runs")
    for _ in range(5):
        api.post("/runs", {"workflowId": "flow"})
    assert cost(api, "/runs") == one <= 3
    assert cost(api, f"/runs/{wire(gate_run)}") <= 3
    assert cost(api, f"/runs/{wire(gate_run)}/events/poll") <= 3
