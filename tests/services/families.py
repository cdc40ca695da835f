"""Parents and children, for the tests of sub-workflows."""

from __future__ import annotations

from typing import Any

from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from tests.factories import (
    after,
    finish_handed_on_work,
    run_of,
    start_flow,
)
from tests.invariants import assert_family_holds, assert_payloads_fit

CALL = "call"


def variable(name: str, kind: str = "string", **members: Any) -> JsonObject:
    return {"name": name, "type": kind, **members}


def begun(document: JsonObject, by: Actor, **request: Any) -> str:
    """Start a run and let the outbox do what it left; the whole family must hold."""
    run_id = start_flow(document, by=by, **request)
    settle(run_id)
    return run_id


def settle(run_id: str, **at: float) -> None:
    finish_handed_on_work(now=after(**at))
    assert_family_holds(run_id)
    assert_payloads_fit(run_id)


def error_of(run_id: str) -> Any:
    return run_of(run_id).error
