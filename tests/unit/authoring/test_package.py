"""The package as a script sees it: its examples run, and it brings neither Django nor Pydantic."""

from __future__ import annotations

import doctest
import json
import os
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from interrupts.engine.definition import check_definition, find_doubts
from tests.architecture.sources import ROOT

MODULES = ("", ".documents", ".forms", ".plain", ".schemas", ".sources")


@pytest.mark.parametrize("name", MODULES)
def test_every_example_in_the_docstrings_is_true(name: str) -> None:
    module = import_module(f"interrupts.authoring{name}")
    results = doctest.testmod(module, raise_on_error=False)
    assert results.attempted > 0
    assert results.failed == 0


def test_every_module_is_among_those_whose_examples_run() -> None:
    found = {path.stem for path in (ROOT / "interrupts/authoring").glob("*.py")} - {"__init__"}
    assert found == {name.removeprefix(".") for name in MODULES if name}


def test_a_plain_script_can_import_it() -> None:
    script = (
        "import sys, interrupts.authoring; print(sorted({'django', 'pydantic', 'rest_framework'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_example_in_the_documentation_writes_a_workflow_as_the_page_runs_it(tmp_path: Path) -> None:
    """In a folder that looks like the project after ``make setup``, so that nothing is written into this one."""
    page = (ROOT / "docs/workflows.md").read_text("utf-8").partition("## Writing contracts in Python")[2]
    (script,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (command,) = re.findall(r"^```sh\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    (tmp_path / "interrupts").symlink_to(ROOT / "interrupts")
    (tmp_path / "proposal.py").write_text(script)
    run = command.replace(".venv/bin/python", sys.executable)
    subprocess.run(["bash", "-ec", run], cwd=tmp_path, env={"PATH": os.environ["PATH"]}, check=True)
    document = json.loads((tmp_path / "proposal.json").read_text("utf-8"))
    assert check_definition(document) == find_doubts(document) == []
    asked = {each["id"]: each["config"] for each in document["nodes"] if each["config"]}
    assert asked["review"]["request_schema"]["required"] == ["text", "reviewers"]
    assert asked["publish"]["outcomes"] == ["approved", "rejected"]


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*/workflow.json")), ids=lambda path: path.parent.name)
def test_the_questions_of_the_examples_can_be_registered(path: Path) -> None:
    document = json.loads(path.read_text("utf-8"))
    assert check_definition(document) == find_doubts(document) == []
