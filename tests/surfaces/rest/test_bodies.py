"""Bodies that are no JSON object, or not one we can keep (wire contract §2, §3; case 70)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from interrupts.contracts.json_limits import MAX_DEPTH
from tests import factories
from tests.surfaces.rest.api import Api, wire

pytestmark = pytest.mark.django_db

MUTATIONS = ["/runs", "/runs:bulk-cancel", "/host/wopsite/workflows"]

MALFORMED = {
    "unparsable": b"{",
    "empty": b"",
    "not UTF-8": b'{"a":"\xff"}',
    "UTF-16": '{"a":1}'.encode("utf-16"),
    "byte order mark": b"\xef\xbb\xbf{}",
    "two values": b"{}{}",
    "trailing comma": b'{"a":1,}',
    "single quotes": b"{'a':1}",
    "duplicate name": b'{"workflowId":"flow","workflowId":"flow"}',
    "duplicate name far down": b'{"workflowId":"flow","inputs":{"a":[{"b":1,"b":1}]}}',
    "NaN": b'{"inputs":{"a":NaN}}',
    "Infinity": b'{"inputs":{"a":Infinity}}',
    "minus Infinity": b'{"inputs":{"a":-Infinity}}',
    "1e999": b'{"inputs":{"a":1e999}}',
    "escaped NUL": b'{"inputs":{"a":"\\u0000"}}',
    "NUL in a name": b'{"inputs":{"\\u0000":1}}',
    "raw NUL": b'{"inputs":{"a":"\x00"}}',
    "lone surrogate": b'{"inputs":{"a":"\\ud800"}}',
    "too deep": b'{"inputs":' + b"[" * MAX_DEPTH + b"]" * MAX_DEPTH + b"}",
    "very deep": b"[" * 100_000,
    "too many digits": b'{"inputs":{"a":' + b"9" * 1001 + b"}}",
}


@pytest.mark.parametrize("path", MUTATIONS)
@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_body_is_refused_with_the_place_of_the_fault(api: Api, path: str, name: str) -> None:
    details = api.send("POST", path, MALFORMED[name]).refused(400, "validation_error")
    assert {"line", "column"} == set(details)
    assert api.get("/runs").body == {"runs": []}


def test_the_place_of_a_fault_is_told_by_line_and_column(api: Api) -> None:
    details = api.send("POST", "/runs", b'{\n "workflowId": flow\n}').refused(400, "validation_error")
    assert details == {"line": 2, "column": 16}


@pytest.mark.parametrize("path", MUTATIONS)
@pytest.mark.parametrize("value", [[], "text", 7, 1.5, True, None])
def test_a_body_that_is_no_object_is_refused(api: Api, path: str, value: Any) -> None:
    details = api.post(path, value).refused(400, "validation_error")
    assert details["problems"][0]["pointer"] == ""


@pytest.mark.parametrize("name", MALFORMED)
def test_a_malformed_answer_is_refused_and_the_gate_stays_open(api: Api, gate_run: str, name: str) -> None:
    api.send("POST", f"/runs/{wire(gate_run)}/interrupts/gate", MALFORMED[name]).refused(400, "validation_error")
    assert factories.status(gate_run) == "waiting-approval"


def test_a_body_over_the_limit_is_refused(api: Api) -> None:
    large = b'{"workflowId":"' + b"x" * 1_048_576 + b'"}'
    for path in MUTATIONS:
        assert api.send("POST", path, large).refused(413, "payload_too_large") == {"maxRequestBodyBytes": 1_048_576}


def test_a_body_of_exactly_the_limit_is_read(api: Api) -> None:
    factories.register(factories.one_gate())
    body = json.dumps({"workflowId": "flow", "metadata": {"a": ""}}).encode()
    padded = body.replace(b'""', b'"' + b"x" * (1_048_576 - len(body)) + b'"')
    assert len(padded) == 1_048_576
    assert api.send("POST", "/runs", padded).status == 201
    api.send("POST", "/runs", padded + b" ").refused(413, "payload_too_large")


@pytest.mark.parametrize(
    "media",
    ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/json; charset=latin-1"],
)
def test_a_body_that_says_it_is_no_json_is_refused(api: Api, media: str) -> None:
    api.send("POST", "/runs", b'{"workflowId":"flow"}', media=media).refused(415, "unsupported_media_type")


@pytest.mark.parametrize("media", ["application/json; charset=utf-8", "APPLICATION/JSON;Charset=UTF-8", ""])
def test_a_body_may_name_its_charset_or_no_type_at_all(api: Api, media: str) -> None:
    api.send("POST", "/runs", b'{"workflowId":"flow"}', media=media).refused(404, "not_found")


def test_nobody_without_a_key_has_their_body_read(anonymous: Api) -> None:
    anonymous.send("POST", "/runs", b"x" * 2_000_000, media="text/plain").refused(401, "unauthenticated")
