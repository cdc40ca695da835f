"""Creating, reading, listing, cancelling and pausing runs (wire contract §7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast

from django.http import HttpResponse
from rest_framework.request import Request

from interrupts import conf, selectors
from interrupts.conf import DEFAULT_PAGE_SIZE, MAX_BULK_RUN_IDS
from interrupts.contracts.types import JsonObject
from interrupts.errors import ValidationFailed
from interrupts.ids import project_id
from interrupts.services.pausing import PauseRun, ResumeRun, pause_run, resume_run
from interrupts.services.runs import BulkCancel, CancelRun, bulk_cancel, cancel_run, create_run, read_run
from interrupts.surfaces.creation import read_create_run
from interrupts.surfaces.cursors import mint_cursor, read_cursor
from interrupts.surfaces.documents import run_snapshot
from interrupts.surfaces.rest.base import ProtocolView
from interrupts.surfaces.rest.bodies import read_integer
from interrupts.surfaces.rest.operations import Operation, Parameter
from interrupts.surfaces.rest.paths import read_authored_id
from interrupts.surfaces.rest.responses import PRIVATE, conditional, json_response
from interrupts.vocabulary import DrainPolicy, RunStatus, Scope


class RunsView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation(
            id="listRuns",
            summary="The tenant's runs, newest first",
            scope=Scope.RUNS_READ,
            answers={200: "run-list-response"},
            parameters=(
                Parameter(name="limit", schema={"type": "integer", "minimum": 1}, description="How many at most."),
                Parameter(name="cursor", schema={"type": "string"}, description="The nextCursor of the page before."),
                Parameter(name="workflowId", schema={"type": "string"}, description="Only runs of this workflow."),
                Parameter(
                    name="status",
                    schema={"type": "string", "enum": [str(status) for status in RunStatus]},
                    description="Only runs in this status.",
                ),
            ),
        ),
        "POST": Operation(
            id="createRun",
            summary="Start a run of a workflow's newest version",
            scope=Scope.RUNS_CREATE,
            body="create-run-request",
            answers={201: "create-run-response"},
            parameters=(
                Parameter(
                    name="OpenWOP-Dedup",
                    location="header",
                    schema={"const": "enforce"},
                    description="Refuse a second active run of the same scopeId.",
                ),
            ),
            raises=(
                "run_already_active",
                "capability_required",
                "conversation_roster_exceeded",
                "credential_forbidden",
                "mock_provider_forbidden",
            ),
        ),
    }

    def get(self, request: Request) -> HttpResponse:
        query = self.http.GET
        size = min(
            read_integer(self.http, "limit", default=DEFAULT_PAGE_SIZE, minimum=1, maximum=2**31),
            conf.limits().max_page_size,
        )
        cursor = query.get("cursor")
        runs = selectors.list_runs(
            self.actor.tenant_id,
            after=None if cursor is None else read_cursor(cursor, tenant_id=self.actor.tenant_id),
            limit=size + 1,
            workflow_id=_workflow_filter(query.get("workflowId")),
            status=_status_filter(query.get("status")),
        )
        page: JsonObject = {"runs": [run_snapshot(run) for run in runs[:size]]}
        if len(runs) > size:
            page["nextCursor"] = mint_cursor(runs[size - 1])
        return json_response(page)

    def post(self, request: Request) -> HttpResponse:
        raw = self.raw()
        command = read_create_run(
            self.body(raw),
            actor=self.actor,
            dedup=self.http.headers.get("OpenWOP-Dedup"),
            idempotency_key=self.idempotency_key(raw),
        )
        done = create_run(request=command, now=self.now)
        url = f"/runs/{project_id(cast('str', done.result['runId']))}"
        body = {**done.result, "eventsUrl": f"{url}/events/poll", "statusUrl": url}
        return json_response(body, status=201, is_replay=done.is_replay, headers={"Location": url})


class RunView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation(
            id="getRun",
            summary="Where a run stands",
            scope=Scope.RUNS_READ,
            answers={200: "run-snapshot"},
            is_conditional=True,
            raises=("id_tenant_mismatch",),
        )
    }

    def get(self, request: Request, run_id: str) -> HttpResponse:
        run = read_run(tenant_id=self.actor.tenant_id, run_id=run_id)
        etag = f'"{run.last_sequence}"'
        return conditional(self.http, lambda: json_response(run_snapshot(run)), etag=etag, cache=PRIVATE)


class CancelView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "POST": Operation(
            id="cancelRun",
            summary="End a run early",
            scope=Scope.RUNS_CANCEL,
            body="cancel-request",
            body_is_optional=True,
            answers={200: "cancel-response"},
            raises=("id_tenant_mismatch", "run_terminal"),
        )
    }

    def post(self, request: Request, run_id: str) -> HttpResponse:
        raw = self.raw()
        command = CancelRun(
            actor=self.actor,
            run_id=run_id,
            reason=cast("str | None", self.body(raw).get("reason")),
            idempotency_key=self.idempotency_key(raw),
        )
        done = cancel_run(request=command, now=self.now)
        return json_response(done.result, is_replay=done.is_replay)


class PauseView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "POST": Operation(
            id="pauseRun",
            summary="Let a run start nothing more until it is resumed",
            scope=Scope.RUNS_CANCEL,
            body="pause-request",
            body_is_optional=True,
            answers={202: "pause-response"},
            raises=("id_tenant_mismatch", "run_terminal", "run_state_conflict"),
        )
    }

    def post(self, request: Request, run_id: str) -> HttpResponse:
        raw = self.raw()
        body = self.body(raw)
        command = PauseRun(
            actor=self.actor,
            run_id=run_id,
            drain_policy=DrainPolicy(cast("str", body.get("drainPolicy", DrainPolicy.DRAIN_CURRENT_NODE))),
            reason=cast("str | None", body.get("reason")),
            idempotency_key=self.idempotency_key(raw),
        )
        done = pause_run(request=command, now=self.now)
        return json_response(done.result, status=202, is_replay=done.is_replay)


class ResumeView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "POST": Operation(
            id="resumeRun",
            summary="Let a paused run go on",
            scope=Scope.RUNS_CANCEL,
            body="resume-request",
            body_is_optional=True,
            answers={202: "resume-response"},
            raises=("id_tenant_mismatch", "run_terminal", "run_state_conflict"),
        )
    }

    def post(self, request: Request, run_id: str) -> HttpResponse:
        raw = self.raw()
        command = ResumeRun(
            actor=self.actor,
            run_id=run_id,
            reason=cast("str | None", self.body(raw).get("reason")),
            idempotency_key=self.idempotency_key(raw),
        )
        done = resume_run(request=command, now=self.now)
        return json_response(done.result, status=202, is_replay=done.is_replay)


class BulkCancelView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "POST": Operation(
            id="bulkCancelRuns",
            summary="End many runs early, each judged on its own",
            scope=Scope.RUNS_CANCEL,
            body="bulk-cancel-request",
            answers={200: "bulk-cancel-response"},
        )
    }

    def post(self, request: Request) -> HttpResponse:
        raw = self.raw()
        body = self.body(raw)
        run_ids = cast("list[str]", body["runIds"])
        if len(run_ids) > MAX_BULK_RUN_IDS:
            raise ValidationFailed(
                f"At most {MAX_BULK_RUN_IDS} runs can be cancelled at once.",
                details={"field": "runIds", "maxRunIds": MAX_BULK_RUN_IDS},
            )
        command = BulkCancel(
            actor=self.actor,
            run_ids=tuple(run_ids),
            reason=cast("str | None", body.get("reason")),
            idempotency_key=self.idempotency_key(raw),
        )
        done = bulk_cancel(request=command, now=self.now)
        return json_response(done.result, is_replay=done.is_replay)


def _workflow_filter(text: str | None) -> str | None:
    return None if text is None else read_authored_id(text, field="workflowId")


def _status_filter(text: str | None) -> str | None:
    if text is not None and text not in set(RunStatus):
        raise ValidationFailed(f"A status is one of: {', '.join(RunStatus)}.", details={"field": "status"})
    return text
