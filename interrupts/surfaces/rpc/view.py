"""``POST /host/wopsite/rpc``: JSON-RPC behind the same key, limits and headers as every other operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from interrupts.contracts.json_text import dump_json
from interrupts.surfaces.rest.base import ProtocolView
from interrupts.surfaces.rest.operations import Operation
from interrupts.surfaces.rest.responses import empty_response, text_response
from interrupts.surfaces.rpc.answering import answer


class RpcView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "POST": Operation(
            id="callMethods",
            summary="JSON-RPC 2.0: one call, or a batch of them",
            has_scope_per_call=True,
            body="json-rpc-message",
            answers={200: "json-rpc-answer", 204: None},
        )
    }

    def post(self, request: Request) -> HttpResponse:
        key = self.http.headers.get("Idempotency-Key")
        given = answer(self.raw(), actor=self.actor, idempotency_key=key)
        if given.body is None:
            return empty_response(is_replay=given.is_replay)
        return text_response(dump_json(given.body), is_replay=given.is_replay)
