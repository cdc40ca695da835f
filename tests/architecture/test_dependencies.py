"""The packages that are asked for: each is told of in one line, and each is used."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.metadata import packages_distributions
from typing import Final

import pytest

from tests.architecture.sources import ROOT, python_sources

FILES: Final = ("requirements.in", "requirements-dev.in", "examples/requirements.in")
# Named in a setting or in the Makefile, or only looked at by mypy: no source imports them.
TOOLS: Final = frozenset(
    {
        "celery-types",
        "coverage",
        "django-stubs",
        "djangorestframework-stubs",
        "djlint",
        "import-linter",
        "mypy",
        "pip-audit",
        "pytest-django",
        "pytest-randomly",
        "pytest-timeout",
        "pytest-xdist",
        "ruff",
        "types-jsonschema",
        "uv",
    }
)


def normalised(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def asked_for(file: str) -> set[str]:
    lines = (ROOT / file).read_text("utf-8").splitlines()
    return {normalised(found[0]) for line in lines if (found := re.match(r"[A-Za-z][\w.-]*", line))}


@cache
def imported() -> set[str]:
    """The distributions of what sources import, and of what settings name as text."""
    roots = set()
    for source in python_sources("interrupts", "approvals", "wopsite", "tests", "bench", "examples"):
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Import):
                roots |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                roots.add(node.module.partition(".")[0])
            elif isinstance(node, ast.Constant) and isinstance(node.value, str) and re.match(r"\w+\.", node.value):
                roots.add(node.value.partition(".")[0])
    distributions = packages_distributions()
    return {normalised(name) for root in roots for name in distributions.get(root, ())}


def test_every_package_is_told_of_once() -> None:
    cells = re.findall(r"^\| ([^|]+) \|", (ROOT / "docs/dependencies.md").read_text("utf-8"), re.MULTILINE)
    told = [normalised(name) for cell in cells for name in re.findall(r"[\w-]+", re.sub(r"\(.*?\)| \d\S*", "", cell))]
    assert sorted(name for name in told if name not in {"package", "---"}) == sorted(
        set().union(*(asked_for(file) for file in FILES))
    )


@pytest.mark.parametrize("file", FILES[:2])
def test_every_package_is_used(file: str) -> None:
    assert asked_for(file) - imported() - TOOLS == set()
