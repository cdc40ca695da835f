"""Our validator against the official JSON Schema test suite: required, optional and format cases of five dialects.

Set ``JSON_SCHEMA_TEST_SUITE`` to a checkout of json-schema-org/JSON-Schema-Test-Suite.
"""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, cast

import pytest
from jsonschema_specifications import REGISTRY as SPECIFICATIONS  # type: ignore[import-untyped]
from referencing import Resource
from referencing.jsonschema import SchemaRegistry

from interrupts.contracts.checking import assemble, run
from interrupts.contracts.dialects import DRAFT_04, DRAFT_06, DRAFT_07, DRAFT_2019_09, DRAFT_2020_12, Dialect
from interrupts.contracts.types import JsonSchema
from tests.unit.contracts.official_misses import MISSES

SUITE = Path(os.environ["JSON_SCHEMA_TEST_SUITE"])
DIALECTS = {
    "draft4": DRAFT_04,
    "draft6": DRAFT_06,
    "draft7": DRAFT_07,
    "draft2019-09": DRAFT_2019_09,
    "draft2020-12": DRAFT_2020_12,
}


@cache
def remotes(folder: str, dialect: Dialect) -> SchemaRegistry:
    """The documents that the suite serves, as one registry: a dialect's own, and others that name their dialect."""
    registry = SPECIFICATIONS
    for file in sorted((SUITE / "remotes").rglob("*.json")):
        relative = file.relative_to(SUITE / "remotes").as_posix()
        top, contents = relative.partition("/")[0], json.loads(file.read_text())
        foreign = top.startswith("draft") and top != folder
        if top in {"v1", "draft3"} or (foreign and "$schema" not in contents):
            continue
        resource = Resource.from_contents(contents, default_specification=dialect.specification)
        registry = registry.with_resource(f"http://localhost:1234/{relative}", resource)
    return cast("SchemaRegistry", registry.crawl())


def files(folder: str) -> Iterator[str]:
    root = SUITE / "tests" / folder
    return (file.relative_to(root).as_posix() for file in sorted(root.rglob("*.json")))


def wrong_verdicts(folder: str, file: str) -> tuple[int, Counter[str]]:
    """How many tests a file has, and how many of each of its cases we decide otherwise."""
    dialect, count, wrong = DIALECTS[folder], 0, Counter[str]()
    for case in json.loads((SUITE / "tests" / folder / file).read_text()):
        schema: Any = case["schema"]
        if isinstance(schema, dict):
            schema = {"$schema": dialect.uri, **schema}
        compiled = assemble(cast("JsonSchema", schema), registry=remotes(folder, dialect))
        for test in case["tests"]:
            count += 1
            wrong[case["description"]] += (run(compiled, test["data"]) == []) is not test["valid"]
    return count, +wrong


@pytest.mark.parametrize(("folder", "file"), [(folder, file) for folder in DIALECTS for file in files(folder)])
def test_the_suite_and_we_agree_except_where_we_say_why(folder: str, file: str) -> None:
    count, wrong = wrong_verdicts(folder, file)
    assert count > 0
    unexplained = {case for case in wrong if not {(folder, file, case), (folder, file, None)} & MISSES.keys()}
    assert unexplained == set()


def test_every_explained_miss_is_still_one() -> None:
    for folder, file, case in MISSES:
        _, wrong = wrong_verdicts(folder, file)
        assert wrong if case is None else wrong[case]
