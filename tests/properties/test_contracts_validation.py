"""Our bounded validator against jsonschema-rs: two engines, one verdict."""

from __future__ import annotations

from typing import Any

import jsonschema_rs
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema

from interrupts.contracts.admission import check_schema
from interrupts.contracts.problems import UNCHECKED
from interrupts.contracts.validation import compile_schema, validate
from tests.properties.schemas import DEFINITIONS, SCHEMAS, VALUES, is_carried

EXPENSE: dict[str, Any] = {
    "type": "object",
    "properties": {
        "amount": {"type": "number", "exclusiveMinimum": 0, "maximum": 1000},
        "currency": {"enum": ["EUR", "USD"]},
        "lines": {"type": "array", "items": {"$ref": "#/$defs/line"}, "minItems": 1, "uniqueItems": True},
        "paid": {"type": ["string", "null"], "format": "date"},
    },
    "required": ["amount", "currency"],
    "additionalProperties": False,
    "$defs": {"line": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}},
}


def second_opinion(schema: Any, value: Any) -> bool:
    options = jsonschema_rs.FancyRegexOptions(backtrack_limit=10_000)
    validator = jsonschema_rs.Draft202012Validator(schema, validate_formats=True, pattern_options=options, offline=True)
    return validator.is_valid(value)


@given(SCHEMAS, VALUES)
def test_two_engines_agree_on_schemas_nobody_would_write(schema: Any, value: Any) -> None:
    if isinstance(schema, dict):
        schema = {**schema, "$defs": DEFINITIONS}
    assume(check_schema(schema) == [])
    found = validate(compile_schema(schema), value)
    assert not {problem.keyword for problem in found} & UNCHECKED
    assert (found == []) is second_opinion(schema, value)
    assert validate(compile_schema(schema), value) == found
    assert all(problem.message and (problem.pointer == "" or problem.pointer[0] == "/") for problem in found)


@given(from_schema(EXPENSE).filter(is_carried), st.sampled_from([*EXPENSE["properties"], "other"]), VALUES)
def test_a_value_made_to_fit_is_valid_and_one_changed_in_a_place_is_judged_alike(
    fitting: dict[str, Any], name: str, change: Any
) -> None:
    compiled = compile_schema(EXPENSE)
    assert validate(compiled, fitting) == []
    changed = {**fitting, name: change}
    found = validate(compiled, changed)
    assert (found == []) is second_opinion(EXPENSE, changed)
    assert {problem.pointer.split("/")[1] for problem in found} <= {name}
