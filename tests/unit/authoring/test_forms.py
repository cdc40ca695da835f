"""The ready-made contracts: what each takes as an answer and what not."""

from __future__ import annotations

from typing import Any, cast

import pytest

from interrupts.authoring import AuthoringError, Form, Schema, approve_or_reject, free_text, pick_items, rating
from interrupts.contracts.admission import check_schema
from interrupts.contracts.solicitation import solicited
from interrupts.contracts.validation import compile_schema, validate

EVERY_FORM = [
    approve_or_reject(),
    approve_or_reject(reason_required=True),
    pick_items(),
    pick_items(["a", "b"], at_least=1, at_most=2),
    pick_items({"a": "The first", "b": "The second"}),
    free_text(),
    rating(),
]


def refused_at(form: Form, answer: dict[str, Any]) -> list[str]:
    return [problem.pointer for problem in validate(compile_schema(form["resume_schema"]), answer)]


@pytest.mark.parametrize("form", EVERY_FORM, ids=lambda form: form["kind"])
def test_every_form_has_sound_schemas_of_closed_answers_that_ask_for_no_secret(form: Form) -> None:
    for schema in (form["request_schema"], form["resume_schema"]):
        assert check_schema(schema) == []
        assert solicited(schema) == []
        assert schema["type"] == "object"
    assert refused_at(form, {"unknown": 1})[-1] == "/unknown"


def test_a_reason_is_required_where_the_author_wants_one() -> None:
    assert refused_at(approve_or_reject(), {}) == []
    strict = approve_or_reject(reason_required=True)
    assert strict["outcomes"] == ["approved", "rejected"]
    assert refused_at(strict, {"reason": "Too dear."}) == []
    assert refused_at(strict, {}) == ["/reason"]
    assert refused_at(strict, {"reason": ""}) == ["/reason"]


def test_only_offered_items_can_be_picked_and_each_once() -> None:
    form = pick_items(["a", "b", "c"], at_least=1, at_most=2)
    assert refused_at(form, {"selected": ["a", "c"], "comment": "Both."}) == []
    assert refused_at(form, {"selected": []}) == ["/selected"]
    assert refused_at(form, {"selected": ["a", "a"]}) == ["/selected"]
    assert refused_at(form, {"selected": ["a", "b", "c"]}) == ["/selected"]
    assert refused_at(form, {"selected": ["d"]}) == ["/selected/0"]
    titled = pick_items({"a": "The first", "b": "The second"})
    assert refused_at(titled, {"selected": ["b"]}) == []
    assert refused_at(titled, {"selected": ["The first"]}) == ["/selected/0"]


def test_items_of_the_run_are_part_of_the_request() -> None:
    request = compile_schema(pick_items()["request_schema"])
    assert validate(request, {"items": [{"id": "a", "title": "The first"}]}) == []
    assert [problem.pointer for problem in validate(request, {"items": [{"id": "a"}]})] == ["/items/0/title"]


def test_a_text_has_bounds_and_a_rating_is_a_whole_number_within_its_own() -> None:
    assert refused_at(free_text(at_most=3), {"text": "yes"}) == []
    assert refused_at(free_text(at_most=3), {"text": "nope"}) == ["/text"]
    assert refused_at(rating(), {"rating": 5, "comment": ""}) == []
    assert refused_at(rating(lowest=0, highest=10), {"rating": 11}) == ["/rating"]
    assert refused_at(rating(), {"rating": 2.5}) == ["/rating"]


def test_what_is_shown_is_described_by_the_author() -> None:
    shows = {"type": "object", "required": ["text"]}
    assert approve_or_reject(shows=shows)["request_schema"] == shows
    assert free_text()["request_schema"] == {"type": "object", "additionalProperties": True}


@pytest.mark.parametrize(
    ("make", "pointer"),
    [
        (lambda: pick_items([]), "/items"),
        (lambda: pick_items("abc"), "/items"),
        (lambda: pick_items(["a"], at_least=2, at_most=1), "/at_most"),
        (lambda: pick_items(["a"], at_most=0), "/at_most"),
        (lambda: pick_items(shows={"type": "object"}), "/shows"),
        (lambda: rating(lowest=5, highest=5), "/highest"),
        (lambda: free_text(shows={"type": "string"}), "/shows/type"),
        (lambda: rating(shows=cast("Schema", int)), "/shows"),
    ],
)
def test_a_form_that_nobody_could_fill_in_is_refused(make: Any, pointer: str) -> None:
    with pytest.raises(AuthoringError) as refused:
        make()
    assert [problem.pointer for problem in refused.value.problems] == [pointer]
