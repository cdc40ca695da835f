"""Forms made from any schema: what means a value decodes to it, and nothing that is posted breaks one."""

from __future__ import annotations

from datetime import UTC, timedelta, timezone
from typing import Any

from django.http import QueryDict
from django.template.loader import render_to_string
from hypothesis import assume, given, note, settings
from hypothesis import strategies as st

from approvals.forms.decode import ABSENT
from approvals.forms.encode import encode
from approvals.forms.fields import Fields
from approvals.forms.judging import judging
from approvals.forms.plan import Part
from approvals.forms.sheet import Sheet, blank_sheet, sheet
from approvals.inbox.replies import ReplyForm
from interrupts.contracts.admission import check_schema
from interrupts.contracts.json_text import dump_json
from interrupts.contracts.types import JsonSchema, JsonValue
from interrupts.models import Suspension
from tests.inbox.pages import Form
from tests.properties.schemas import DEFINITIONS, SCHEMAS, VALUES

TEXTS = st.sampled_from(
    ["", " ", "a", "1", "1,5", "true", "0", "99", "{", '{"a": 1}', "null", "k1", "\x00", "value", "null"]
)

# Schemas as people write them, each with a value that fits it or one that does not.
LINES = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=6)
MOMENTS = st.datetimes(timezones=st.sampled_from([UTC, timezone(timedelta(hours=5, minutes=53))])).map(
    lambda moment: moment.isoformat()
) | st.sampled_from(["2031-05-17T14:30:00Z", "2031-05-17t14:30:00.5z", "2031-12-31T23:59:60Z", "2031-02-30T14:30:00Z"])
LEAVES = st.sampled_from(
    [
        ({"type": "string"}, LINES),
        ({"type": "string", "maxLength": 500}, LINES),
        ({"type": ["string", "null"], "format": "date"}, st.dates().map(str) | st.none()),
        ({"type": "string", "format": "date-time"}, MOMENTS),
        ({"type": ["string", "null"], "format": "time"}, MOMENTS.map(lambda text: text[11:]) | st.none()),
        ({"type": "string", "contentEncoding": "base64"}, LINES),
        ({"type": "integer"}, st.integers()),
        ({"type": "number", "minimum": 0}, st.floats(0, 1e9)),
        ({"type": "boolean"}, st.booleans()),
        ({"const": True}, st.just(True)),
        ({"const": "x"}, st.just("x")),
        ({"enum": ["a", 1, "1", None, [2]]}, st.sampled_from(["a", 1, "1", None, [2]])),
        ({"type": "array", "uniqueItems": True, "items": {"enum": [1, 2, 3]}}, st.lists(st.sampled_from([1, 2, 3]))),
        ({"type": ["integer", "string"]}, st.integers() | LINES),
        ({}, VALUES),
    ]
)
PROPERTIES = st.sampled_from(["a", "b", "note", "é/~ %@k1", "", "__proto__"])
Pair = tuple[Any, st.SearchStrategy[Any]]


def lists(pair: Pair) -> Pair:
    return {"type": "array", "items": pair[0]}, st.lists(pair[1], max_size=3)


def maps(pair: Pair) -> Pair:
    return {"type": "object", "additionalProperties": pair[0]}, st.dictionaries(LINES, pair[1], max_size=2)


def choices(pairs: list[Pair]) -> Pair:
    return {"oneOf": [schema for schema, _ in pairs]}, st.one_of(*(values for _, values in pairs))


def tuples(pairs: list[Pair]) -> Pair:
    schema = {"type": "array", "prefixItems": [schema for schema, _ in pairs], "items": False}
    return schema, st.tuples(*(values for _, values in pairs)).map(list)


def objects(drawn: tuple[dict[str, Pair], list[str]]) -> Pair:
    members, required = drawn
    values = {name: values for name, (_, values) in members.items()}
    must = {name: values[name] for name in required if name in values}
    may = {name: values[name] for name in values if name not in must}
    schema = {"type": "object", "properties": {name: schema for name, (schema, _) in members.items()}}
    return {**schema, "required": [*must]}, st.fixed_dictionaries(must, optional=may)


def conditional(drawn: tuple[Pair, Pair]) -> Pair:
    (schema, values), (more, more_values) = drawn
    condition = {"if": {"required": ["a"]}, "then": {"properties": {"why": more}}}
    both = st.builds(lambda value, extra: {**value, "why": extra}, values, more_values)
    return {**schema, **condition}, values | both


def holders(inner: st.SearchStrategy[Pair]) -> st.SearchStrategy[Pair]:
    several = st.lists(inner, min_size=1, max_size=3)
    made = st.tuples(st.dictionaries(PROPERTIES, inner, max_size=4), st.lists(PROPERTIES, max_size=2)).map(objects)
    grouped = st.tuples(made, inner).map(conditional)
    return made | grouped | st.one_of(inner.map(lists), inner.map(maps), several.map(choices), several.map(tuples))


USUAL = st.recursive(LEAVES, holders, max_leaves=8)


def as_text(value: JsonValue) -> str:
    """A text by which two values are the same one, whatever the order of their members."""
    if isinstance(value, dict):
        return "{" + ",".join(f"{dump_json(name)}:{as_text(value[name])}" for name in sorted(value)) + "}"
    return "[" + ",".join(map(as_text, value)) + "]" if isinstance(value, list) else dump_json(value)


def with_definitions(schema: Any) -> JsonSchema:
    full: JsonSchema = {**schema, "$defs": DEFINITIONS} if isinstance(schema, dict) else schema
    assume(check_schema(full) == [])
    return full


def filled(schema: JsonSchema, value: JsonValue) -> Sheet:
    judge = judging(schema)
    return sheet([Part(schema)], Fields(encode(schema, value, judge)))


def shown(schema: JsonSchema, fields: dict[str, list[str]]) -> dict[str, list[str]]:
    """What a browser posts of the page that shows these fields."""
    asked = Suspension(kind="custom", payload={"data": {"customKind": "x"}, "resumeSchema": schema})
    posted = QueryDict(mutable=True)
    for name, texts in fields.items():
        posted.setlist(name, texts)
    form = ReplyForm(asked, posted)
    html = "".join(render_to_string(view.template, {"view": view}) for view in form.views)
    html += "".join(f'<input type="hidden" name="{name}" value="">' for name, _text in form.leftover)
    reader = Form()
    reader.feed(html)
    reader.close()
    return reader.fields


@given(SCHEMAS, VALUES)
def test_the_fields_that_mean_a_value_decode_to_it(schema: Any, value: Any) -> None:
    full = with_definitions(schema)
    made = filled(full, value)
    decoded = made.decode()[0]
    assert (decoded.faults, decoded.value is ABSENT) == ([], False)
    assert as_text(decoded.value) == as_text(value)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(USUAL, st.data())
def test_a_page_that_shows_a_value_posts_it_again(pair: Pair, data: st.DataObject) -> None:
    full = with_definitions(pair[0])
    value = data.draw(pair[1] | VALUES)
    made = filled(full, value)
    posted = shown(full, made.fields.posted)
    note(f"{full} {made.fields.posted} {posted}")
    again = sheet([Part(full)], Fields(posted)).decode()[0]
    assert (again.faults, again.value is ABSENT) == ([], False)
    assert as_text(again.value) == as_text(value)  # type: ignore[arg-type]


@settings(max_examples=60)
@given(SCHEMAS | USUAL.map(lambda pair: pair[0]), st.data())
def test_whatever_is_posted_gives_a_page(schema: Any, data: st.DataObject) -> None:
    full = with_definitions(schema)
    made = blank_sheet([Part(full)])
    for _turn in range(3):
        places = [node.at for node in made.walk()]
        names = [f"{kind}:{at}" for at in places for kind in "vjsprk"]
        posted = data.draw(st.dictionaries(st.sampled_from(names), st.lists(TEXTS, min_size=1, max_size=3), max_size=8))
        made = sheet([Part(full)], Fields({**made.fields.posted, **posted}))
        made.decode()
        ops = [f"{op}:{at}" for op in ("add", "del", "up", "down", "pick", "raw", "form") for at in places]
        made = made.operate(data.draw(st.sampled_from(ops))) or made
    shown(full, made.fields.posted)
