"""Methods about runs: start, list, look at, follow and cancel."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final, cast

from interrupts import conf, selectors
from interrupts.conf import DEFAULT_PAGE_SIZE
from interrupts.contracts.shipped import shipped, shipped_document
from interrupts.contracts.types import JsonObject
from interrupts.contracts.validation import validate
from interrupts.errors import TenantMismatch
from interrupts.ids import tenant_of
from interrupts.problems import validation_failed
from interrupts.services.idempotency import Done
from interrupts.services.pausing import PauseRun, ResumeRun, pause_run, resume_run
from interrupts.services.runs import CancelRun, cancel_run, create_run, read_run
from interrupts.surfaces.creation import read_create_run
from interrupts.surfaces.cursors import mint_cursor, read_cursor
from interrupts.surfaces.documents import run_snapshot
from interrupts.surfaces.methods.base import Call, Method, changing, reading, refused
from interrupts.surfaces.polling import await_events
from interrupts.vocabulary import BOUND_ID_PATTERN, NODE_ID_PATTERN, TERMINAL_STATUSES, DrainPolicy, RunStatus, Scope

MAX_WAIT_SECONDS: Final = 60
TIMEOUT_MEMBER: Final = "timeout_seconds"
RUN_ID: Final[JsonObject] = {
    "type": "string",
    "maxLength": 256,
    "description": "The run's id, such as acme/r-0123456789abcdef.",
}
LIMIT: Final[JsonObject] = {"type": "integer", "minimum": 1, "maximum": 2**31, "description": "How many at most."}
CURSOR: Final[JsonObject] = {
    "type": "string",
    "maxLength": 1024,
    "description": "The next_cursor of the page before.",
}
_WORKFLOW_ID: Final[JsonObject] = {"type": "string", "pattern": NODE_ID_PATTERN, "description": "The workflow's id."}
_REASON: Final[JsonObject] = {"type": "string", "maxLength": 1000, "description": "Why, for the log."}
_MAX_SEQUENCE: Final = 2**53 - 1

# What createRun calls the parameters of workflow.runs.start.
_WIRE_NAMES: Final = {
    "workflow_id": "workflowId",
    "inputs": "inputs",
    "configurable": "configurable",
    "tags": "tags",
    "metadata": "metadata",
    "scope_id": "scopeId",
    "callback_url": "callbackUrl",
}


def run_id(call: Call) -> str:
    """Return the id of a run of the caller's tenant, judged from its text alone.

    Raises ValidationFailed for what is no id and TenantMismatch for another tenant's.
    """
    name = call.text("run_id")
    if not re.fullmatch(BOUND_ID_PATTERN, name):
        words = "This is not the id of a run. An id is <tenant>/<opaque>, such as acme/r-0123456789abcdef."
        raise refused(("run_id",), "format", words)
    if tenant_of(name) != call.actor.tenant_id:
        raise TenantMismatch
    return name


def timeout(default: int) -> JsonObject:
    """Return the schema of how long a method waits."""
    return {
        "type": "integer",
        "minimum": 0,
        "maximum": MAX_WAIT_SECONDS,
        "default": default,
        "description": "How many seconds to wait at most; 0 answers at once.",
    }


def page_size(call: Call) -> int:
    return min(call.number("limit", DEFAULT_PAGE_SIZE), conf.limits().max_page_size)


def _start(call: Call) -> Done:
    body = {wire: call.params[name] for name, wire in _WIRE_NAMES.items() if name in call.params}
    problems = validate(shipped("create-run-request"), body)
    if problems:
        raise validation_failed(problems)
    dedup = "enforce" if call.params.get("dedup") else None
    request = read_create_run(body, actor=call.actor, dedup=dedup, idempotency_key=call.key())
    done = create_run(request=replace(request, transport=call.transport), now=call.now)
    return Done({"run_id": done.result["runId"], "status": done.result["status"]}, done.is_replay)


def _cancel(call: Call) -> Done:
    request = CancelRun(
        actor=call.actor,
        run_id=run_id(call),
        reason=call.optional_text("reason"),
        idempotency_key=call.key(),
    )
    done = cancel_run(request=request, now=call.now)
    return Done({"run_id": done.result["runId"], "status": done.result["status"]}, done.is_replay)


def _pause(call: Call) -> Done:
    policy = DrainPolicy.IMMEDIATE if call.params.get("immediate") else DrainPolicy.DRAIN_CURRENT_NODE
    request = PauseRun(call.actor, run_id(call), policy, call.optional_text("reason"), call.key())
    done = pause_run(request=request, now=call.now)
    begun: JsonObject = {"paused_at": done.result["pausedAt"]} if "pausedAt" in done.result else {}
    return Done({"run_id": done.result["runId"], "status": done.result["status"], **begun}, done.is_replay)


def _unpause(call: Call) -> Done:
    done = resume_run(
        request=ResumeRun(call.actor, run_id(call), call.optional_text("reason"), call.key()), now=call.now
    )
    told: JsonObject = {
        "run_id": done.result["runId"],
        "status": done.result["status"],
        "resumed_at": done.result["resumedAt"],
    }
    return Done(told, done.is_replay)


def _get(call: Call) -> Done:
    run = read_run(tenant_id=call.actor.tenant_id, run_id=run_id(call))
    told: JsonObject = {"run_id": run.pk, "status": run.status, "is_terminal": run.status in TERMINAL_STATUSES}
    if run.parent_run_id is not None:
        told |= {"parent_run_id": run.parent_run_id, "parent_node_id": run.parent_node_id}
    return Done({**told, "run": run_snapshot(run)})


def _events(call: Call) -> Done:
    page = await_events(
        tenant_id=call.actor.tenant_id,
        run_id=run_id(call),
        after=call.number("after", -1),
        seconds=call.number(TIMEOUT_MEMBER, 0),
    )
    return Done(
        {
            "run_id": page["runId"],
            "status": page["status"],
            "is_terminal": page["isTerminal"],
            "last_sequence": page["lastSequence"],
            "events": page["events"],
        }
    )


def _list(call: Call) -> Done:
    size = page_size(call)
    cursor = call.optional_text("cursor")
    runs = selectors.list_runs(
        call.actor.tenant_id,
        after=None if cursor is None else read_cursor(cursor, tenant_id=call.actor.tenant_id),
        limit=size + 1,
        workflow_id=call.optional_text("workflow_id"),
        status=call.optional_text("status"),
    )
    page: JsonObject = {"runs": [run_snapshot(run) for run in runs[:size]]}
    if len(runs) > size:
        page["next_cursor"] = mint_cursor(runs[size - 1])
    return Done(page)


def _wire_property(name: str) -> JsonObject:
    properties = cast("JsonObject", shipped_document("create-run-request")["properties"])
    return cast("JsonObject", properties[name])


METHODS: Final = (
    Method(
        name="workflow.runs.start",
        summary="Start a run of a workflow's newest version",
        params_schema=changing(
            {"workflow_id": _WORKFLOW_ID},
            {
                "inputs": {"type": "object", "description": "What the workflow declares as its inputs."},
                "configurable": {"type": "object", "description": "Options of the run that the workflow allows."},
                "tags": _wire_property("tags"),
                "metadata": _wire_property("metadata"),
                "scope_id": _wire_property("scopeId"),
                "dedup": {"type": "boolean", "description": "Refuse a second active run of the same scope_id."},
                "callback_url": _wire_property("callbackUrl"),
            },
        ),
        result="run_id and status of the new run",
        scope=Scope.RUNS_CREATE,
        run=_start,
    ),
    Method(
        name="workflow.runs.list",
        summary="The tenant's runs, newest first",
        params_schema=reading(
            {},
            {
                "limit": LIMIT,
                "cursor": CURSOR,
                "workflow_id": _WORKFLOW_ID,
                "status": {"enum": [str(status) for status in RunStatus], "description": "Only runs in this status."},
            },
        ),
        result="runs, each as GET /runs/{runId} shows it, and next_cursor where there are more",
        scope=Scope.RUNS_READ,
        run=_list,
    ),
    Method(
        name="workflow.runs.get",
        summary="Where a run stands",
        params_schema=reading({"run_id": RUN_ID}),
        result="run_id, status, is_terminal, of a child also its parent, and run as GET /runs/{runId} shows it",
        scope=Scope.RUNS_READ,
        run=_get,
    ),
    Method(
        name="workflow.runs.events",
        summary="What is new in a run's log: at once, or as soon as there is something",
        params_schema=reading(
            {"run_id": RUN_ID},
            {
                "after": {
                    "type": "integer",
                    "minimum": -1,
                    "maximum": _MAX_SEQUENCE,
                    "default": -1,
                    "description": "Only events past this one: the last_sequence of the answer before.",
                },
                TIMEOUT_MEMBER: timeout(0),
            },
        ),
        result="run_id, status, is_terminal, last_sequence, and events as the protocol writes them",
        scope=Scope.RUNS_READ,
        run=_events,
    ),
    Method(
        name="workflow.runs.cancel",
        summary="End a run early",
        params_schema=changing({"run_id": RUN_ID}, {"reason": _REASON}),
        result="run_id and status of the run",
        scope=Scope.RUNS_CANCEL,
        run=_cancel,
        is_destructive=True,
    ),
    Method(
        name="workflow.runs.pause",
        summary="Let a run start nothing more until it is unpaused",
        params_schema=changing(
            {"run_id": RUN_ID},
            {
                "immediate": {
                    "type": "boolean",
                    "default": False,
                    "description": "Cut short what is under way; it starts anew when the run goes on.",
                },
                "reason": _REASON,
            },
        ),
        result="run_id, status, and paused_at; without it the pause begins when what is under way has ended",
        scope=Scope.RUNS_CANCEL,
        run=_pause,
    ),
    Method(
        name="workflow.runs.unpause",
        summary="Let a paused run go on, or take back a pause that has not begun",
        params_schema=changing({"run_id": RUN_ID}, {"reason": _REASON}),
        result="run_id, status and resumed_at; where the run stands then, workflow.runs.get tells",
        scope=Scope.RUNS_CANCEL,
        run=_unpause,
    ),
)
