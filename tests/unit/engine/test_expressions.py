from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interrupts.contracts.json_values import check_value
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.engine.expressions import (
    MAX_BRACKETS,
    MAX_DATA,
    MAX_TEXT,
    MAX_USES,
    ROOTS,
    CompiledExpression,
    ExpressionError,
    compile_expression,
    evaluate,
)
from tests.architecture.sources import ROOT

SCOPE: JsonObject = {
    "inputs": {"amount": 40, "price": 99.5, "tags": ["new", "urgent"], "with-dash": 1, "nothing": None},
    "variables": {"region": "eu", "big": 2**70},
    "nodes": {"gate-1": {"status": "completed", "outputs": {"action": "accept"}}},
}


def value_of(text: str, scope: JsonObject = SCOPE) -> JsonValue:
    return evaluate(compile_expression(text), scope)


def refusal_of(text: str, scope: JsonObject = SCOPE) -> str:
    with pytest.raises(ExpressionError) as caught:
        value_of(text, scope)
    return caught.value.message


# --- What expressions can do ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("inputs.amount < 100", True),
        ("inputs.price < 100", True),
        ("1 == 1.0", True),
        ("true == 1", False),
        ("inputs.amount * 2 + 1", 81),
        ("double(inputs.amount) * 1.5", 60.0),
        ('variables.region in ["eu", "uk"] && size(inputs.tags) == 2', True),
        ('"urgent" in inputs.tags', True),
        ('inputs["with-dash"]', 1),
        ("nodes['gate-1'].outputs.action", "accept"),
        ("has(inputs.missing) ? inputs.missing : 'none'", "none"),
        ("inputs.nothing == null", True),
        ('"Pay " + string(inputs.amount)', "Pay 40"),
        ('variables.region.startsWith("e")', True),
        ("[1, 2.5, null, {'a': true}]", [1, 2.5, None, {"a": True}]),
        ("'filter, map and all that exists'", "filter, map and all that exists"),
    ],
)
def test_expressions_compute(text: str, value: JsonValue) -> None:
    result = value_of(text)
    assert result == value
    assert type(result) is type(value)


def test_the_members_of_an_object_come_in_a_fixed_order() -> None:
    value = value_of("{'c': 1, 'a': {'z': 1, 'y': 2}, 'b': 3}")
    assert isinstance(value, dict)
    assert list(value) == ["a", "b", "c"]
    assert list(value["a"] if isinstance(value["a"], dict) else ()) == ["y", "z"]


def test_an_integer_beyond_64_bits_is_read_as_a_fraction() -> None:
    assert value_of("variables.big") == float(2**70)


def test_a_compiled_expression_runs_in_many_threads_at_once() -> None:
    compiled = compile_expression("inputs.n * 2")
    results: dict[int, JsonValue] = {}

    def work(number: int) -> None:
        for _ in range(200):
            results[number] = evaluate(compiled, {"inputs": {"n": number}})

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == {number: number * 2 for number in range(8)}


# --- What they say when they cannot -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 +", "The expression does not read as CEL: <input>:1:4: Syntax error: mismatched input '<EOF>'"),
        ("inputs.missing", "The expression looks at “missing”, which is not there."),
        ("output.action", "The expression looks at “action”, which is not there."),
        ("amount < 100", "There is no “amount” here. An expression may look at: inputs, nodes, output, variables."),
        ("inputs.tags[7]", "The expression has no value: index out of bounds: 7"),
        ("1 / 0", "The expression has no value: division by zero in CEL expression"),
        ("1.0 / 0.0", "The value of the expression cannot be used: Infinity is not a JSON number."),
        ("b'bytes'", "The value of the expression cannot be used: A bytes is not a JSON value."),
        ("{1: 2}", "The value of the expression cannot be used: A name in an object is 1, which is not text."),
    ],
)
def test_an_expression_without_a_value_says_why(text: str, message: str) -> None:
    assert refusal_of(text) == message


def test_a_text_that_cannot_be_stored_is_no_value() -> None:
    assert "NUL character" in refusal_of(r"'\u0000'")


def test_mixed_numbers_are_refused_with_the_way_out() -> None:
    assert "Convert explicitly with int(x)" in refusal_of("inputs.price + 1")


# --- What they must not do --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("macro", ["map", "filter", "exists", "all", "exists_one", "existsOne"])
@pytest.mark.parametrize("form", ["[1].{}(x, x)", "[1].{} (x, x)", "[1] . {} \n (x, x)", "[1].{} // a\n // b\n (x, x)"])
def test_no_comprehension_runs_however_it_is_written(macro: str, form: str) -> None:
    assert refusal_of(form.format(macro)) == f"Expressions do not loop here: “{macro}(…)” is not available."


@pytest.mark.parametrize(
    "call", ["matches('a', '(a+)+$')", "'a'.matches('a')", "type(1)", "timestamp('x')", "bytes('a')"]
)
def test_no_function_runs_that_is_not_on_the_list(call: str) -> None:
    assert " here. There are: contains, double, endsWith, int, size, startsWith, string." in refusal_of(call)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1" * (MAX_TEXT + 1), "An expression may have at most 1000 characters; this one has 1001."),
        ("[" * (MAX_BRACKETS + 1), "An expression may have at most 40 opening brackets."),
        ("+".join(["inputs"] * (MAX_USES + 1)), "An expression may look at the run's data at most 32 times."),
    ],
)
def test_an_expression_over_a_bound_is_refused_before_it_is_read(text: str, message: str) -> None:
    assert refusal_of(text) == message


@pytest.mark.parametrize(
    "text",
    [
        "[" * MAX_BRACKETS + "]" * MAX_BRACKETS,
        "(" * MAX_BRACKETS + "1" + ")" * MAX_BRACKETS,
        "+".join(["1"] * 500),
        "!" * 900 + "true",
        "-1*" * 300 + "1",
        "inputs" + ".a" * 490,
        "inputs" + "[0]" * MAX_BRACKETS,
    ],
)
def test_the_deepest_expression_fits_the_stack_of_a_small_thread(text: str) -> None:
    # An overrun would not raise: it would end the process, and this test run with it.
    ended: list[str] = []

    def work() -> None:
        try:
            value_of(text)
        except ExpressionError:
            ended.append("refused")
        else:
            ended.append("computed")

    usual = threading.stack_size(512 * 1024)
    try:
        thread = threading.Thread(target=work)
        thread.start()
    finally:
        threading.stack_size(usual)
    thread.join()
    assert ended in (["refused"], ["computed"])


def test_only_what_the_text_names_is_looked_at() -> None:
    scope: JsonObject = {"inputs": {"amount": 1, "report": "x" * (MAX_DATA + 1)}, "nodes": {}, "variables": {}}
    assert value_of("inputs.amount + inputs['amount']", scope) == 2
    too_large = "The data that the expression looks at cannot be used"
    assert too_large in refusal_of("inputs.report == ''", scope)
    assert too_large in refusal_of("inputs == {}", scope)
    assert too_large in refusal_of("inputs.amount == 1 && inputs[variables.name] == 1", scope)


def test_data_with_too_many_values_is_refused() -> None:
    scope: JsonObject = {"inputs": {"list": list(range(MAX_DATA))}}
    assert "The data that the expression looks at cannot be used" in refusal_of("size(inputs.list)", scope)


def test_data_that_nests_too_deeply_for_the_stack_is_refused() -> None:
    deep: JsonValue = 1
    for _ in range(10_000):
        deep = [deep]
    assert "cannot be used" in refusal_of("inputs.deep == inputs.deep", {"inputs": {"deep": deep}})


@pytest.mark.timeout(60)
def test_the_most_work_that_the_bounds_allow_is_done_in_seconds() -> None:
    scope: JsonObject = {"inputs": {"a": [0] * (MAX_DATA - 100)}}
    assert "cannot be used" in refusal_of("+".join(["inputs.a"] * MAX_USES), scope)
    assert value_of("||".join(["7 in inputs.a"] * MAX_USES), scope) is False


WORDS = st.sampled_from((
    "inputs", ".amount", "[0]", "['tags']", "1", "2.5", "'x'", "null", "+", "-", "/", "==", "<", "&&", "!", "?", ":",
    "(", ")", "[", "]", "{", "}", ",", " in ", "size(", "int(", "string(", "has(", ".size()", "map(", "'", "//", "\n",
))  # fmt: skip


@given(st.lists(WORDS, max_size=14).map("".join))
def test_whatever_is_written_gives_json_or_an_expression_error(text: str) -> None:
    with suppress(ExpressionError):
        check_value(value_of(text))


@given(st.lists(WORDS, max_size=14).map("".join))
def test_cutting_the_data_down_to_what_the_text_names_changes_no_value(text: str) -> None:
    with suppress(ExpressionError):
        cut = compile_expression(text)
        whole = CompiledExpression(cut.text, cut.program, dict.fromkeys(ROOTS))
        assert evaluate(cut, SCOPE) == evaluate(whole, SCOPE)


def test_the_command_line_of_the_library_is_not_loaded_into_our_processes() -> None:
    loaded = "import sys, interrupts.engine.expressions; print(*sorted(sys.modules))"
    modules = subprocess.run(
        [sys.executable, "-c", loaded], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert "cel.cel" in modules
    assert {"prompt_toolkit", "pygments", "rich", "typer"}.isdisjoint(modules)
