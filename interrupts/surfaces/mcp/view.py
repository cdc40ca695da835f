"""``/host/wopsite/mcp``: MCP over streamable HTTP, behind the same key and limits as every other operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Final

from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.utils import timezone
from django.utils.module_loading import import_string
from rest_framework.request import Request

from interrupts import conf
from interrupts.contracts.json_text import MalformedJson, parse_json
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import Forbidden
from interrupts.surfaces.addresses import origin_of
from interrupts.surfaces.methods.table import perform
from interrupts.surfaces.rest.base import ProtocolView
from interrupts.surfaces.rest.operations import Operation
from interrupts.surfaces.rest.responses import json_response
from interrupts.surfaces.rpc.framing import PARSE_ERROR, error_of, unreadable

_EXCHANGE: Final = "interrupts.surfaces.mcp.exchange.exchange"


class McpView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "POST": Operation(
            id="useTools",
            summary="The Model Context Protocol, over streamable HTTP without sessions",
            has_scope_per_call=True,
            body="mcp-message",
            answers={200: "mcp-message", 202: None},
            refusal="mcp-refusal",
        )
    }

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        """Clients ask for a stream by GET and end a session by DELETE; 405 tells them that there is neither."""
        if request.method in {"GET", "DELETE"}:
            refusal = HttpResponse(status=405, headers={"Allow": "POST"})
            del refusal["Content-Type"]
            return refusal
        return super().dispatch(request, *args, **kwargs)

    def post(self, request: Request) -> HttpResponse:
        self._check_origin()
        raw = self.raw()
        try:
            parse_json(raw, max_bytes=conf.limits().max_body_bytes)
        except MalformedJson as error:
            return json_response(error_of(None, unreadable(error), PARSE_ERROR), status=400)
        response: HttpResponse = import_string(_EXCHANGE)(self._call, self.http, raw)
        return response

    def _call(self, method: str, params: JsonValue) -> JsonObject:
        key = self.http.headers.get("Idempotency-Key")
        done = perform(method, params, actor=self.actor, now=timezone.now(), idempotency_key=key, transport="mcp")
        return done.result

    def _check_origin(self) -> None:
        """A page of another site, opened in a browser, must not reach a host inside the browser's network."""
        origin = self.http.headers.get("Origin")
        if origin is not None and origin not in {conf.public_url(), origin_of(self.http)}:
            raise Forbidden("Pages of other sites may not call this host.", details={"field": "Origin"})
