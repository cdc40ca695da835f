"""What the command line tells of an answer is the same here and as a client of another host."""

from __future__ import annotations

from typing import Any

import pytest

from tests import factories
from tests.surfaces.cli.surface import CommandLine, CommandLineElsewhere

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"], "additionalProperties": False}


def refuse(code: str, problems: Any) -> Any:
    return code, [(pointer, keyword) for pointer, keyword, _ in problems]


@pytest.mark.django_db
@pytest.mark.parametrize("surface", [CommandLine, CommandLineElsewhere])
def test_an_answer_and_a_definition_are_judged_alike(surface: type[CommandLine]) -> None:
    program = surface(refuse, factories.api_key("olga"))
    run_id = factories.start_flow(factories.workflow([factories.contract_node(resume_schema=SCHEMA)]))
    assert program.inspect(run_id)["interrupt"]["resume_schema"] == SCHEMA
    for payload, problems in (
        (None, [("/payload", "type")]),
        ({}, [("/payload/a", "required")]),
        ({"a": "1", "b": 2}, [("/payload/a", "type"), ("/payload/b", "additionalProperties")]),
    ):
        assert program.resume(run_id, "submitted", payload) == ("validation_error", problems)
    assert program.resume(run_id, "perhaps", {"a": 1}) == ("validation_error", [("/outcome", "enum")])
    assert program.resume(run_id, "submitted", {"a": 1}) == "completed"
    (fault,) = program.check({**factories.one_gate(), "edges": 7})["diagnostics"]
    assert (fault["pointer"], fault["code"]) == ("/edges", "document_shape")
    assert program.check(factories.one_gate())["valid"] is True
