"""What a check finds has stable codes, each of them explained."""

from __future__ import annotations

from typing import Any

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.engine.definition import check_definition, diagnostics, find_doubts
from interrupts.engine.definition.catalogue import CATALOGUE
from interrupts.engine.definition.diagnostics import DOCUMENT_SHAPE, SCHEMA_INVALID, Severity, as_error
from tests.factories import contract_node, edge, gate_node, node, workflow

WARNINGS = {"node_type_not_offered", "outcome_not_routed", "gate_only_asks", "quorum_beyond_eligible"}


def errors(document: JsonObject) -> list[tuple[str, str]]:
    return [(found.pointer, found.code) for found in map(as_error, check_definition(document))]


def contract(**config: Any) -> JsonObject:
    return workflow([contract_node("ask", **config)], variables=[{"name": "n", "type": "number"}])


def doubted(document: JsonObject) -> list[tuple[str, str]]:
    return [(problem.pointer, problem.keyword) for problem in find_doubts(document)]


def test_every_code_is_explained_and_nothing_else_is() -> None:
    known = {*diagnostics._CODES.values(), DOCUMENT_SHAPE, SCHEMA_INVALID}
    by_severity = {severity: {c for c, card in CATALOGUE.items() if card.severity is severity} for severity in Severity}
    assert by_severity == {Severity.ERROR: known, Severity.WARNING: WARNINGS}
    assert all(card.title and card.meaning and card.example and card.advice for card in CATALOGUE.values())


@pytest.mark.parametrize(
    ("document", "pointer", "code"),
    [
        (contract(request_schema={"type": "text"}), "/nodes/0/config/request_schema/type", "schema_invalid"),
        (contract(resume_schema={"type": "text"}), "/nodes/0/config/resume_schema/type", "schema_invalid"),
        (contract(resume_schema="text"), "/nodes/0/config/resume_schema", "schema_invalid"),
        (contract(request_schema={"type": "array"}), "/nodes/0/config/request_schema/type", "schema_not_object"),
        (contract(resume_schema={"type": "array"}), "/nodes/0/config/resume_schema/type", "schema_not_object"),
        (contract(request=[{"target": "a", "value": 1}]), "/nodes/0/config/request/0/target", "binding_path_invalid"),
        (contract(resume=[{"source": "a", "target": "n"}]), "/nodes/0/config/resume/0/source", "binding_path_invalid"),
        (
            contract(
                resume=[{"source": "/a", "target": "n"}],
                resume_schema={"type": "object", "additionalProperties": False},
            ),
            "/nodes/0/config/resume/0/source",
            "binding_path_closed",
        ),
        (
            contract(resume=[{"source": "/a", "target": "nobody"}]),
            "/nodes/0/config/resume/0/target",
            "unknown_variable",
        ),
        (
            contract(
                resume=[{"source": "/a", "target": "n"}],
                resume_schema={"type": "object", "properties": {"a": {"type": "boolean"}}},
            ),
            "/nodes/0/config/resume/0/target",
            "destination_type",
        ),
        (
            contract(request=[{"target": "/a", "from": {"type": "variable", "variableName": "nobody"}}]),
            "/nodes/0/config/request/0/from/variableName",
            "unknown_variable",
        ),
        (
            contract(request=[{"target": "/a", "from": {"type": "connection", "nodeId": "x", "outputKey": "y"}}]),
            "/nodes/0/config/request/0/from/nodeId",
            "unknown_node",
        ),
        (
            contract(request=[{"target": "/a", "from": {"type": "expression", "expression": "1 +"}}]),
            "/nodes/0/config/request/0/from/expression",
            "expression_invalid",
        ),
        (contract(outcomes=["payload"]), "/nodes/0/config/outcomes/0", "name_reserved"),
        ({**contract(), "id": f"question-{'0' * 32}"}, "/id", "name_reserved"),
        (contract(outcomes=[]), "/nodes/0/config/outcomes", "document_shape"),
        (contract(misspelt=1), "/nodes/0/config/misspelt", "document_shape"),
        (
            workflow([contract_node("ask"), node("b")], [edge("ask", "b", sourceOutput="approved")]),
            "/edges/0/sourceOutput",
            "unknown_outcome",
        ),
        (
            workflow([gate_node(), node("b")], [edge("gate", "b", sourceOutput="approved", targetInput="x")]),
            "/edges/0/sourceOutput",
            "unknown_output",
        ),
        (workflow([node("a"), node("b")], [edge("b", "b", "any_success")]), "/nodes/1", "unreachable_node"),
        (workflow([node("a", "core.unheardOf")]), "/nodes/0/typeId", "unknown_node_type"),
        (workflow([node("a"), node("a")]), "/nodes/1/id", "not_unique"),
        (
            workflow([gate_node(approversList=["ann"], requiredApprovals=2)]),
            "/nodes/0/config/requiredApprovals",
            "quorum_unreachable",
        ),
        (
            workflow([gate_node(resumeSchema={"properties": {"password": True}})]),
            "/nodes/0/config/resumeSchema/properties/password",
            "credential_solicited",
        ),
    ],
)  # fmt: skip
def test_a_mistake_is_found_under_its_code_at_its_place(document: JsonObject, pointer: str, code: str) -> None:
    assert errors(document) == [(pointer, code)]


def test_no_mistake_of_an_interrupt_hides_another() -> None:
    document = contract(
        outcomes=["payload"],
        request=[{"target": "a", "from": {"type": "variable", "variableName": "nobody"}}],
        request_schema={"type": "text"},
        resume=[{"source": "a", "target": "n"}, {"source": "/a", "target": "nobody"}],
    )
    config = "/nodes/0/config"
    assert errors(document) == [
        (f"{config}/outcomes/0", "name_reserved"),
        (f"{config}/request/0/from/variableName", "unknown_variable"),
        (f"{config}/request/0/target", "binding_path_invalid"),
        (f"{config}/request_schema/type", "schema_invalid"),
        (f"{config}/resume/0/source", "binding_path_invalid"),
        (f"{config}/resume/1/target", "unknown_variable"),
    ]


@pytest.mark.parametrize("junk", [1, "text", [1], None, {"a": 1}])
@pytest.mark.parametrize("keyword", ["properties", "type", "items", "$ref", "additionalProperties", "allOf"])
def test_a_binding_to_a_schema_that_is_none_ends_no_check(keyword: str, junk: Any) -> None:
    document = contract(resume=[{"source": "/a/b", "target": "n"}], resume_schema={"type": "object", keyword: junk})
    assert ("/nodes/0/config/resume/0/target", "unknown_variable") not in errors(document)


def test_an_answer_must_not_be_written_into_what_is_sensitive() -> None:
    document = workflow(
        [contract_node("ask", resume=[{"source": "/a", "target": "pin"}])],
        variables=[{"name": "pin", "type": "string", "sensitive": True}],
    )
    assert errors(document) == [("/nodes/0/config/resume/0/target", "destination_sensitive")]


def test_an_outcome_without_a_way_out_beside_others_with_one_is_doubtful() -> None:
    nodes = [contract_node("ask", outcomes=["yes", "no"]), node("then")]
    assert doubted(workflow(nodes, [edge("ask", "then", sourceOutput="yes")])) == [("/nodes/0", "outcome_not_routed")]
    assert doubted(workflow(nodes, [edge("ask", "then")])) == []
    assert doubted(workflow(nodes[:1])) == []


def test_a_type_that_is_only_reserved_is_doubtful() -> None:
    assert doubted(workflow([node("get", "core.httpFetch")])) == [("/nodes/0/typeId", "node_type_not_offered")]


@pytest.mark.parametrize("document", [None, [], "x", {}, {"nodes": 1}, {"nodes": [{"config": []}]}])
def test_what_is_no_definition_is_doubted_nowhere(document: Any) -> None:
    assert find_doubts(document) == []
