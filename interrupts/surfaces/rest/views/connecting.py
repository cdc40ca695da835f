"""Connecting an account for a run, as a client with a key does it (wire contract §22); people get pages instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from django.http import HttpResponse
from rest_framework.request import Request

from interrupts.services.connecting import Return, finish_connecting, start_connecting
from interrupts.surfaces.rest.base import ProtocolView
from interrupts.surfaces.rest.operations import Operation, Parameter
from interrupts.surfaces.rest.responses import json_response
from interrupts.vocabulary import Scope


class ConnectView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation(
            id="connectAccount",
            summary="Go to the provider whose account a credential interrupt asks for",
            scope=Scope.RUNS_READ,
            answers={302: "connect-account-response"},
            raises=("id_tenant_mismatch", "interrupt_already_resolved", "capability_required"),
        )
    }

    def get(self, request: Request, run_id: str, node_id: str) -> HttpResponse:
        url = start_connecting(actor=self.actor, run_id=run_id, node_id=node_id, now=self.now)
        headers = {"Location": url, "Referrer-Policy": "no-referrer"}
        return json_response({"url": url}, status=302, headers=headers)


class ConnectedView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation(
            id="accountConnected",
            summary="Come back from the provider, with its consent or without",
            scope=Scope.RUNS_READ,
            answers={200: "resolve-interrupt-response"},
            parameters=(
                Parameter(name="state", schema={"type": "string"}, description="As the provider was given it."),
                Parameter(name="code", schema={"type": "string"}, description="The provider's consent, if it gave it."),
            ),
            raises=("interrupt_already_resolved", "capability_required"),
        )
    }

    def get(self, request: Request) -> HttpResponse:
        query = self.http.GET
        back = Return(actor=self.actor, state=query.get("state", ""), code=query.get("code", ""))
        return json_response(finish_connecting(back=back, now=self.now))
