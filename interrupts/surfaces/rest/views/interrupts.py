"""Looking at an interrupt and answering it, by run and by token (wire contract §13)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from interrupts.contracts.types import JsonObject
from interrupts.errors import ValidationFailed
from interrupts.events import isoformat
from interrupts.services.inspection import inspect_run
from interrupts.services.links import TokenAnswer, inspect_by_token, mint_link, resolve_by_token
from interrupts.services.resolve import ResolveRequest, ResumeValue, resolve_interrupt
from interrupts.services.tokens import Intent
from interrupts.surfaces.addresses import link_url
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
            answer=_answer(self, raw),
            idempotency_key=self.idempotency_key(raw),
        )
        done = resolve_interrupt(request=command, now=self.now)
        return json_response(done.result, is_replay=done.is_replay)


def _answer(view: ProtocolView, raw: bytes) -> ResumeValue | ValidationFailed:
    """A body without the right shape is told only once there is something to answer (§13, step 4)."""
    try:
        return ResumeValue(view.body(raw)["resumeValue"])
    except ValidationFailed as error:
        return error


class InspectView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation(
            id="inspectRun",
            summary="What a run waits for, and how it is answered",
            scope=Scope.RUNS_READ,
            answers={200: "inspect-run-response"},
            raises=("id_tenant_mismatch",),
        )
    }

    def get(self, request: Request, run_id: str) -> HttpResponse:
        return json_response(inspect_run(actor=self.actor, run_id=run_id, now=self.now))


class TokenView(ProtocolView):
    """Signed links: the token is the whole authority, and no other credential is looked at (wire contract §4.2)."""

    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation(
            id="inspectInterruptByToken",
            summary="What a signed link asks",
            answers={200: "suspend-request"},
            raises=("interrupt_token_invalid", "forbidden", "interrupt_already_resolved", "interrupt_expired"),
        ),
        "POST": Operation(
            id="resolveInterruptByToken",
            summary="Answer by a signed link",
            body="resolve-interrupt-request",
            answers={200: "resolve-interrupt-response"},
            raises=("interrupt_token_invalid", "forbidden", "interrupt_already_resolved", "interrupt_expired"),
        ),
    }

    def get(self, request: Request, token: str) -> HttpResponse:
        return json_response(inspect_by_token(token=token, now=self.now))

    def post(self, request: Request, token: str) -> HttpResponse:
        raw = self.raw()
        command = TokenAnswer(
            token=token,
            answer=_answer(self, raw),
            key=self.http.headers.get("Idempotency-Key"),
            digest=hashlib.sha256(raw).hexdigest(),
        )
        done = resolve_by_token(request=command, now=self.now)
        return json_response(done.result, is_replay=done.is_replay)


class LinkView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "POST": Operation(
            id="mintInterruptLink",
            summary="Mint a signed link to the interrupt that is open at a node",
            scope=Scope.APPROVALS_RESPOND,
            body="mint-link-request",
            body_is_optional=True,
            answers={201: "mint-link-response"},
            raises=("id_tenant_mismatch", "interrupt_already_resolved"),
        )
    }

    def post(self, request: Request, run_id: str, node_id: str) -> HttpResponse:
        raw = self.raw()
        body = self.body(raw)
        link = mint_link(
            actor=self.actor,
            run_id=run_id,
            node_id=node_id,
            intent=Intent(str(body.get("intent", Intent.RESOLVE))),
            approver=str(body.get("approver", "")),
            now=self.now,
            idempotency_key=self.idempotency_key(raw),
        )
        minted: JsonObject = {
            "token": link.token,
            "url": link_url(link.token, request=self.http),
            "intent": str(link.intent),
            "expiresAt": isoformat(link.expires_at),
        }
        return json_response(minted, status=201, is_replay=link.is_replay)
