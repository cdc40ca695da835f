"""Reading workflows, and registering their versions (wire contract §6; registration is this host's own)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final, cast
from urllib.parse import quote

from django.http import HttpResponse
from rest_framework.request import Request

from interrupts.contracts.types import JsonObject
from interrupts.engine.definition.diagnostics import verdict
from interrupts.services import idempotency
from interrupts.services.workflows import Registered, diagnose_workflow, read_workflow, register_workflow
from interrupts.surfaces.rest.base import ProtocolView
from interrupts.surfaces.rest.bodies import read_json
from interrupts.surfaces.rest.operations import Operation
from interrupts.surfaces.rest.paths import read_authored_id
from interrupts.surfaces.rest.responses import PRIVATE, conditional, json_response, text_response
from interrupts.vocabulary import Scope

_MEMBERS: Final = ("workflowId", "version", "digest")


class WorkflowView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation(
            id="getWorkflow",
            summary="The newest version of a workflow, as its author wrote it",
            scope=Scope.MANIFEST_READ,
            answers={200: "workflow-definition"},
            is_conditional=True,
        )
    }

    def get(self, request: Request, workflow_id: str) -> HttpResponse:
        name = read_authored_id(workflow_id, field="workflowId")
        workflow = read_workflow(tenant_id=self.actor.tenant_id, workflow_id=name)
        etag = f'"{workflow.digest}"'
        return conditional(self.http, lambda: text_response(workflow.document), etag=etag, cache=PRIVATE)


class RegistrationView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "POST": Operation(
            id="registerWorkflow",
            summary="Register one version of a workflow; a version never changes afterwards",
            scope=Scope.WORKFLOWS_WRITE,
            body="workflow-definition",
            answers={201: "register-workflow-response", 200: "register-workflow-response"},
            raises=("version_conflict",),
        )
    }

    def post(self, request: Request) -> HttpResponse:
        raw = self.raw()
        document = read_json(raw)

        def register() -> JsonObject:
            return _outcome(register_workflow(tenant_id=self.actor.tenant_id, document=document, now=self.now))

        done = idempotency.run(register, key=self.idempotency_key(raw), now=self.now)
        location = f"/workflows/{quote(cast('str', done.result['workflowId']), safe='')}"
        return json_response(
            {name: done.result[name] for name in _MEMBERS},
            status=201 if done.result["isNew"] else 200,
            is_replay=done.is_replay,
            headers={"Location": location},
        )


class CheckView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "POST": Operation(
            id="checkWorkflow",
            summary="Whether a document is a good definition; nothing is stored",
            scope=Scope.WORKFLOWS_WRITE,
            body="workflow-definition",
            answers={200: "check-workflow-response"},
        )
    }

    def post(self, request: Request) -> HttpResponse:
        """Tell what is wrong as the answer: a document with faults is what this was asked about, not a bad request."""
        raw = self.raw()
        document = read_json(raw)

        def check() -> JsonObject:
            return verdict(diagnose_workflow(tenant_id=self.actor.tenant_id, document=document))

        done = idempotency.run(check, key=self.idempotency_key(raw), now=self.now)
        return json_response(done.result, is_replay=done.is_replay)


def _outcome(registered: Registered) -> JsonObject:
    workflow = registered.workflow
    return {
        "workflowId": workflow.workflow_id,
        "version": workflow.version,
        "digest": workflow.digest,
        "isNew": registered.is_new,
    }
