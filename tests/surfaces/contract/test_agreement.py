"""A thousand pairs of a schema and an answer: every surface gives the same verdict and tells the same problems.

What the bounded validator says is the measure; it is held against another engine in
``tests/properties/test_contracts_validation.py``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, cast

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis_jsonschema import from_schema

from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.surfaces.mcp.tools import use
from interrupts.surfaces.methods.table import perform
from interrupts.surfaces.rpc.answering import answer
from tests import factories
from tests.properties.schemas import is_carried
from tests.surfaces.contract.surfaces import SURFACES, Refused, refusal
from tests.surfaces.rest.api import wire

PAIRS = 1000
SCHEMAS = 120
GOOD = 4
ANSWERS = 15

NAMES = st.sampled_from(["a", "b", "c", "d/e", "f~g"])
SCALARS = st.sampled_from([None, True, False, 0, 1, -3, 2.5, "", "a", "long text", "2031-05-17"])
VALUES = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)
LEAVES: st.SearchStrategy[dict[str, Any]] = st.one_of(
    st.just({"type": "boolean"}),
    st.builds(lambda low: {"type": "integer", "minimum": low, "maximum": low + 3}, st.integers(-3, 3)),
    st.builds(lambda size: {"type": "string", "minLength": size, "maxLength": size + 4}, st.integers(0, 3)),
    st.builds(lambda options: {"enum": options}, st.lists(SCALARS, min_size=1, max_size=3, unique_by=repr)),
    st.builds(lambda value: {"const": value}, SCALARS),
    st.just({"type": "string", "format": "date"}),
    st.just({"type": ["string", "null"], "pattern": "^[a-z]*$"}),
    st.just({"type": "number", "multipleOf": 2}),
)


def objects(members: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    """Schemas of objects: members, some of them required, and others allowed or not."""
    properties = st.dictionaries(NAMES, members, min_size=1, max_size=4)
    return st.builds(
        lambda known, needed, closed: {
            "type": "object",
            "properties": known,
            "required": sorted(known)[:needed],
            "additionalProperties": not closed,
        },
        properties,
        st.integers(1, 4),
        st.sampled_from([True, True, False]),
    )


def containers(inner: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    lists = st.builds(lambda item, most: {"type": "array", "items": item, "maxItems": most}, inner, st.integers(0, 3))
    choices = st.builds(lambda options: {"anyOf": options}, st.lists(inner, min_size=1, max_size=3))
    return lists | choices | objects(inner)


CONTRACTS = objects(st.recursive(LEAVES, containers, max_leaves=5))


def answers(schema: dict[str, Any], good: list[Any]) -> st.SearchStrategy[Any]:
    """A good answer, one with a member changed or missing, or anything at all."""
    names, given = st.sampled_from(sorted(schema["properties"])), st.sampled_from(good)
    ways: dict[str, st.SearchStrategy[Any]] = {
        "good": given,
        "changed": st.builds(lambda value, name, other: {**value, name: other}, given, names | NAMES, VALUES),
        "missing": st.builds(lambda value, name: {each: value[each] for each in value if each != name}, given, names),
        "anything": VALUES,
    }
    # A refusal has more to agree on than a verdict. (What one_of is given twice counts once.)
    return st.sampled_from(["good", "good", "changed", "changed", "missing", "anything"]).flatmap(ways.__getitem__)


class Lean:
    """The surfaces without what is the same for every request: a thousand pairs are five thousand of them."""

    def __init__(self, run_id: str) -> None:
        self._run_id = run_id
        self._actor = factories.actor("olga")
        secret = factories.api_key("olga")
        self._client = Client(headers={"Authorization": f"Bearer {secret}"})
        self._here, self._elsewhere = SURFACES["cli"](secret), SURFACES["cli-elsewhere"](secret)
        self.named: dict[str, Callable[[Any], str | Refused]] = {
            "rest": self.rest,
            "rpc": self.rpc,
            "mcp": self.mcp,
            "cli": self.cli,
            "cli-elsewhere": self.cli_elsewhere,
        }

    def rest(self, payload: Any) -> str | Refused:
        path = f"/runs/{wire(self._run_id)}/interrupts/review"
        body = {"resumeValue": {"outcome": "submitted", "payload": payload}}
        answer = self._client.post(path, json.dumps(body), content_type="application/json")
        told = answer.json()
        return told["status"] if answer.status_code == 200 else refusal(told["error"], told["details"], "/resumeValue")

    def rpc(self, payload: Any) -> str | Refused:
        call = {"jsonrpc": "2.0", "id": 1, "method": "workflow.runs.resume", "params": self._params(payload)}
        told: Any = answer(json.dumps(call).encode(), actor=self._actor).body
        if "result" in told:
            return cast("str", told["result"]["status"])
        return refusal(told["error"]["data"]["code"], told["error"]["data"]["details"])

    def mcp(self, payload: Any) -> str | Refused:
        result = use("workflow_runs_resume", self._params(payload), self._perform)
        told = result.structured_content
        return refusal(told["code"], told["details"]) if result.is_error else cast("str", told["status"])

    def cli(self, payload: Any) -> str | Refused:
        return self._here.resume(self._run_id, "submitted", payload)

    def cli_elsewhere(self, payload: Any) -> str | Refused:
        return self._elsewhere.resume(self._run_id, "submitted", payload)

    def verdicts(self, payload: Any) -> dict[str, str | Refused]:
        """What each surface says of an answer; whatever it did is undone."""
        return {name: self._undone(surface, payload) for name, surface in self.named.items()}

    def _params(self, payload: Any) -> JsonObject:
        return {"run_id": self._run_id, "outcome": "submitted", "payload": payload}

    def _perform(self, method: str, params: JsonValue) -> JsonObject:
        return perform(method, params, actor=self._actor, now=timezone.now()).result

    def _undone(self, surface: Callable[[Any], str | Refused], payload: Any) -> str | Refused:
        with transaction.atomic():
            told = surface(payload)
            transaction.set_rollback(True)
        return told


@settings(
    max_examples=SCHEMAS,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    # Making a failure smaller would take minutes: each try is a hundred requests.
    phases=[Phase.generate],
)
@given(data=st.data())
def compare(judged: dict[str, bool], data: st.DataObject) -> None:
    """Compare what the surfaces say of answers to one schema; ``judged`` holds whether each pair so far was taken."""
    schema = data.draw(CONTRACTS)
    good = data.draw(st.lists(from_schema(schema).filter(is_carried), min_size=GOOD, max_size=GOOD))
    payloads = data.draw(st.lists(answers(schema, good), min_size=ANSWERS, max_size=ANSWERS, unique_by=json.dumps))
    # Much is drawn more than once, and shows nothing new then.
    pairs = {json.dumps([schema, payload]): payload for payload in payloads}
    fresh = [pair for pair in pairs if pair not in judged][: PAIRS - len(judged)]
    if not fresh:
        return
    compiled = compile_schema(schema)
    with transaction.atomic():
        surfaces = Lean(factories.start_flow(factories.workflow([factories.contract_node(resume_schema=schema)])))
        for pair in fresh:
            problems = [(f"/payload{p.pointer}", p.keyword, p.message) for p in validate(compiled, pairs[pair])]
            expected = Refused("validation_error", tuple(problems)) if problems else "completed"
            assert surfaces.verdicts(pairs[pair]) == dict.fromkeys(surfaces.named, expected)
            judged[pair] = not problems
        transaction.set_rollback(True)


@pytest.mark.django_db
@pytest.mark.timeout(600)
def test_every_surface_gives_the_same_verdict_and_tells_the_same_problems() -> None:
    judged: dict[str, bool] = {}
    compare(judged)
    assert len(judged) == PAIRS
    assert min(sum(judged.values()), PAIRS - sum(judged.values())) >= 200
