"""The documents: every test that they name exists, every link leads somewhere, every setting is told of."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.architecture.sources import ROOT

EXAMPLES = sorted((ROOT / "examples").rglob("*.md"))
PAGES = [ROOT / "README.md", ROOT / "CHANGELOG.md", *sorted((ROOT / "docs").glob("*.md")), *EXAMPLES]
CONTRACT = (ROOT / "docs/contract.md").read_text("utf-8")


def named_tests() -> list[tuple[str, str]]:
    """Return each file that docs/contract.md names with the beginning of a test's name; `::name` stays in its file."""
    named: list[tuple[str, str]] = []
    for file, test in re.findall(r"`([\w/]+\.py)?(?:::(\w+))?`", CONTRACT):
        if file or test:
            named.append((file or named[-1][0], test))
    return named


def anchors(page: Path) -> set[str]:
    titles = re.findall(r"^#+ (.*)$", page.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-") for title in titles}


def test_every_test_that_the_contract_names_exists() -> None:
    missing = [
        f"{file}::{test}"
        for file, test in named_tests()
        if not (ROOT / "tests" / file).is_file() or f"def {test}" not in (ROOT / "tests" / file).read_text("utf-8")
    ]
    assert missing == []


def test_the_contract_names_tests_of_every_kind() -> None:
    assert len(named_tests()) > 100


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    dead = []
    for link in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text("utf-8")):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    assert dead == []


def test_every_setting_is_told_of() -> None:
    sources = "".join((ROOT / f"wopsite/{name}.py").read_text("utf-8") for name in ("settings", "env", "celery"))
    read = set(re.findall(r'env\.\w+\(\s*"([A-Z_]+)"', sources))
    told = re.findall(r"^\| (`[A-Z_`, ]+`) \|", (ROOT / "docs/operating.md").read_text("utf-8"), re.MULTILINE)
    assert {name for cell in told for name in re.findall(r"[A-Z_]+", cell)} == read - {"WOP_"}


def test_the_list_of_conformance_cases_is_that_of_the_tests() -> None:
    folder = ROOT / "tests/conformance"
    held, _, waiting = (
        (folder / "README.md").read_text("utf-8").partition("## Fixtures")[0].partition("Cases that wait")
    )
    sources = "".join(path.read_text("utf-8") for path in folder.glob("test_*.py"))
    tested = {int(case) for name in re.findall(r"def test_cases?_(\w+)", sources) for case in leading_numbers(name)}
    assert tested == rows(held)
    assert tested.isdisjoint(rows(waiting))


def leading_numbers(name: str) -> list[str]:
    """The cases that a test's name begins with: 66 and 67 of ``66_and_67_every_type``."""
    found = re.match(r"(\d+(?:_and_\d+)*)", name)
    return found[1].split("_and_") if found else []


def rows(table: str) -> set[int]:
    """The numbers of cases in a table: by themselves, or as a range such as ``52 to 57``."""
    lines = "".join(re.findall(r"^\|.*", re.sub(r"`.*?`", "", table), re.MULTILINE))
    spans = [(int(a), int(b or a)) for a, b in re.findall(r"\b(\d+)(?: to (\d+))?\b", lines)]
    return {case for first, last in spans for case in range(first, last + 1)}
