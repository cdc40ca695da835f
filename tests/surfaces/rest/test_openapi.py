"""GET /openapi.json, and the copy of it in docs (wire contract §1.1)."""

from __future__ import annotations

import json
import warnings
from typing import Any

import pytest
from drf_spectacular.validation import validate_schema

from interrupts.contracts.json_text import parse_json
from interrupts.urls import urlpatterns
from tests.architecture.sources import ROOT
from tests.surfaces.rest.api import Api

pytestmark = pytest.mark.django_db


@pytest.fixture
def document(anonymous: Api) -> Any:
    answer = anonymous.get("/openapi.json")
    assert answer.status == 200
    return answer.body


def test_the_copy_in_docs_is_what_the_code_says(document: Any) -> None:
    """When this fails: `make openapi`, and look at the difference."""
    assert json.loads((ROOT / "docs/openapi.json").read_text("utf-8")) == document


def test_it_is_a_valid_openapi_document(document: Any) -> None:
    assert document["openapi"].startswith("3.1.")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        validate_schema(document)  # type: ignore[no-untyped-call]


def test_every_reference_leads_somewhere(document: Any) -> None:
    def references(value: Any) -> list[str]:
        if isinstance(value, list):
            return [found for item in value for found in references(item)]
        if not isinstance(value, dict):
            return []
        own = [value["$ref"]] if isinstance(value.get("$ref"), str) else []
        return own + [found for item in value.values() for found in references(item)]

    found = set(references(document))
    assert "#/components/schemas/run-snapshot" in found
    for reference in found:
        place = document
        for token in reference.removeprefix("#/").split("/"):
            place = place[token.replace("~1", "/").replace("~0", "~")]


def test_every_path_of_the_protocol_is_described_once(document: Any) -> None:
    assert len(document["paths"]) == len(urlpatterns)
    operations = [operation["operationId"] for methods in document["paths"].values() for operation in methods.values()]
    assert sorted(operations) == [
        "accountConnected",
        "bulkCancelRuns",
        "callMethods",
        "cancelRun",
        "checkWorkflow",
        "connectAccount",
        "createRun",
        "getCapabilities",
        "getOpenApi",
        "getRun",
        "getWorkflow",
        "inspectInterruptByToken",
        "inspectRun",
        "listRuns",
        "listWebhookDeadLetters",
        "mintInterruptLink",
        "pauseRun",
        "pollRunEvents",
        "registerWebhook",
        "registerWorkflow",
        "resolveInterruptByRun",
        "resolveInterruptByToken",
        "resumeRun",
        "rotateWebhookSecret",
        "unregisterWebhook",
        "useTools",
    ]


def test_every_operation_names_its_body_its_answers_and_its_refusals(document: Any) -> None:
    for methods in document["paths"].values():
        for method, operation in methods.items():
            assert {"400", "404", "406", "500"} <= set(operation["responses"])
            assert (method == "post") == ("requestBody" in operation)
            done = [status for status in operation["responses"] if status[0] in "23"]
            assert done
            # A notification of MCP is taken without an answer.
            bodiless = {"204", "304", "202"} if operation["operationId"] == "useTools" else {"204", "304"}
            for status in set(done) - bodiless:
                assert "$ref" in operation["responses"][status]["content"]["application/json"]["schema"]


def test_every_mutation_takes_an_idempotency_key_and_no_read_does(document: Any) -> None:
    for methods in document["paths"].values():
        for method, operation in methods.items():
            taken = "Idempotency-Key" in {parameter["name"] for parameter in operation["parameters"]}
            assert taken == (method != "get"), operation["operationId"]


def test_the_document_is_served_with_a_tag(anonymous: Api) -> None:
    first = anonymous.get("/openapi.json")
    assert parse_json(first.raw) is not None
    assert anonymous.get("/openapi.json", If_None_Match=first.headers["ETag"]).status == 304
