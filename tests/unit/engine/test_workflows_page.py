"""docs/workflows.md says what can be registered."""

from __future__ import annotations

import json
import re
from typing import Any, cast

import pytest

from interrupts.contracts.types import JsonObject
from interrupts.engine.conditions import _TESTS
from interrupts.engine.definition import check_definition
from interrupts.engine.expressions import FUNCTIONS, ROOTS
from interrupts.engine.nodes import NODE_TYPES, RESERVED
from interrupts.engine.nodes.base import NodeType
from interrupts.engine.nodes.mock_agent import MockAgent
from interrupts.engine.nodes.oauth_use import OAuthUse
from interrupts.vocabulary import InterruptKind, TriggerRule
from tests import factories
from tests.architecture.sources import ROOT

PAGE = (ROOT / "docs/workflows.md").read_text("utf-8")
EXAMPLES: list[JsonObject] = [json.loads(text) for text in re.findall(r"^```json\n(.*?)^```$", PAGE, re.M | re.S)]
TYPES = {**NODE_TYPES, MockAgent.type_id: MockAgent, OAuthUse.type_id: OAuthUse}


@pytest.mark.parametrize("document", EXAMPLES, ids=lambda document: str(document["id"]))
def test_each_example_can_be_registered(document: JsonObject) -> None:
    assert check_definition(document) == []


def test_there_are_three_examples() -> None:
    assert [document["id"] for document in EXAMPLES] == ["first", "two-people", "until-good"]


@pytest.mark.parametrize("text", re.findall(r'^\| `(\{"type": .*?\})` \|', PAGE, re.M))
def test_each_value_of_an_input_can_be_registered(text: str) -> None:
    reader = factories.node("reader", "core.identity", inputs={"it": json.loads(text)})
    document = factories.chain(factories.gate_node("gate"), reader)
    document["variables"] = [{"name": "amount", "type": "number"}]
    assert check_definition(document) == []


@pytest.mark.parametrize("type_id", sorted(TYPES))
def test_the_table_of_a_node_type_names_all_it_takes_and_gives(type_id: str) -> None:
    kind = cast("type[NodeType]", TYPES[type_id])
    assert {sort: _named(type_id, sort) for sort in ("config", "input", "output")} == {
        "config": set(cast("dict[str, Any]", kind.config_schema.get("properties", {}))) or {"none"},
        "input": _ports(kind.inputs),
        "output": _ports(kind.outputs),
    }


def test_every_type_is_told_of_and_no_other() -> None:
    assert set(re.findall(r"^### `(.*)`$", PAGE, re.M)) == set(TYPES)
    assert set(re.findall(r"`(core\.\w+)`", PAGE)) <= set(TYPES) | set(RESERVED)


def test_every_rule_condition_kind_and_function_is_told_of() -> None:
    words = set(re.findall(r"`([\w.-]+)`", PAGE))
    assert {str(rule) for rule in TriggerRule} | {str(kind) for kind in InterruptKind} <= words
    assert {*_TESTS, "expression"} | FUNCTIONS | ROOTS <= words


def _named(type_id: str, sort: str) -> set[str]:
    section = PAGE.split(f"### `{type_id}`\n")[1].split("\n#")[0].split("\n| Kind |")[0]
    cells = re.findall(rf"^\| {sort} \| (.*?) \|", section, re.M)
    return {name for cell in cells for name in re.findall(r"\w+", cell)}


def _ports(names: frozenset[str] | None) -> set[str]:
    return {"any"} if names is None else set(names) or {"none"}
