from __future__ import annotations

import hashlib

import pytest

from interrupts.engine.keys import interrupt_key


def test_a_key_is_the_sha_256_of_its_parts_one_a_line() -> None:
    expected = hashlib.sha256(b"acme/r-1234567890123456\ngate\n2\n0").hexdigest()
    assert interrupt_key("acme/r-1234567890123456", "gate", 2, 0) == expected


def test_the_same_execution_always_has_the_same_key() -> None:
    assert interrupt_key("r", "gate", 0, 0) == interrupt_key("r", "gate", 0, 0)


@pytest.mark.parametrize("other", [("s", "gate", 1, 1), ("r", "gate2", 1, 1), ("r", "gate", 2, 1), ("r", "gate", 1, 2)])
def test_another_run_node_visit_or_ordinal_has_another_key(other: tuple[str, str, int, int]) -> None:
    assert interrupt_key(*other) != interrupt_key("r", "gate", 1, 1)


def test_visit_and_ordinal_do_not_run_together() -> None:
    assert interrupt_key("r", "gate", 1, 11) != interrupt_key("r", "gate", 11, 1)


def test_a_key_fits_the_256_characters_of_the_protocol_however_long_the_ids() -> None:
    assert len(interrupt_key("t" * 128 + "/" + "r" * 128, "n" * 128, 10**6, 10**6)) == 64
