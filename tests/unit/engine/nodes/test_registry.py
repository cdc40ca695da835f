"""What holds for every node type. A new type is covered here without a line; its own test says what it does."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from interrupts.contracts.admission import check_schema
from interrupts.contracts.shipped import shipped
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.engine.nodes import NODE_TYPES, node_type
from interrupts.engine.nodes.base import ChildEnd, Completed, Dispatch, Failed, NodeType, Suspend, Wait
from interrupts.engine.nodes.mock_agent import MockAgent
from interrupts.engine.nodes.oauth_use import OAuthUse
from interrupts.vocabulary import RunStatus
from tests.offers import Accounts
from tests.unit.engine.nodes.contexts import context, granted

# The least that each type runs with; a type that needs nothing is not named.
LEAST: dict[str, JsonObject] = {
    "core.approvalGate": {"title": "Release it?"},
    "core.interrupt": {"kind": "custom", "data": {"customKind": "sms"}},
    "core.clarificationGate": {"questions": [{"id": "q1", "question": "Why?"}]},
    "core.conformance.mock-agent": {"mockDecision": {"decision": "go", "confidence": 0.5}},
    "core.subWorkflow": {"workflowId": "child"},
    "vendor.wopsite.interrupt": {"kind": "issue_review"},
    "conformance.oauth.use": {"auth": {"type": "oauth2", "provider": "synthetic", "scopes": ["read"]}},
}
# What goes on with a type's interrupt, where an approval's answer does not.
ANSWERS: dict[str, JsonValue] = {
    "core.clarificationGate": {"q1": "Because."},
    "vendor.wopsite.interrupt": {"outcome": "submitted", "payload": {}},
    "conformance.oauth.use": {"outcome": "authorized"},
}
# Those of every installation, and those that only some offer.
TYPES: list[NodeType] = [*NODE_TYPES.values(), MockAgent(), OAuthUse(Accounts())]

every_type = pytest.mark.parametrize("kind", TYPES, ids=lambda kind: str(kind.type_id))


def least(kind: NodeType) -> JsonObject:
    return LEAST.get(kind.type_id, {})


def test_each_type_is_found_by_its_own_id_and_an_unknown_one_is_a_key_error() -> None:
    assert all(node_type(type_id).type_id == type_id for type_id in NODE_TYPES)
    with pytest.raises(KeyError):
        node_type("core.unknown")


@every_type
def test_a_type_has_an_id_of_the_protocols_grammar_and_a_title_for_people(kind: NodeType) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_-]*(\.[a-z][a-zA-Z0-9_-]*)+", kind.type_id)
    assert kind.title
    assert kind.title[0].isupper()


@every_type
def test_the_configuration_schema_passes_our_own_gate_and_closes_the_configuration(kind: NodeType) -> None:
    assert check_schema(kind.config_schema) == []
    problems = validate(compile_schema(kind.config_schema), {**least(kind), "misspelt": 1})
    assert [problem.pointer for problem in problems] == ["/misspelt"]


@every_type
def test_the_least_configuration_is_accepted(kind: NodeType) -> None:
    assert validate(compile_schema(kind.config_schema), least(kind)) == []
    assert kind.check_config(least(kind)) == []


@every_type
def test_a_type_returns_a_result_with_only_outputs_it_declares(kind: NodeType) -> None:
    result = kind.execute(context(least(kind)))
    assert isinstance(result, Completed | Dispatch | Failed | Suspend | Wait)
    if isinstance(result, Completed) and kind.outputs is not None:
        assert set(result.outputs) <= kind.outputs


@every_type
def test_a_type_raises_what_it_says_it_asks_and_can_go_on_from_it(kind: NodeType) -> None:
    ctx = context(least(kind))
    result, asked = kind.execute(ctx), kind.asks(ctx.config)
    assert (asked is None) == (not isinstance(result, Suspend))
    if isinstance(result, Suspend):
        assert asked is not None
        assert asked.kind is result.kind
        payload: JsonObject = {"kind": str(result.kind), "key": "k", "data": result.data}
        if result.resume_schema is not None:
            payload["resumeSchema"] = result.resume_schema
        assert validate(shipped("suspend-request"), payload) == []
        answer = granted(kind=result.kind, resume_value=ANSWERS.get(kind.type_id, {"action": "accept"}))
        assert isinstance(kind.resume(replace(ctx, asked=result.data), answer), Completed)
    else:
        with pytest.raises(NotImplementedError, match=re.escape(kind.type_id)):
            kind.resume(ctx, granted())


@every_type
def test_a_type_that_waits_for_the_clock_goes_on_when_the_time_is_over(kind: NodeType) -> None:
    ctx = context(least(kind))
    if isinstance(kind.execute(ctx), Wait):
        assert isinstance(kind.elapsed(ctx), Completed)
    else:
        with pytest.raises(NotImplementedError, match=re.escape(kind.type_id)):
            kind.elapsed(ctx)


@every_type
def test_a_type_that_starts_a_run_goes_on_when_that_has_ended(kind: NodeType) -> None:
    ctx = context(least(kind))
    ended = ChildEnd("acme/r-2", "child", RunStatus.COMPLETED, {}, {}, None)
    if isinstance(kind.execute(ctx), Dispatch):
        assert isinstance(kind.child_ended(ctx, ended), Completed)
    else:
        with pytest.raises(NotImplementedError, match=re.escape(kind.type_id)):
            kind.child_ended(ctx, ended)


@every_type
def test_running_a_node_changes_neither_its_configuration_nor_its_inputs(kind: NodeType) -> None:
    ctx = context(least(kind), artifact={"a": 1})
    kind.execute(ctx)
    assert (ctx.config, ctx.inputs) == (least(kind), {"artifact": {"a": 1}})
