"""Asking a question without writing a workflow: a script or an agent raises it, waits, and reads the answer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, cast

from interrupts import selectors
from interrupts.actor import Actor
from interrupts.contracts.json_text import digest
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.engine.definition import check_definition
from interrupts.engine.definition.ids import QUESTION_PREFIX
from interrupts.errors import VersionConflict
from interrupts.problems import validation_failed
from interrupts.services import idempotency
from interrupts.services.runs import CreateRun, create_run
from interrupts.services.workflows import store_workflow

_NODE: Final = "question"
_TYPE: Final = "vendor.wopsite.interrupt"
_VARIABLE: Final = "payload"
_CONFIG: Final = "/nodes/0/config"
_NAME_LENGTH: Final = 200


@dataclass(frozen=True, slots=True)
class RaiseQuestion:
    """One question. ``contract`` holds what a ``vendor.wopsite.interrupt`` is configured with, but for its bindings."""

    actor: Actor
    contract: JsonObject
    payload: JsonObject
    transport: str = "rest"
    idempotency_key: idempotency.Key | None = None


def raise_question(*, request: RaiseQuestion, now: datetime) -> idempotency.Done:
    """Start a run that asks just this. Returns ``{run_id, interrupt_id, status}``.

    Questions of one contract are runs of one workflow, registered with the first of them, whose id is made from the
    contract. Raises ValidationFailed, with problems in the contract and below ``/payload``.
    """
    document = _document(request.contract)
    _check(request, document)
    _register(request.actor.tenant_id, document, now)
    command = CreateRun(
        actor=request.actor,
        workflow_id=cast("str", document["id"]),
        inputs={_VARIABLE: request.payload},
        transport=request.transport,
        idempotency_key=request.idempotency_key,
    )
    done = create_run(request=command, now=now)
    run_id = cast("str", done.result["runId"])
    raised = selectors.suspension_of(run_id)
    interrupt_id = None if raised is None else raised.pk
    return replace(done, result={"run_id": run_id, "interrupt_id": interrupt_id, "status": done.result["status"]})


def _document(contract: JsonObject) -> JsonObject:
    source: JsonObject = {"type": "variable", "variableName": _VARIABLE}
    bound: list[JsonValue] = [{"target": "", "from": source}]
    node: JsonObject = {
        "id": _NODE,
        "typeId": _TYPE,
        "name": _NODE,
        "position": {"x": 0, "y": 0},
        "config": {**contract, "request": bound},
        "inputs": {},
    }
    return {
        "id": f"{QUESTION_PREFIX}{digest(contract)[:32]}",
        "name": str(contract.get("title", contract["kind"]))[:_NAME_LENGTH],
        "version": "1",
        "nodes": [node],
        "edges": [],
        "triggers": [],
        "variables": [{"name": _VARIABLE, "type": "object", "required": True}],
        "metadata": {},
        "settings": {},
    }


def _check(request: RaiseQuestion, document: JsonObject) -> None:
    """Check before anything is stored, and tell what is wrong by pointers into what the caller sent."""
    # Its own id is reserved for it, and refused to everybody else.
    problems = check_definition({**document, "id": _NODE})
    if problems:
        raise validation_failed(
            [replace(problem, pointer=problem.pointer.removeprefix(_CONFIG)) for problem in problems]
        )
    if "request_schema" in request.contract:
        schema = compile_schema(cast("JsonObject", request.contract["request_schema"]))
        problems = validate(schema, request.payload)
        if problems:
            raise validation_failed(problems, base="/payload")


def _register(tenant_id: str, document: JsonObject, now: datetime) -> None:
    registered = store_workflow(tenant_id=tenant_id, definition=document, now=now).workflow
    latest = selectors.latest_workflow(tenant_id, registered.workflow_id)
    if latest is None or latest.pk != registered.pk:
        raise VersionConflict(
            f"Somebody registered a version of their own of “{registered.workflow_id}”, the workflow of this question."
            " Ask with another kind or title."
        )
