"""Whatever is offered as a schema is refused with a reason, or judges every value without failing."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from interrupts.contracts.dialects import DIALECTS
from interrupts.contracts.locations import KEYWORDS
from interrupts.contracts.validation import SchemaRefused, compile_schema, validate

OTHER_KEYWORDS = [
    "$ref", "$id", "id", "$anchor", "$dynamicRef", "$dynamicAnchor", "$recursiveRef", "$recursiveAnchor", "$vocabulary",
    "type", "enum", "const", "required", "dependentRequired", "minContains", "maxContains", "minLength", "maxItems",
    "minimum", "exclusiveMinimum", "multipleOf", "uniqueItems", "pattern", "format", "x",
]  # fmt: skip
NAMES = st.sampled_from(sorted({*OTHER_KEYWORDS, *KEYWORDS["2019-09"], *KEYWORDS["2020-12"]}))
SCALARS = st.sampled_from(
    [None, True, False, 0, 1, -1, 0.5, 1e300, "", "a", "#", "#a", "#/x", "#/$defs/a", "#/items", "#/properties/type",
     "other", "http://[", "(", "^a", "string", "integer", "array", "object", "date"]
)  # fmt: skip
JUNK = st.recursive(
    SCALARS, lambda inner: st.dictionaries(NAMES, inner, max_size=4) | st.lists(inner, max_size=3), max_leaves=15
)
ROOTS = st.dictionaries(NAMES, JUNK, max_size=5)
VALUES = st.recursive(
    SCALARS, lambda inner: st.dictionaries(NAMES | st.just("a"), inner, max_size=3) | st.lists(inner, max_size=3)
)


@given(ROOTS, st.sampled_from([None, *DIALECTS]), VALUES)
def test_anything_offered_as_a_schema_is_refused_with_a_reason_or_judges_every_value(
    schema: dict[str, Any], dialect: str | None, value: Any
) -> None:
    if dialect is not None:
        schema = {"$schema": dialect, **schema}
    try:
        compiled = compile_schema(schema)
    except SchemaRefused as refusal:
        reasons = refusal.problems
        compiled = None
    if compiled is None:
        assert reasons
        assert all(reason.message for reason in reasons)
    else:
        assert all(problem.message for problem in validate(compiled, value))
