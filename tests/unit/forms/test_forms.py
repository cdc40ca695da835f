"""Forms, case by case: names, shapes, what blank means, buttons, conditions, and problems back at their inputs."""

from __future__ import annotations

from typing import Any

import pytest

from approvals.forms import names
from approvals.forms.decode import ABSENT
from approvals.forms.fields import Fields
from approvals.forms.labels import branch_labels, option_labels
from approvals.forms.merging import document
from approvals.forms.nodes import MAX_NODES, Node
from approvals.forms.placing import place
from approvals.forms.plan import Part
from approvals.forms.scalars import NotANumber, read_number
from approvals.forms.shapes import Kind, Option, shape_of
from approvals.forms.sheet import Sheet, blank_sheet, sheet
from interrupts.contracts.types import JsonSchema
from interrupts.contracts.validation import compile_schema, validate

TREE: JsonSchema = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "left": {"$ref": "#"},
        "rest": {"type": "array", "items": {"$ref": "#"}},
    },
}
ORDER: JsonSchema = {
    "type": "object",
    "required": ["kind", "address"],
    "properties": {
        "kind": {"const": "order"},
        "address": {"type": "object", "properties": {"street": {"type": "string"}}, "required": ["street"]},
        "gift": {
            "type": "object",
            "properties": {"wrap": {"const": True}, "to": {"type": "string"}, "mark": {"const": "g"}},
            "required": ["mark"],
        },
    },
}


def posted(schema: JsonSchema, **fields: str | list[str]) -> Sheet:
    """A form with these fields: ``v_a`` is the text of the property ``a``; a dot goes deeper."""
    named = {f"{name[0]}:#{'/' if name[2:] else ''}{name[2:].replace('.', '/')}": text for name, text in fields.items()}
    return sheet([Part(schema)], Fields({name: [t] if isinstance(t, str) else t for name, t in named.items()}))


def value_of(made: Sheet) -> Any:
    decoded = made.decode()[0]
    assert decoded.faults == []
    return decoded.value


def kinds(made: Sheet) -> dict[str, Kind]:
    return {node.at: node.kind for node in made.walk()}


def messages(made: Sheet, schema: JsonSchema) -> dict[str, str]:
    decoded = made.decode()[0]
    problems = validate(compile_schema(schema), decoded.value)  # type: ignore[arg-type]
    return {placed.node.at: placed.problem.message for placed in place(decoded, problems, made.judges[0])}


# --- Names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["", "a/b~c", "@k1", "__proto__", "a b\r\n", "é😀", "_charset_", "[0].x", "%41"])
def test_any_property_name_makes_a_harmless_field(name: str) -> None:
    field = names.name_of(names.Field.TEXT, names.child("#", name))
    assert field.isascii()
    assert names.is_field(field)
    assert names.in_words(field) == name
    assert names.parent(names.child("#", name)) == ("#", "")
    schema: JsonSchema = {"type": "object", "properties": {name: {"type": "string"}}}
    assert value_of(sheet([Part(schema)], Fields({field: ["x"]}))) == {name: "x"}


@pytest.mark.parametrize(
    "name",
    ["csrfmiddlewaretoken", "shown", "op", "v:", "v:x", "x:#/a", "v:#/a b", "v:#/" + "a" * 5_000, "v:#" + "/" * 99],
)
def test_what_is_no_field_of_a_form_is_left_out(name: str) -> None:
    assert not names.is_field(name)
    assert Fields({name: ["x"]}).posted == {}


def test_a_property_whose_name_is_too_long_for_a_field_is_written_as_json() -> None:
    schema: JsonSchema = {"type": "object", "properties": {"é" * 3_000: {"type": "string"}}}
    assert kinds(blank_sheet([Part(schema)])) == {"#": Kind.RAW}


# --- Blank is absent --------------------------------------------------------------------------------------------------


def test_a_blank_form_is_only_what_has_to_be_there() -> None:
    assert value_of(posted(ORDER)) == {"kind": "order", "address": {}}
    assert value_of(posted({"type": "string"}, v_="  ")) is ABSENT


def test_an_optional_object_is_there_as_soon_as_something_in_it_is() -> None:
    assert value_of(posted(ORDER, **{"v_gift.to": "Ann"}))["gift"] == {"to": "Ann", "mark": "g"}
    assert value_of(posted(ORDER, p_gift="value"))["gift"] == {"mark": "g"}


@pytest.mark.parametrize(
    ("schema", "presence", "value"),
    [
        ({"type": "string"}, "empty", ""),
        ({"type": ["string", "null"]}, "null", None),
        ({"type": "array", "items": {"type": "string"}}, "empty", []),
        ({"type": "string"}, "null", ABSENT),
    ],
)
def test_what_is_empty_is_sent_by_a_box_where_the_schema_allows_it(schema: Any, presence: str, value: Any) -> None:
    assert value_of(posted(schema, p_=presence)) == value


def test_a_text_and_its_box_contradict_each_other() -> None:
    decoded = posted({"type": ["string", "null"]}, v_="a", p_="null").decode()[0]
    assert [fault.code for fault in decoded.faults] == ["both"]


@pytest.mark.parametrize(
    ("text", "value"),
    [(" +5 ", 5), (".5", 0.5), ("5.", 5), ("-0.50", -0.5), ("007", 7), ("1e3", 1000.0), ("9" * 40, 10**40 - 1)],
)
def test_numbers_are_read_as_people_write_them(text: str, value: float) -> None:
    assert read_number(text) == value


@pytest.mark.parametrize("text", ["1,5", "1_000", "٣", "NaN", "1e999", "0x1", "", "-", "1 2", "9" * 1_001])
def test_what_is_no_number_is_never_guessed(text: str) -> None:
    with pytest.raises(NotANumber) as caught:
        read_number(text)
    assert caught.value.code == ("comma" if "," in text else "number")


@pytest.mark.parametrize(
    ("form", "texts", "value"),
    [
        ("date-time", ["2031-05-17", "14:30", ""], "2031-05-17T14:30:00Z"),
        ("date-time", [" 2031-05-17 ", "14:30:05.25", "+05:45"], "2031-05-17T14:30:05.25+05:45"),
        ("time", ["14:30", "-03:30"], "14:30:00-03:30"),
        ("date-time", ["", " ", "+02:00"], ABSENT),
        ("date-time", ["2031-05-17T14:30:00z"], "2031-05-17T14:30:00z"),
    ],
)
def test_a_time_is_put_together_from_its_parts(form: str, texts: list[str], value: Any) -> None:
    assert value_of(posted({"type": "string", "format": form}, v_=texts)) == value


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (["", "14:30", ""], "date"),
        (["2031-02-30", "14:30", ""], "date"),
        (["2031-05-17", "", ""], "time"),
        (["2031-05-17", "24:00", ""], "time"),
        (["2031-05-17", "\u0661\u0664:30", ""], "time"),
        (["2031-05-17", "14:30", "CET"], "offset"),
        (["2031-05-17", "14:30"], None),
    ],
)
def test_the_part_of_a_time_that_cannot_be_read_is_named(texts: list[str], code: str | None) -> None:
    decoded = posted({"type": "string", "format": "date-time"}, v_=texts).decode()[0]
    assert [fault.code for fault in decoded.faults] == ([code] if code else [])


def test_an_optional_object_with_nothing_but_an_offset_is_not_there() -> None:
    schema: JsonSchema = {"type": "object", "properties": {"at": {"type": "string", "format": "time"}}}
    holder: JsonSchema = {"type": "object", "properties": {"more": schema}}
    assert value_of(posted(holder, **{"v_more.at": ["", "+02:00"]})) == {}
    assert value_of(posted(holder, **{"v_more.at": ["07:05", ""]})) == {"more": {"at": "07:05:00Z"}}


# --- Shapes -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"allOf": [{"type": "string"}, {"maxLength": 9}]}, Kind.TEXT),
        ({"allOf": [{"type": "string"}, {"type": "integer"}]}, Kind.RAW),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, Kind.NUMBER),
        ({"oneOf": [{"const": 1, "title": "One"}, {"const": 2}]}, Kind.CHOICE),
        ({"type": "object", "properties": {"a": {}}, "anyOf": [{"required": ["a"]}]}, Kind.OBJECT),
        ({"type": ["integer", "number"]}, Kind.NUMBER),
        ({"type": "string", "format": "date-time", "maxLength": 900}, Kind.DATE_TIME),
        ({"type": ["string", "null"], "format": "time"}, Kind.TIME),
        ({"type": "string", "contentEncoding": "base64", "maxLength": 9_000}, Kind.FILE),
        ({"type": "string", "format": "data-url"}, Kind.FILE),
        ({"type": "string", "contentEncoding": "quoted-printable"}, Kind.TEXT),
        ({"type": ["integer", "string"]}, Kind.BRANCH),
        ({"enum": [f"o{number}" for number in range(501)]}, Kind.TEXT),
        ({"enum": list(range(501))}, Kind.RAW),
        ({"$dynamicRef": "#x"}, Kind.RAW),
        ({"type": "object"}, Kind.RAW),
        (True, Kind.RAW),
        (False, Kind.RAW),
    ],
)
def test_each_schema_has_the_input_that_suits_it(schema: Any, kind: Kind) -> None:
    assert shape_of(document(schema), schema).kind is kind


def test_a_recursive_part_is_drawn_when_it_is_asked_for() -> None:
    made = blank_sheet([Part(TREE)])
    assert kinds(made) == {"#": Kind.OBJECT, "#/name": Kind.TEXT, "#/left": Kind.LATER, "#/rest": Kind.ARRAY}
    added = made.operate("add:#/left")
    assert added is not None
    assert kinds(added)["#/left/left"] is Kind.LATER
    assert value_of(added) == {"left": {}}


def test_a_form_grows_to_its_budget_and_no_further() -> None:
    wide: JsonSchema = {"type": "object", "properties": {f"p{number}": {"type": "string"} for number in range(4_000)}}
    assert kinds(blank_sheet([Part(wide)])) == {"#": Kind.RAW}
    keys = [f"k{number}" for number in range(2 * MAX_NODES + 9)]
    full = posted({"type": "array", "items": {"type": "object", "properties": {"a": {"type": "string"}}}}, r_=keys)
    assert sum(1 for _node in full.walk()) < 3 * MAX_NODES
    assert full.operate("add:#") is None
    assert "too-much" in {fault.code for fault in full.decode()[0].faults}


# --- Buttons ----------------------------------------------------------------------------------------------------------


def test_rows_are_added_moved_and_taken_away_with_what_was_typed_in_them() -> None:
    made: Sheet | None = posted(
        {"type": "array", "items": {"type": "string"}}, r_=["k1", "k2"], **{"v_@k1": "a", "v_@k2": "b"}
    )
    for op, value in [("down:#/@k1", ["b", "a"]), ("up:#/@k1", ["a", "b"]), ("del:#/@k1", ["b"])]:
        made = made and made.operate(op)
        assert made is not None
        assert value_of(made) == value
    assert made is not None
    assert made.operate("up:#/@k2") is None
    assert made.operate("nothing:#") is None
    added = made.operate("add:#")
    assert added is not None
    assert added.focus == "#/@k3"


def test_a_form_turns_into_json_and_back() -> None:
    as_json = posted(TREE, v_name="Ann").operate("raw:#")
    assert as_json is not None
    assert kinds(as_json) == {"#": Kind.RAW}
    assert value_of(as_json) == {"name": "Ann"}
    back = as_json.operate("form:#")
    assert back is not None
    assert value_of(back) == {"name": "Ann"}
    assert posted(TREE, j_="{").operate("form:#") is None
    assert posted(TREE, j_='{"unknown": 1}').operate("form:#") is None


# --- Branches and conditions ------------------------------------------------------------------------------------------

PAY: JsonSchema = {
    "oneOf": [
        {
            "type": "object",
            "properties": {"by": {"const": "card"}, "number": {"type": "string"}},
            "required": ["by", "number"],
        },
        {
            "type": "object",
            "properties": {"by": {"const": "bill"}, "days": {"maximum": 9, "type": "integer"}},
            "required": ["by"],
        },
    ]
}
LATE: JsonSchema = {
    "type": "object",
    "properties": {"day": {"type": "string"}},
    "if": {"properties": {"day": {"const": "late"}}, "required": ["day"]},
    "then": {"properties": {"why": {"type": "string"}}, "required": ["why"]},
    "else": {"properties": {"note": {"type": "string"}}},
}


def test_only_the_chosen_branch_is_read_and_the_other_is_posted_again() -> None:
    made = posted(PAY, s_="1", v_days="3", v_number="77")
    assert value_of(made) == {"by": "bill", "days": 3}
    assert made.leftover == {"v:#/number": ["77"]}
    assert value_of(posted(PAY, v_days="3")) is ABSENT


@pytest.mark.parametrize("index", ["2", "-1", "9" * 5000, "\u0661"])
def test_no_branch_and_no_option_is_at_a_place_that_there_is_not(index: str) -> None:
    branches: JsonSchema = {"oneOf": [{"type": "string", "title": "A"}, {"type": "integer", "title": "B"}]}
    assert posted(branches, s_=index).decode()[0].value is ABSENT
    faults = posted({"enum": list("ab")}, v_=index).decode()[0].faults
    assert [fault.code for fault in faults] == ["option"]


def test_what_is_wrong_in_the_chosen_branch_is_told_in_its_words() -> None:
    assert messages(posted(PAY, s_="1", v_days="10"), PAY) == {"#/days": "10 is too large: at most 9 is allowed."}
    assert messages(posted(PAY, s_="0"), PAY) == {"#/number": "This is required."}


def test_what_a_condition_does_not_ask_for_is_kept_and_not_sent() -> None:
    assert value_of(posted(LATE, v_day="late", v_why="Snow", v_note="x")) == {"day": "late", "why": "Snow"}
    assert value_of(posted(LATE, v_day="now", v_why="Snow", v_note="x")) == {"day": "now", "note": "x"}


@pytest.mark.parametrize(
    ("branches", "labels"),
    [
        ([{"title": "A", "type": "string"}, {"type": "null"}], [("author", "A"), ("null", "")]),
        (PAY["oneOf"], [("author", "card"), ("author", "bill")]),
        (
            [{"type": "string"}, {"type": "array", "items": {"type": "string"}}],
            [("string", ""), ("list-of-string", "")],
        ),
        ([{"required": ["a", "c"]}, {"required": ["b", "c"]}], [("with", "a"), ("with", "b")]),
        ([{"minimum": 1}, {"minimum": 2}], [("option", "1"), ("option", "2")]),
    ],
)
def test_branches_are_named_by_what_tells_them_apart(branches: Any, labels: Any) -> None:
    named = branch_labels(document({}), tuple(branches))
    assert [(label.code, label.text) for label in named] == [(code, text) for code, text in labels]


def test_options_that_look_alike_show_their_json() -> None:
    labels = [label.text for label in option_labels((Option(1), Option("1"), Option("b")))]
    assert labels == ["1 (1)", '1 ("1")', "b"]


# --- Problems ---------------------------------------------------------------------------------------------------------


def test_problems_find_the_nearest_input() -> None:
    assert messages(posted(ORDER), ORDER) == {"#/address/street": "This is required."}
    raw: JsonSchema = {"type": "object", "properties": {"a": {"items": {"maximum": 1}}}}
    made = posted(raw, j_a="[1, 2]")
    decoded = made.decode()[0]
    found = place(decoded, validate(compile_schema(raw), decoded.value), made.judges[0])  # type: ignore[arg-type]
    assert [(placed.node.at, placed.rest) for placed in found] == [("#/a", "/1")]


def test_what_could_not_be_read_is_not_called_missing_as_well() -> None:
    schema: JsonSchema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert messages(posted(schema, v_n="x"), schema) == {}


def test_ids_follow_the_page() -> None:
    nodes: list[Node] = list(posted(ORDER).walk())
    assert [node.id for node in nodes] == [f"n{number}" for number in range(1, len(nodes) + 1)]
