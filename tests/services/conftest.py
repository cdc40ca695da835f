"""Every test here ends with a look at all it made: each run's log, cache, columns and rows must tell one story."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from interrupts.actor import Actor
from interrupts.models import Run
from tests.factories import actor, chain, node, one_gate, register, sub_workflow
from tests.invariants import assert_payloads_fit, assert_run_holds
from tests.receivers import answering
from tests.services.families import begun
from tests.services.lines import Line, Script, line_to


@pytest.fixture(autouse=True)
def _every_run_holds(db: None) -> Iterator[None]:
    yield
    for run_id in Run.objects.values_list("pk", flat=True):
        assert_run_holds(run_id)
        assert_payloads_fit(run_id)


@pytest.fixture
def line(tmp_path: Path, db: None) -> Iterator[Line]:
    """A receiver that takes everything."""
    yield from line_to(answering("204 No Content"), tmp_path)


@pytest.fixture
def script() -> Script:
    return Script("500 Trouble")


@pytest.fixture
def moody(tmp_path: Path, script: Script, db: None) -> Iterator[Line]:
    """A receiver that answers by the script."""
    yield from line_to(script, tmp_path)


@pytest.fixture
def owner(db: None) -> Actor:
    return actor("owner")


@pytest.fixture
def gated(owner: Actor) -> str:
    """A parent that waits for a child that waits for an answer; a step follows."""
    register(one_gate("child"))
    return begun(chain(sub_workflow(), node("then")), owner)
