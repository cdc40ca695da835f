"""What authors write becomes plain JSON Schema, or an error that names the place."""

from __future__ import annotations

import json
import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Generic, Literal, TypeVar, cast
from uuid import UUID

import pytest
from pydantic import AnyUrl, BaseModel, ConfigDict, Field, RootModel

from interrupts.authoring import AuthoringError, Schema, json_schema
from interrupts.contracts.types import JsonObject
from interrupts.contracts.validation import compile_schema, validate

Item = TypeVar("Item")


class Colour(Enum):
    RED = "red"
    BLUE = "blue"


class Size(StrEnum):
    SMALL = "S"
    LARGE = "L"


class Level(IntEnum):
    LOW = 1


class Expense(BaseModel):
    """An expense."""

    model_config = ConfigDict(extra="forbid")

    colour: Colour = Colour.RED
    size: Size = Size.LARGE
    level: Level = Level.LOW
    total: Annotated[Decimal, Field(gt=0, max_digits=8, decimal_places=2)] = Decimal("1.50")
    spent_on: date = date(2026, 3, 2)
    seen: datetime | None = None
    patience: timedelta = timedelta(hours=1)
    reference: UUID
    receipt: AnyUrl | None = None
    tags: set[str] = set()
    pair: tuple[int, str] = (1, "one")


class Page(BaseModel, Generic[Item]):
    items: list[Item]


class Tree(BaseModel):
    name: str
    children: list[Tree] = []


class Yes(BaseModel):
    says: Literal["yes"]


class No(BaseModel):
    says: Literal["no"]


class Answer(RootModel[Annotated[Yes | No, Field(discriminator="says")]]):
    pass


class Numbers(RootModel[list[int]]):
    pass


def is_plain(value: object) -> bool:
    """Tell whether a value is made of exactly the types that a JSON text is read as."""
    if type(value) is dict:
        return all(type(name) is str and is_plain(member) for name, member in value.items())
    if type(value) is list:
        return all(map(is_plain, value))
    return type(value) in (str, int, float, bool, type(None))


def members_of(schema: JsonObject) -> dict[str, Any]:
    return cast("dict[str, Any]", schema["properties"])


def accepts(schema: JsonObject, value: object) -> bool:
    return validate(compile_schema(schema), json.loads(json.dumps(value))) == []


@pytest.mark.parametrize("model", [Expense, Page[Expense], Page[Tree], Tree, Answer])
def test_a_model_becomes_plain_json_schema(model: type[BaseModel]) -> None:
    schema = json_schema(model)
    assert is_plain(schema)
    assert json.loads(json.dumps(schema)) == schema
    assert schema["type"] == "object"


def test_enums_dates_and_decimals_mean_in_the_schema_what_they_mean_in_the_model() -> None:
    schema = json_schema(Expense)
    whole = json.loads(Expense(reference=UUID(int=7)).model_dump_json())
    assert accepts(schema, whole)
    defaults = {name: member["default"] for name, member in members_of(schema).items() if "default" in member}
    assert defaults["colour"] == "red"
    assert defaults["total"] == "1.50"
    assert defaults["spent_on"] == "2026-03-02"
    assert defaults["patience"] == "PT1H"
    for name, value in (("colour", "green"), ("total", -1), ("spent_on", "yesterday"), ("level", 2), ("colours", [])):
        assert not accepts(schema, {**whole, name: value})


def test_generic_and_recursive_models_and_unions_keep_their_meaning() -> None:
    pages = json_schema(Page[Tree])
    assert accepts(pages, {"items": [{"name": "a", "children": [{"name": "b"}]}]})
    assert not accepts(pages, {"items": [{"name": "a", "children": [{}]}]})
    assert not accepts(json_schema(Tree), {"children": []})
    assert accepts(json_schema(Answer), {"says": "no"})
    assert not accepts(json_schema(Answer), {"says": "perhaps"})


def test_a_dictionary_is_copied_with_its_python_objects_made_plain() -> None:
    written: dict[str, Any] = {
        "type": "object",
        "properties": {
            "colour": {"enum": tuple(Colour), "default": Colour.RED},
            "size": {"enum": [*Size]},
            "level": {"const": Level.LOW},
        },
    }
    schema = json_schema(written)
    assert is_plain(schema)
    assert schema["properties"] == {
        "colour": {"enum": ["red", "blue"], "default": "red"},
        "size": {"enum": ["S", "L"]},
        "level": {"const": 1},
    }
    schema["properties"]["size"]["enum"].append("XL")
    assert written["properties"]["size"]["enum"] == [*Size]


def test_whatever_describes_itself_is_taken() -> None:
    class Ours:
        def model_json_schema(self) -> dict[str, Any]:
            return {"type": "object", "title": "Ours"}

    assert json_schema(Ours()) == {"type": "object", "title": "Ours"}


@pytest.mark.parametrize(
    ("default", "told"),
    [
        (date(2026, 3, 2), "A date is not a JSON value."),
        (Decimal("1.5"), "A Decimal is not a JSON value."),
        (object(), "A object is not a JSON value."),
        ({1, 2}, "A set is not a JSON value."),
        (Expense, "A ModelMetaclass is not a JSON value."),
        (float("nan"), "NaN is not a JSON number."),
        ("\x00", "A text holds the NUL character"),
        ("\ud800", "half of a surrogate pair"),
        (10**1001, "more than 1000 digits"),
    ],
)
def test_a_default_that_is_no_json_is_refused_at_its_place(default: object, told: str) -> None:
    written = {"type": "object", "properties": {"a/b": {"default": default}}}
    with pytest.raises(AuthoringError, match=re.escape(told)) as refused:
        json_schema(written)
    assert [problem.pointer for problem in refused.value.problems] == ["/properties/a~1b/default"]


def test_a_name_that_is_no_text_and_a_value_inside_itself_are_refused() -> None:
    with pytest.raises(AuthoringError, match="1, which is not text"):
        json_schema({"type": "object", "properties": {1: {}}})
    circle: dict[str, object] = {"type": "object"}
    circle["not"] = circle
    with pytest.raises(AuthoringError, match="nested deeper than"):
        json_schema(circle)


def test_a_default_of_a_model_that_would_be_left_out_is_refused_instead() -> None:
    class Loose(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)

        anything: Any = object()

    with pytest.raises(AuthoringError, match="Loose has no JSON Schema: Default value <object"):
        json_schema(Loose)

    class NotANumber(BaseModel):
        share: float = float("nan")

    with pytest.raises(AuthoringError, match="/properties/share/default: NaN is not a JSON number"):
        json_schema(NotANumber)


def test_a_model_without_a_schema_is_refused_with_the_models_own_reason() -> None:
    class Opaque(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)

        call: re.Scanner  # type: ignore[name-defined]

    with pytest.raises(AuthoringError, match="Opaque has no JSON Schema"):
        json_schema(Opaque)


@pytest.mark.parametrize(
    ("written", "pointer"),
    [
        (Numbers, "/type"),
        ({"type": "array"}, "/type"),
        ({"properties": {}}, "/type"),
        ({"anyOf": [{"type": "object"}, {"type": "null"}]}, "/type"),
        ({"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"type": "string"}}}, "/type"),
        ({"type": "object", "properties": {"a": {"type": "text"}}}, "/properties/a/type"),
        ({"type": "object", "properties": {"a": {"pattern": "("}}}, "/properties/a/pattern"),
        ("type: object", ""),
    ],
)
def test_what_is_no_schema_of_an_object_is_refused(written: Schema, pointer: str) -> None:
    with pytest.raises(AuthoringError, match=r"^This schema cannot be stored\.") as refused:
        json_schema(written)
    assert refused.value.problems[0].pointer == pointer


def test_a_model_that_writes_no_object_as_its_schema_is_refused() -> None:
    class Odd:
        def model_json_schema(self) -> Any:
            return [1]

    with pytest.raises(AuthoringError, match="Odd has no JSON Schema: it gives a list"):
        json_schema(Odd())
