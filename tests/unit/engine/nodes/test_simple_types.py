"""``core.noop``, ``core.identity``, ``core.delay`` and ``core.fail``."""

from __future__ import annotations

import pytest

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.engine.nodes.base import Completed, Failed, Wait
from interrupts.engine.nodes.delay import MAX_DELAY_MS, Delay
from interrupts.engine.nodes.fail import Fail
from interrupts.engine.nodes.identity import Identity
from interrupts.engine.nodes.noop import Noop
from tests.unit.engine.nodes.contexts import context


def test_a_noop_completes_without_outputs_whatever_it_is_given() -> None:
    assert Noop().execute(context(anything=1)) == Completed({})


@pytest.mark.parametrize("payload", [None, False, {}, [1], {"deep": {"er": 1}}])
def test_identity_puts_out_its_payload_as_it_is(payload: JsonValue) -> None:
    assert Identity().execute(context(payload=payload, other=1)) == Completed({"payload": payload})


def test_identity_without_a_payload_puts_out_all_its_inputs() -> None:
    assert Identity().execute(context(a=1, b=None)) == Completed({"a": 1, "b": None})
    assert Identity().execute(context()) == Completed({})


@pytest.mark.parametrize(
    ("config", "inputs", "expected"),
    [
        ({}, {}, 0),
        ({"ms": 5}, {}, 5),
        ({"delayMs": 6}, {}, 6),
        ({"delayMs": 6}, {"delayMs": 7}, 7),
        ({}, {"delayMs": 0}, 0),
        ({}, {"delayMs": 1500.0}, 1500),
        ({}, {"delayMs": MAX_DELAY_MS}, MAX_DELAY_MS),
    ],
)
def test_a_delay_takes_its_input_before_its_configuration(
    config: JsonObject, inputs: dict[str, JsonValue], expected: int
) -> None:
    assert Delay().execute(context(config, **inputs)) == Wait(expected)


@pytest.mark.parametrize("value", [-1, 1.5, MAX_DELAY_MS + 1, True, "1000", None, [], 1e300])
def test_a_delay_of_anything_but_whole_milliseconds_in_range_fails_the_node(value: JsonValue) -> None:
    assert Delay().execute(context({}, delayMs=value)) == Failed(
        code="node_config_invalid",
        message="A delay is a whole number of milliseconds from 0 to 2147483648.",
        retryable=False,
        details={"input": "delayMs"},
    )


def test_a_delay_is_over_without_outputs() -> None:
    assert Delay().elapsed(context()) == Completed({})


@pytest.mark.parametrize("config", [{"ms": -1}, {"ms": 1.5}, {"delayMs": MAX_DELAY_MS + 1}, {"ms": 1, "delayMs": 1}])
def test_a_delay_configured_out_of_range_or_twice_is_refused_at_registration(config: JsonObject) -> None:
    assert validate(compile_schema(Delay.config_schema), config) != []


def test_fail_fails_for_good_with_its_own_words() -> None:
    by_default = Failed("validation_error", "The workflow fails at “Step”, as its author meant it to.", retryable=False)
    assert Fail().execute(context()) == by_default
    assert Fail().execute(context({"message": "Too old."})) == Failed("validation_error", "Too old.")
    assert Fail().execute(context({"message": "Too old."}, message="Too late.")) == Failed(
        "validation_error", "Too late."
    )
    assert Fail().execute(context({}, message=7)) == by_default
