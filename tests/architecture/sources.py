"""The project's own source files, parsed once for the tests of the house rules."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("interrupts", "approvals", "wopsite")

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class Source:
    """One Python file: its path below the project, its text and its syntax tree."""

    path: str
    text: str
    tree: ast.Module

    def where(self, node: ast.stmt | ast.expr) -> str:
        return f"{self.path}:{node.lineno}"

    def functions(self) -> Iterator[FunctionNode]:
        return (node for node in ast.walk(self.tree) if isinstance(node, FunctionNode))


def python_sources(*packages: str, migrations: bool = False) -> list[Source]:
    """The Python files below the named directories; migrations only when asked for."""
    paths = (path for package in packages for path in sorted((ROOT / package).rglob("*.py")))
    return [_read(path) for path in paths if migrations or "migrations" not in path.parts]


def parse(text: str) -> Source:
    """A source that lies in no file, to show that a rule finds what breaks it."""
    return Source("example.py", text, ast.parse(text))


@cache
def _read(path: Path) -> Source:
    text = path.read_text(encoding="utf-8")
    return Source(str(path.relative_to(ROOT)), text, ast.parse(text))
