"""``wop explain``: no code without a card, and no card that leaves somebody alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

import pytest

from interrupts import errors
from interrupts.engine.definition.catalogue import CATALOGUE
from interrupts.surfaces.cards import CARDS, GROUPS, nearest
from interrupts.surfaces.problems import RENDERINGS
from tests.architecture.sources import ROOT
from tests.surfaces.cli.conftest import Wop

_CODE = re.compile(r"[a-z]+(_[a-z]+)+")
# Whatever makes a failure of a node or a run: its code is the first text among the arguments.
_FAILURES = {"Failed", "fail_run"}


def _said_by_runs() -> Iterator[str]:
    """Every code with which the sources let a node or a run fail."""
    for package in ("interrupts", "approvals"):
        for path in sorted((ROOT / package).rglob("*.py")):
            if {"migrations", "surfaces", "inbox", "definition"} & set(path.parts):
                continue
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                yield from _codes(node)


def _codes(node: ast.AST) -> Iterator[str]:
    match node:
        case ast.Call(func=ast.Name(id=name), args=args) if name in _FAILURES:
            yield from _texts(args)
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if re.search(r"CODES?\b|EXPIRED", name):
            yield from _texts([value])
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value) if re.search("(?i)codes?$", name):
            yield from _texts([value])


def _texts(values: list[ast.expr]) -> Iterator[str]:
    for value in values:
        for part in ast.walk(value):
            if isinstance(part, ast.Constant) and isinstance(part.value, str) and _CODE.fullmatch(part.value):
                yield part.value


def _errors(base: type[errors.WopError]) -> Iterator[type[errors.WopError]]:
    yield base
    for below in base.__subclasses__():
        yield from _errors(below)


def test_no_code_is_without_a_card_and_no_card_without_a_code() -> None:
    refusals = {error.code for error in _errors(errors.WopError)} | set(RENDERINGS)
    runs = set(_said_by_runs())
    assert {"approval_rejected", "node_config_invalid", "run_timeout", "connector_auth_declined"} <= runs
    checks = set(re.findall(r'"(wop\.[EW]\d+)"', (ROOT / "interrupts/checks.py").read_text("utf-8")))
    assert len(checks) == 10
    assert set(CARDS) == refusals | runs | checks | set(CATALOGUE)


def test_no_code_has_two_cards() -> None:
    codes = [card.code for cards in GROUPS.values() for card in cards]
    assert len(codes) == len(set(codes))


@pytest.mark.parametrize("card", CARDS.values(), ids=lambda card: card.code)
def test_each_card_has_a_meaning_an_example_and_advice_in_sentences(card: object) -> None:
    for text in (CARDS[card.code].meaning, CARDS[card.code].advice):  # type: ignore[attr-defined]
        assert re.match(r"^['A-Z]", text)
        assert text.endswith((".", "'"))
    assert CARDS[card.code].example  # type: ignore[attr-defined]


def test_a_code_is_explained_with_its_statuses(wop: Wop) -> None:
    ended = wop("explain", "interrupt_already_resolved")
    assert (ended.status, ended.err) == (0, "")
    assert ended.lines[:2] == [
        "interrupt_already_resolved",
        "HTTP status 409. Exit status of a command: 4 (what exists stands in the way: it is over, or different).",
    ]
    assert [line for line in ended.lines if line and line[0] != " "][2:] == [
        "What it means",
        "For example",
        "What to do",
    ]


def test_what_is_found_in_a_workflow_is_explained_with_its_weight(wop: Wop) -> None:
    ended = wop("explain", "quorum_beyond_eligible")
    assert ended.lines[:2] == [
        "quorum_beyond_eligible",
        "A warning: the workflow can be registered, and is likely to have a mistake.",
    ]
    assert wop("explain", "unknown_outcome").lines[1].startswith("An error: ")


def test_a_code_of_runs_alone_has_no_http_status(wop: Wop) -> None:
    assert "HTTP" not in wop("explain", "approval_rejected").out


def test_without_a_code_all_are_listed(wop: Wop) -> None:
    ended = wop("explain")
    assert (ended.status, ended.err) == (0, "")
    assert {line.split()[0] for line in ended.lines if re.match(r"  \S", line)} == set(CARDS)


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("not_fuond", "not_found"),
        ("Validation-Error", "validation_error"),
        ("already resolved", "interrupt_already_resolved"),
        ("WOP.E1", "wop.E001"),
        ("terminal", "run_terminal"),
    ],
)
def test_a_code_that_is_misspelt_is_answered_with_the_one_that_was_meant(wop: Wop, given: str, meant: str) -> None:
    ended = wop("explain", given)
    assert (ended.status, ended.out) == (3, "")
    assert re.match(rf"There is no code '{given}'\. Did you mean .*\b{meant}\b", ended.err)


@pytest.mark.parametrize("given", ["", "zzzzzzzz", "x" * 100_000, "😀"])
def test_a_code_that_is_like_none_is_told_without_a_guess(wop: Wop, given: str) -> None:
    ended = wop("explain", given)
    assert (ended.status, ended.out) == (3, "")
    assert "Did you mean" not in ended.err
    assert nearest(given) == []
