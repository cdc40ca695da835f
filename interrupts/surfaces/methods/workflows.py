"""Methods about workflow definitions: check one, register one."""

from __future__ import annotations

from typing import Final

from interrupts.contracts.types import JsonObject
from interrupts.engine.definition.diagnostics import verdict
from interrupts.services import idempotency
from interrupts.services.idempotency import Done
from interrupts.services.workflows import diagnose_workflow, register_workflow
from interrupts.surfaces.methods.base import Call, Method, changing, reading
from interrupts.vocabulary import Scope

_WORKFLOW: Final[JsonObject] = {"type": "object", "description": "The definition, as docs/workflows.md says."}


def _validate(call: Call) -> Done:
    """Tell what is wrong as a result: a document with faults is what this was asked about, not a failed call."""
    return Done(verdict(diagnose_workflow(tenant_id=call.actor.tenant_id, document=call.params["workflow"])))


def _register(call: Call) -> Done:
    def register() -> JsonObject:
        registered = register_workflow(tenant_id=call.actor.tenant_id, document=call.params["workflow"], now=call.now)
        workflow = registered.workflow
        return {
            "workflow_id": workflow.workflow_id,
            "version": workflow.version,
            "digest": workflow.digest,
            "is_new": registered.is_new,
        }

    return idempotency.run(register, key=call.key(), now=call.now)


METHODS: Final = (
    Method(
        name="workflow.validate",
        summary="Whether a document is a good definition; nothing is stored",
        params_schema=reading({"workflow": _WORKFLOW}),
        result="valid, and diagnostics: each with code, severity, pointer into the document, and message",
        scope=Scope.WORKFLOWS_WRITE,
        run=_validate,
    ),
    Method(
        name="workflow.register",
        summary="Register one version of a workflow; a version never changes afterwards",
        params_schema=changing({"workflow": _WORKFLOW}),
        result="workflow_id, version, digest, and is_new: false when the very same document was there already",
        scope=Scope.WORKFLOWS_WRITE,
        run=_register,
    ),
)
