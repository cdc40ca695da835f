"""Success criteria: a client that imports nothing of ours answers runs it has never seen, and explains refusals."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Literal

import pytest
from pydantic import BaseModel, ConfigDict, Field

from interrupts.authoring import edge, from_variable, interrupt, node, variable, workflow
from interrupts.contracts.types import JsonObject
from tests import factories
from tests.surfaces.rest.server import running_server

pytestmark = pytest.mark.django_db(transaction=True)

STRANGER = Path(__file__).with_name("stranger.py")


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    approved: bool = Field(title="Approved?")
    selected_issue_ids: list[str] = Field(min_length=2)
    urgency: Literal["low", "high"]
    due: date | None = None
    comment: str = ""


@pytest.fixture(scope="module")
def server(django_db_setup: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with running_server(tmp_path_factory.mktemp("server")) as address:
        yield f"http://{address}"


def review() -> JsonObject:
    return workflow(
        "report",
        name="Report",
        version="1",
        variables=[variable("markdown", "string", required=True), variable("comment", "string")],
        nodes=[
            interrupt(
                "review:1",
                kind="issue_review",
                request={"/report_markdown": from_variable("markdown")},
                resume={"/comment": "comment"},
                resume_schema=Answer,
                outcomes=["submitted", "cancelled"],
            ),
            node("open"),
        ],
        edges=[edge("review:1", "open", outcome="submitted")],
    )


def answered_by_a_stranger(server: str, surface: str, document: JsonObject, **inputs: Any) -> tuple[str, Any]:
    """Start a run, have the stranger answer it, and return its id and what the stranger saw."""
    factories.register(document)
    run_id = factories.start(factories.actor("owner"), str(document["id"]), inputs=inputs)
    done = subprocess.run(
        [sys.executable, "-I", str(STRANGER), surface, server, run_id],
        input=factories.api_key("stranger"),
        cwd=STRANGER.parent,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return run_id, json.loads(done.stdout)


@pytest.mark.parametrize("surface", ["rest", "rpc"])
def test_a_stranger_inspects_renders_answers_and_explains(server: str, surface: str) -> None:
    run_id, seen = answered_by_a_stranger(server, surface, review(), markdown="# Report")
    assert seen["asked"] == {
        "kind": "issue_review",
        "payload": {"report_markdown": "# Report"},
        "outcomes": ["submitted", "cancelled"],
        "typed": True,
    }
    assert seen["form"] == [
        "Approved? (boolean, required)",
        "Selected Issue Ids (array, required)",
        "Urgency (string, required)",
        "Due (string)",
        "Comment (string)",
    ]
    unknown, invalid = seen["refusals"]
    assert set(unknown["problems"]) == {"/outcome"}
    assert "submitted" in unknown["problems"]["/outcome"]
    assert set(invalid["problems"]) == {
        "/payload/approved",
        "/payload/comment",
        "/payload/due",
        "/payload/selected_issue_ids",
        "/payload/urgency",
    }
    assert all(message.endswith(".") for message in invalid["problems"].values())
    assert seen["untouched"]
    assert (seen["status"], seen["afterwards"]) == ("completed", "completed")
    assert factories.last(run_id, "interrupt.resolved")["resumeValue"] == {
        "outcome": "submitted",
        "payload": seen["answer"],
    }
    assert "node.started open" in factories.trail(run_id)


def test_a_stranger_answers_an_approval_whose_schema_follows_from_the_gate(server: str) -> None:
    run_id, seen = answered_by_a_stranger(server, "rpc", factories.one_gate(actions=["accept", "reject"]))
    assert (seen["asked"]["kind"], seen["asked"]["outcomes"]) == ("approval", ["accept", "reject"])
    assert set(seen["refusals"][0]["problems"]) == {"/outcome"}
    assert "/payload/feedback" in seen["refusals"][1]["problems"]
    assert (seen["untouched"], seen["status"]) == (True, "completed")
    assert factories.last(run_id, "node.completed", at="gate")["outputs"]["action"] == "accept"


def test_a_stranger_answers_questions_by_the_schemas_they_have(server: str) -> None:
    questions = [
        {"id": "size", "question": "Which size?", "schema": {"enum": ["S", "L"]}},
        {"id": "count", "question": "How many?", "schema": {"type": "integer", "minimum": 1}},
    ]
    ask = factories.node("ask", "core.clarificationGate", config={"questions": questions})
    run_id, seen = answered_by_a_stranger(server, "rpc", factories.workflow([ask]))
    assert set(seen["refusals"][1]["problems"]) == {"/payload/size", "/payload/count"}
    assert seen["status"] == "completed"
    assert factories.last(run_id, "node.completed", at="ask")["outputs"]["answers"] == {"size": "S", "count": 1}


def test_a_stranger_answers_an_interrupt_that_has_no_schemas(server: str) -> None:
    document = workflow("open", name="Open", version="1", nodes=[interrupt("ask", kind="anything")])
    _, seen = answered_by_a_stranger(server, "rest", document)
    assert seen["asked"] == {"kind": "anything", "payload": {}, "outcomes": ["submitted"], "typed": False}
    assert [set(refusal["problems"]) for refusal in seen["refusals"]] == [{"/outcome"}]
    assert (seen["untouched"], seen["answer"], seen["status"]) == (True, {}, "completed")
