"""What this host is and offers, readable by anyone (wire contract §1.1)."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import partial
from typing import ClassVar

from django.http import HttpRequest, HttpResponse
from rest_framework.request import Request

from interrupts.capabilities import discovery_document
from interrupts.contracts.json_text import dump_json
from interrupts.surfaces.rest.base import ProtocolView
from interrupts.surfaces.rest.openapi import openapi_text
from interrupts.surfaces.rest.operations import Operation
from interrupts.surfaces.rest.responses import REVALIDATED, conditional, text_response


class DiscoveryView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation(
            id="getCapabilities",
            summary="What this host offers",
            answers={200: "capabilities"},
            is_conditional=True,
        )
    }

    def get(self, request: Request) -> HttpResponse:
        return _conditional(self.http, dump_json(discovery_document()))


class OpenApiView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation(
            id="getOpenApi",
            summary="This document",
            answers={200: "openapi-document"},
            is_conditional=True,
        )
    }

    def get(self, request: Request) -> HttpResponse:
        return _conditional(self.http, openapi_text())


def _conditional(request: HttpRequest, text: str) -> HttpResponse:
    etag = f'"{hashlib.sha256(text.encode()).hexdigest()[:32]}"'
    return conditional(request, partial(text_response, text), etag=etag, cache=REVALIDATED)
