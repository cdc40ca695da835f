"""Schemas and values made to hurt: each is answered within about a second, and what was not checked is not valid."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

from interrupts.contracts.budget import Meter, NotChecked, metering
from interrupts.contracts.checking import assemble, run
from interrupts.contracts.fingerprints import fingerprint
from interrupts.contracts.problems import UNCHECKED, Problem
from interrupts.contracts.types import JsonSchema, JsonValue
from interrupts.contracts.validation import compile_schema, validate

TOO_MANY_STEPS = [
    Problem("", "budget", "This could not be checked. Checking this value takes more steps than are allowed.")
]
TOO_SLOW = [Problem("", "budget", "This could not be checked. Checking this value takes longer than is allowed.")]


def unhurried(schema: JsonSchema, value: JsonValue) -> list[Problem]:
    """Validate with time to spare, so that on a slow machine too it is the steps that run out."""
    return run(compile_schema(schema), value, seconds=30)


def timed(schema: JsonSchema, value: JsonValue) -> tuple[list[Problem], float]:
    compiled = compile_schema(schema)
    start = time.thread_time()
    found = validate(compiled, value)
    return found, time.thread_time() - start


def doubling(levels: int, step: Any) -> JsonSchema:
    """A schema whose every level applies the next one twice, by ``step(reference)``."""
    levelled: dict[str, Any] = {f"d{i}": step({"$ref": f"#/$defs/d{i + 1}"}) for i in range(levels)}
    levelled[f"d{levels}"] = {"type": "string"}
    return {"$defs": levelled, "$ref": "#/$defs/d0"}


@pytest.fixture
def listener() -> Iterator[tuple[str, list[object]]]:
    """A loopback server that notes every connection and answers none."""
    hits: list[object] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.05)
        stop = threading.Event()

        def accept() -> None:
            while not stop.is_set():
                try:
                    connection, address = server.accept()
                except TimeoutError:
                    continue
                hits.append(address)
                connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}", hits
        time.sleep(0.1)
        stop.set()
        thread.join()


@pytest.mark.parametrize("keyword", ["$ref", "$dynamicRef"])
def test_a_remote_reference_is_never_fetched(listener: tuple[str, list[object]], keyword: str) -> None:
    address, hits = listener
    compiled = assemble({"properties": {"a": {keyword: f"{address}/schema.json"}}})
    message = f"This could not be checked: the schema refers to {address}/schema.json."
    assert run(compiled, {"a": 1}) == [Problem("", "unresolvable", message)]
    assert run(compiled, {"b": 1}) == []
    time.sleep(0.1)
    assert hits == []


def test_a_base_or_a_dialect_elsewhere_is_never_fetched(listener: tuple[str, list[object]]) -> None:
    address, hits = listener
    compiled = assemble({"$id": f"{address}/base.json", "items": {"$ref": "other.json"}})
    assert [problem.keyword for problem in run(compiled, [1])] == ["unresolvable"]
    assert run(assemble({"$schema": f"{address}/dialect", "type": "string"}), "x") == []
    time.sleep(0.1)
    assert hits == []


def test_a_file_reference_is_never_read(tmp_path: Any) -> None:
    secret = tmp_path / "schema.json"
    secret.write_text('{"type": "string"}')
    assert [p.keyword for p in run(assemble({"$ref": secret.as_uri()}), "x")] == ["unresolvable"]


def test_a_schema_that_refers_to_itself_is_stopped_even_past_the_gate() -> None:
    for schema in ({"$ref": "#"}, {"allOf": [{"$ref": "#"}]}, {"not": {"$ref": "#"}}):
        assert [problem.keyword for problem in run(assemble(schema), 1)] == ["budget"]  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "step",
    [
        lambda next_: {"allOf": [next_, next_], "type": "object"},
        lambda next_: {"oneOf": [next_, {"properties": {"a": next_}}]},
        lambda next_: {"anyOf": [next_, {"not": next_}], "unevaluatedProperties": False},
        lambda next_: {"if": next_, "then": next_, "else": next_},
    ],
)
def test_a_doubling_bomb_runs_out_of_steps(step: Any) -> None:
    value: JsonValue = {}
    for _ in range(40):
        value = {"a": value}
    found, seconds = timed(doubling(25, step), value)
    assert found
    assert seconds < 4.0


def test_running_out_of_steps_is_one_problem_and_never_valid() -> None:
    schema = doubling(25, lambda next_: {"anyOf": [next_, {"not": next_}], "unevaluatedProperties": False})
    assert unhurried(schema, {"a": 1}) == TOO_MANY_STEPS
    assert unhurried({"items": {"type": "number"}}, [1] * 60_000) == TOO_MANY_STEPS
    assert unhurried({"items": {"type": "number"}}, [1] * 40_000) == []
    assert {"budget", "unresolvable"} == UNCHECKED


def test_running_out_of_time_is_one_problem_and_never_valid() -> None:
    compiled = compile_schema({"items": {"anyOf": [{"type": "string"}, {"minimum": 0}]}})
    assert run(compiled, [1] * 10_000, seconds=0.001) == TOO_SLOW
    with metering(Meter(seconds=-1.0)), pytest.raises(NotChecked):
        fingerprint([1])


def test_many_subschemas_over_a_large_value_are_stopped_in_time() -> None:
    found, seconds = timed({"anyOf": [{"enum": [[i]]} for i in range(1_500)]}, [1] * 500_000)
    assert found == TOO_SLOW
    assert seconds < 4.0
    found, seconds = timed({"allOf": [{"contains": {"title": "x"}, "maxContains": 10**6}] * 1_000}, [1] * 500_000)
    assert found == TOO_SLOW
    assert seconds < 4.0


@pytest.mark.parametrize("schema", [{"pattern": "^(a+)+$"}, {"patternProperties": {"^(a+)+$": False}}])
def test_a_catastrophic_pattern_is_matched_in_linear_time(schema: Any) -> None:
    text = "a" * 100_000 + "!"
    _, seconds = timed(schema, text if "pattern" in schema else {text: 1})
    assert seconds < 1.5


def test_patterns_beside_closed_objects_are_matched_in_linear_time() -> None:
    name = "a" * 50_000 + "!"
    for closing in ("additionalProperties", "unevaluatedProperties"):
        found, seconds = timed({"patternProperties": {"^(a+)+$": True}, closing: False}, {name: 1})
        assert [problem.keyword for problem in found] == [closing]
        assert seconds < 1.5
    inner: Any = {"allOf": [{"patternProperties": {"^(a+)+$": True}}], "unevaluatedProperties": False}
    found, seconds = timed(inner, {name: 1, "aa": 1})
    assert [problem.pointer for problem in found] == [f"/{name}"]
    assert seconds < 1.5


def test_a_pattern_that_must_backtrack_fails_closed() -> None:
    too_long = Problem(
        "", "budget", "This could not be checked. A text is too long for its pattern, which looks around or back."
    )
    assert timed({"pattern": "^(?!x)"}, "a" * 10_001)[0] == [too_long]
    assert timed({"pattern": "^(?!x)"}, "a" * 10_000)[0] == []
    too_often = Problem("", "budget", "This could not be checked. A pattern backtracks too often to be checked.")
    assert timed({"pattern": "^(?:(?!b)(a|aa|aaa))+c"}, "a" * 100)[0] == [too_often]


def test_a_large_enum_is_compared_quickly() -> None:
    schema: JsonSchema = {"items": {"enum": [f"value {i}" for i in range(10_000)]}}
    values: list[JsonValue] = ["value 9999"] * 1_000
    found, seconds = timed(schema, [*values, "other"])
    assert [problem.pointer for problem in found] == ["/1000"]
    assert seconds < 1.5


def test_large_lists_of_distinct_items_are_compared_quickly() -> None:
    objects: list[JsonValue] = [{"a": [i, {"b": i}]} for i in range(20_000)]
    assert timed({"uniqueItems": True}, objects)[0] == []
    found, seconds = timed({"uniqueItems": True}, [*objects, objects[7]])
    assert [problem.message for problem in found] == ["Items 8 and 20001 of this list are the same."]
    assert seconds < 2.0


def test_numbers_with_colliding_hashes_are_compared_quickly() -> None:
    colliding: list[JsonValue] = [i * (2**61 - 1) for i in range(30_000)]
    assert len({hash(number) for number in colliding}) == 1
    found, seconds = timed({"uniqueItems": True}, colliding)
    assert found == []
    assert seconds < 2.0


def test_deep_values_are_checked_or_refused_but_never_crash() -> None:
    schema: JsonSchema = {"$defs": {"n": {"anyOf": [{"items": {"$ref": "#/$defs/n"}}]}}, "$ref": "#/$defs/n"}
    value: JsonValue = []
    for _ in range(63):
        value = [value]
    assert timed(schema, value)[0] == []
    for _ in range(5_000):
        value = [value]
    assert [problem.keyword for problem in timed(schema, value)[0]] == ["budget"]
