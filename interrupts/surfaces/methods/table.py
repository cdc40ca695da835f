"""The table of methods, and the one way a method is called."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Final, cast

from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.contracts.validation import compile_schema, validate
from interrupts.errors import IdempotencyKeyInvalid, NotFound
from interrupts.problems import validation_failed
from interrupts.services.idempotency import Done, ReplayedError
from interrupts.surfaces.methods import interrupts, runs, workflows
from interrupts.surfaces.methods.base import KEY_MEMBER, Call, Method
from interrupts.vocabulary import IDEMPOTENCY_KEY_PATTERN

METHODS: Final = {method.name: method for method in (*runs.METHODS, *interrupts.METHODS, *workflows.METHODS)}


def call(
    name: str, params: JsonValue, *, actor: Actor, now: datetime, idempotency_key: str | None = None
) -> JsonObject:
    """Call a method and return its result. Raises any WopError; an earlier refusal, kept under the key, as it was."""
    try:
        return perform(name, params, actor=actor, now=now, idempotency_key=idempotency_key).result
    except ReplayedError as replayed:
        raise replayed.error from replayed


def perform(
    name: str,
    params: JsonValue,
    *,
    actor: Actor,
    now: datetime,
    idempotency_key: str | None = None,
    transport: str = "rest",
) -> Done:
    """Call a method and tell whether its result is an earlier one given again.

    Checks in the order of REST: the name, the scope, the key, the parameters, then the state of things. The key may
    come beside the parameters or among them, as ``idempotency_key``, which goes first; a method that changes nothing
    leaves one beside them aside. Raises any WopError, and ReplayedError for an earlier refusal.
    """
    method = METHODS.get(name)
    if method is None:
        raise NotFound(f"There is no method “{name[:80]}”. There are: {', '.join(METHODS)}.")
    actor.require(method.scope)
    if idempotency_key is not None and not re.fullmatch(IDEMPOTENCY_KEY_PATTERN, idempotency_key):
        raise IdempotencyKeyInvalid
    asked = _checked(method, params)
    own_key = cast("str | None", asked.pop(KEY_MEMBER, None))
    return method.run(
        Call(
            method=name,
            actor=actor,
            params=asked,
            now=now,
            idempotency_key=own_key or idempotency_key,
            transport=transport,
        )
    )


def _checked(method: Method, params: JsonValue) -> JsonObject:
    problems = validate(compile_schema(method.params_schema), params)
    if problems:
        raise validation_failed(problems)
    return dict(cast("JsonObject", params))
