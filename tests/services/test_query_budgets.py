"""How many queries an operation may cost: as many for a large gate as for a small one.

The numbers are upper bounds on purpose: saving a query breaks nothing, spending one more does.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest
from django.contrib.contenttypes.models import ContentType
from django.db import connection
from django.test.utils import CaptureQueriesContext

from approvals import notices
from interrupts import deliveries
from interrupts.models import Delivery, Run
from interrupts.services.expire import fire_due_timers
from interrupts.services.runs import CancelRun, cancel_run
from tests.factories import (
    NOW,
    actor,
    after,
    answer,
    chain,
    gate_node,
    idempotency_key,
    log_of,
    node,
    one_gate,
    register,
    start,
)
from tests.services.mailing import with_address


@contextmanager
def counted() -> Iterator[Callable[[], int]]:
    """Count statements, without those that only mark savepoints (a request has one transaction and fewer of them)."""
    ContentType.objects.clear_cache()
    with CaptureQueriesContext(connection) as queries:
        yield lambda: len([q for q in queries if "SAVEPOINT" not in q["sql"]])


def cost(operation: Callable[[], object]) -> int:
    with counted() as count:
        operation()
    return count()


def people(number: int) -> list[str]:
    return [f"p{index:03}" for index in range(number)]


def start_cost(refs: int) -> int:
    owner = actor("owner")
    register(one_gate(f"flow{refs}", approversList=people(refs)))
    return cost(lambda: start(owner, f"flow{refs}"))


def test_starting_a_run_that_opens_a_gate_costs_as_much_for_a_hundred_names_as_for_two() -> None:
    small, large = start_cost(2), start_cost(100)
    assert small == large <= 8


def test_registering_a_workflow_costs_as_much_for_a_hundred_names_as_for_two() -> None:
    actor("owner")
    small = cost(lambda: register(one_gate("small", approversList=people(2))))
    large = cost(lambda: register(one_gate("large", approversList=people(100))))
    assert small == large


def vote_cost(*, refs: int, earlier: int, required: int) -> int:
    """The cost of one vote at a gate with so many names and earlier votes."""
    voters = [actor(name) for name in people(earlier + 1)]
    register(one_gate(f"f{refs}-{earlier}", approversList=people(refs), requiredApprovals=required))
    run_id = start(actor("owner"), f"f{refs}-{earlier}")
    for voter in voters[:-1]:
        answer(voter, run_id, "accept")
    return cost(lambda: answer(voters[-1], run_id, "accept"))


def test_a_vote_that_does_not_decide_costs_as_much_among_many_names_and_votes_as_among_few() -> None:
    few = vote_cost(refs=12, earlier=1, required=11)
    many = vote_cost(refs=100, earlier=9, required=11)
    assert few == many <= 6


def test_the_deciding_vote_costs_as_much_among_many_names_and_votes_as_among_few() -> None:
    few = vote_cost(refs=3, earlier=1, required=2)
    many = vote_cost(refs=100, earlier=9, required=10)
    assert few == many <= 10


def test_a_key_for_the_request_costs_three_more() -> None:
    owner = actor("owner")
    register(one_gate())
    plain, keyed = start(owner), start(owner)
    without = cost(lambda: answer(owner, plain, "accept"))
    with_key = cost(lambda: answer(owner, keyed, "accept", key=idempotency_key()))
    assert with_key == without + 3


def test_a_replay_costs_two_statements() -> None:
    owner, key = actor("owner"), idempotency_key()
    register(one_gate())
    run_id = start(owner)
    answer(owner, run_id, "accept", key=key)
    assert cost(lambda: answer(owner, run_id, "accept", key=key)) == 2


def test_the_nodes_a_run_goes_through_cost_nothing_each() -> None:
    owner = actor("owner")
    register(chain(node("a"), workflow_id="short"))
    register(chain(*[node(f"n{index}") for index in range(40)], workflow_id="long"))
    short, long = cost(lambda: start(owner, "short")), cost(lambda: start(owner, "long"))
    assert short == long <= 4


@pytest.mark.parametrize("gates", [1, 20])
def test_cancelling_costs_as_much_for_many_waiting_gates_as_for_one(gates: int) -> None:
    owner = actor("owner")
    nodes = [gate_node(f"g{index}", timeoutMs=60_000) for index in range(gates)]
    register({**chain(*nodes), "edges": []})
    run_id = start(owner)
    assert cost(lambda: cancel_run(request=CancelRun(owner, run_id), now=NOW)) <= 7


def test_a_sweep_with_nothing_due_is_one_query() -> None:
    register(one_gate(timeoutMs=60_000))
    start(actor("owner"))
    assert cost(lambda: fire_due_timers(now=after(seconds=59))) == 1


def dropping_cost(number: int) -> int:
    for _ in range(number):
        run_id = start(actor("owner"))
        Run.objects.filter(pk=run_id).update(callback_url="https://receiver.example/")
        deliveries.publish(Run.objects.get(pk=run_id), log_of(run_id), now=NOW)
        cancel_run(request=CancelRun(actor=actor("owner"), run_id=run_id), now=NOW)
    claimed = cost(lambda: deliveries.claim(now=NOW, limit=32))
    assert Delivery.objects.filter(outcome="dropped").count() == number
    Delivery.objects.all().delete()
    return claimed


def test_ending_deliveries_that_nobody_wants_costs_as_much_for_many_as_for_two() -> None:
    register(one_gate())
    small, large = dropping_cost(2), dropping_cost(20)
    assert small == large <= 5


def spread_cost(number: int) -> int:
    for name in people(number):
        with_address(name)
    register(one_gate(f"told{number}", approversList=people(number)))
    start(actor("owner"), f"told{number}")
    return cost(lambda: notices.spread_next(now=NOW))


def test_finding_out_whom_to_tell_costs_as_much_for_many_people_as_for_two() -> None:
    assert spread_cost(2) == spread_cost(20) <= 7
