"""How problems are counted in words."""

from __future__ import annotations

import pytest

from interrupts.contracts.problems import Problem
from interrupts.problems import validation_failed


@pytest.mark.parametrize(
    ("count", "more"), [(1, ""), (2, " There is 1 more problem."), (3, " There are 2 more problems.")]
)
def test_the_problems_beside_the_first_are_counted(count: int, more: str) -> None:
    error = validation_failed([Problem(f"/{index}", "type", "Wrong.") for index in range(count)], base="/answers")
    assert error.message == f"Wrong. (at /answers/0){more}"
