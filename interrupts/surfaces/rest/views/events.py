"""The log of a run, by long poll (wire contract §9.2)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Final

from django.http import HttpResponse
from rest_framework.request import Request

from interrupts.surfaces.polling import await_events
from interrupts.surfaces.rest.base import ProtocolView
from interrupts.surfaces.rest.bodies import read_integer
from interrupts.surfaces.rest.operations import Operation, Parameter
from interrupts.surfaces.rest.responses import json_response
from interrupts.vocabulary import Scope

_MAX_SEQUENCE: Final = 2**53 - 1
_DEFAULT_SECONDS: Final = 30
_MAX_SECONDS: Final = 60


class PollView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation(
            id="pollRunEvents",
            summary="What is new in a run's log: at once, or as soon as there is something",
            scope=Scope.RUNS_READ,
            answers={200: "poll-response"},
            parameters=(
                Parameter(
                    name="afterSequence",
                    schema={"type": "integer", "minimum": -1, "maximum": _MAX_SEQUENCE},
                    description="Only events past this one: the lastSequence of the answer before.",
                ),
                Parameter(
                    name="timeout",
                    schema={"type": "integer", "minimum": 1, "maximum": _MAX_SECONDS, "default": _DEFAULT_SECONDS},
                    description="How many seconds to wait at most.",
                ),
                Parameter(name="streamMode", schema={"type": "string"}, description="Makes no difference here."),
            ),
            raises=("id_tenant_mismatch", "rate_limited"),
        )
    }

    def get(self, request: Request, run_id: str) -> HttpResponse:
        # -1 is what lastSequence says of an empty log, so it may be sent back.
        after = read_integer(self.http, "afterSequence", default=-1, minimum=-1, maximum=_MAX_SEQUENCE)
        seconds = read_integer(self.http, "timeout", default=_DEFAULT_SECONDS, minimum=1, maximum=_MAX_SECONDS)
        page = await_events(tenant_id=self.actor.tenant_id, run_id=run_id, after=after, seconds=seconds)
        return json_response(page)
