"""One installation, shared by the tests that need real processes; each starts what it finds killed."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from interrupts.contracts.types import JsonObject
from tests.factories import chain, node, one_gate, sub_workflow
from tests.live.installation import Installation, installed

WORKFLOWS: tuple[JsonObject, ...] = (
    one_gate("one-gate"),
    one_gate("two-votes", requiredApprovals=2),
    one_gate("short-gate", timeoutMs=1500),
    chain(node("wait", "core.delay", config={"ms": 1500}), workflow_id="short-delay"),
    chain(sub_workflow(child="short-delay"), workflow_id="parent"),
    chain(sub_workflow(child="one-gate"), workflow_id="waiting-parent"),
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Whichever test comes first also waits for the processes to start, which takes a busy machine a while."""
    for item in items:
        if "installation" in getattr(item, "fixturenames", ()) and item.path.parent == Path(__file__).parent:
            item.add_marker(pytest.mark.timeout(180))
            item.add_marker(pytest.mark.xdist_group("installation"))


@pytest.fixture(scope="session")
def _processes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Installation]:
    folder: Path = tmp_path_factory.mktemp("races")
    with installed(folder) as installation:
        paths = [folder / f"{document['id']}.json" for document in WORKFLOWS]
        for path, document in zip(paths, WORKFLOWS, strict=True):
            path.write_text(json.dumps(document))
        installation.keys |= installation.populate("tests.live.populate", *map(str, paths))
        yield installation


@pytest.fixture
def installation(_processes: Installation) -> Installation:
    """Web, worker and beat, all of them running."""
    _processes.restart()
    return _processes
