"""Answering an interrupt, by run and by token (wire contract §13)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, NoReturn

from django.http import HttpResponse
from rest_framework.request import Request

from interrupts.errors import InterruptTokenInvalid, ValidationFailed
from interrupts.services.resolve import ResolveRequest, ResumeValue, resolve_interrupt
from interrupts.surfaces.rest.base import ProtocolView
from interrupts.surfaces.rest.operations import Operation
from interrupts.surfaces.rest.responses import json_response
from interrupts.vocabulary import Scope


class ResolveView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "POST": Operation(
            id="resolveInterruptByRun",
            summary="Answer the interrupt that is open at a node",
            scope=Scope.APPROVALS_RESPOND,
            body="resolve-interrupt-request",
            answers={200: "resolve-interrupt-response"},
            raises=("id_tenant_mismatch", "interrupt_already_resolved", "conversation_speaker_not_participant"),
        )
    }

    def post(self, request: Request, run_id: str, node_id: str) -> HttpResponse:
        raw = self.raw()
        command = ResolveRequest(
            actor=self.actor,
            run_id=run_id,
            node_id=node_id,
            answer=self._answer(raw),
            idempotency_key=self.idempotency_key(raw),
        )
        done = resolve_interrupt(request=command, now=self.now)
        return json_response(done.result, is_replay=done.is_replay)

    def _answer(self, raw: bytes) -> ResumeValue | ValidationFailed:
        """A body without the right shape is told only once there is something to answer (§13, step 4)."""
        try:
            return ResumeValue(self.body(raw)["resumeValue"])
        except ValidationFailed as error:
            return error


class TokenView(ProtocolView):
    """Signed links. This host mints none yet, so no token can be one of its own: each is refused as not authentic."""

    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation(
            id="inspectInterruptByToken",
            summary="What a signed link asks",
            answers={200: "suspend-request"},
            raises=("interrupt_token_invalid",),
        ),
        "POST": Operation(
            id="resolveInterruptByToken",
            summary="Answer by a signed link",
            body="resolve-interrupt-request",
            answers={200: "resolve-interrupt-response"},
            raises=("interrupt_token_invalid",),
        ),
    }

    def get(self, request: Request, token: str) -> NoReturn:
        raise InterruptTokenInvalid

    def post(self, request: Request, token: str) -> NoReturn:
        raise InterruptTokenInvalid
