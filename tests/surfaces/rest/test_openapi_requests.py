"""Requests made from the OpenAPI document, good ones and bad ones: whatever comes back stands in the document."""

from __future__ import annotations

import json
from typing import Any, Final
from urllib.parse import urlencode

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import Case, GenerationMode

from interrupts.surfaces.rest.openapi import openapi_text
from tests.surfaces.rest.api import Answer, Api, wire

pytestmark = pytest.mark.django_db

DOCUMENT: Final = json.loads(openapi_text())
OPERATIONS: Final = {
    found.definition.raw["operationId"]: found
    for found in (result.ok() for result in schemathesis.openapi.from_dict(DOCUMENT).get_all_operations())
    # The MCP SDK refuses in its own words: tests/surfaces/mcp.
    if found.path != "/host/wopsite/mcp"
}
# Not the version and the key: a request with a bad one is refused before the rest of it is read.
HEADERS: Final = frozenset({"Idempotency-Key", "If-None-Match", "OpenWOP-Dedup"})


def send(api: Api, case: Case[Any]) -> Answer:
    """Send what was made, with a good key."""
    path = case.path
    for name, value in case.path_parameters.items():
        path = path.replace(f"{{{name}}}", str(value))
    query = urlencode(case.query or {}, doseq=True, errors="surrogatepass")
    headers = {name: value for name, value in (case.headers or {}).items() if name in HEADERS}
    return api.send(case.method, f"{path}?{query}" if query else path, raw(case.body), **headers)


def raw(body: Any) -> bytes:
    """The bytes of a body that was made; schemathesis has a value of its own for none at all."""
    if isinstance(body, bytes):
        return body
    try:
        return json.dumps(body).encode()
    except TypeError:
        return b""


def schema_of(case: Case[Any], answer: Answer) -> str | None:
    described = DOCUMENT["paths"][case.path][case.method.lower()]["responses"][str(answer.status)]
    if not answer.raw:
        return None
    name: str = described["content"]["application/json"]["schema"]["$ref"]
    return name.rpartition("/")[2]


@pytest.mark.parametrize("operation", OPERATIONS)
@settings(
    max_examples=8,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much],
    database=None,
    derandomize=True,
    deadline=None,
)
@given(data=st.data())
def test_whatever_is_sent_the_answer_is_a_documented_one(api: Api, gate_run: str, operation: str, data: Any) -> None:
    mode = data.draw(st.sampled_from(GenerationMode))
    case = data.draw(OPERATIONS[operation].as_strategy(generation_mode=mode))
    places = {"runId": wire(gate_run), "nodeId": "gate", "workflowId": "flow"}
    # A poll of a run that waits would wait with it.
    if operation != "pollRunEvents" and data.draw(st.booleans()):
        case.path_parameters.update((name, places[name]) for name in places.keys() & case.path_parameters)
        if operation == "createRun" and isinstance(case.body, dict):
            case.body["workflowId"] = "flow"
    answer = send(api, case)
    schema = schema_of(case, answer)
    assert answer.status < 500
    assert schema is None or answer.fits(schema)
