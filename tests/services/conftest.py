"""Every test here ends with a look at all it made: each run's log, cache, columns and rows must tell one story."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from interrupts.models import Run
from tests.invariants import assert_payloads_fit, assert_run_holds


@pytest.fixture(autouse=True)
def _every_run_holds(db: None) -> Iterator[None]:
    yield
    for run_id in Run.objects.values_list("pk", flat=True):
        assert_run_holds(run_id)
        assert_payloads_fit(run_id)
