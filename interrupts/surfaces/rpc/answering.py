"""Answering a JSON-RPC message: one call or a batch, each call in a transaction of its own."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from django.utils import timezone

from interrupts import conf
from interrupts.actor import Actor
from interrupts.contracts.json_text import MalformedJson, dump_json, parse_json
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import RateLimited
from interrupts.services.idempotency import ReplayedError
from interrupts.surfaces.faults import told
from interrupts.surfaces.methods.base import refused
from interrupts.surfaces.methods.runs import TIMEOUT_MEMBER
from interrupts.surfaces.methods.table import METHODS, perform
from interrupts.surfaces.rpc.framing import (
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    PARSE_ERROR,
    InvalidRequest,
    Request,
    error_of,
    read_request,
    result_of,
    unreadable,
)

MAX_BATCH: Final = 50
# After answers of so many bytes the rest of a batch is not carried out.
MAX_BATCH_BYTES: Final = 16 * 1_048_576


@dataclass(frozen=True, slots=True)
class Answer:
    """What to answer: nothing to notifications alone."""

    body: JsonObject | list[JsonValue] | None
    is_replay: bool = False


def answer(raw: bytes, *, actor: Actor, idempotency_key: str | None = None) -> Answer:
    """Answer a message. No exception leaves here: each becomes the error of its call."""
    try:
        message = parse_json(raw, max_bytes=conf.limits().max_body_bytes)
    except MalformedJson as error:
        return Answer(error_of(None, unreadable(error), PARSE_ERROR))
    if not isinstance(message, list):
        return _answer_one(message, actor, idempotency_key)
    if not 1 <= len(message) <= MAX_BATCH:
        fault = InvalidRequest(f"A batch has from 1 to {MAX_BATCH} requests; this one has {len(message)}.")
        return Answer(error_of(None, fault, INVALID_REQUEST))
    bodies: list[JsonValue] = []
    left = MAX_BATCH_BYTES
    for position, item in enumerate(message):
        key = _key_of_item(idempotency_key, position)
        given = _answer_one(item, actor, key, is_batch=True, is_full=left <= 0)
        if given.body is not None:
            bodies.append(given.body)
            left -= len(dump_json(given.body))
    return Answer(bodies or None)


def _answer_one(
    value: JsonValue, actor: Actor, key: str | None, *, is_batch: bool = False, is_full: bool = False
) -> Answer:
    try:
        request = read_request(value)
    except InvalidRequest as error:
        return Answer(error_of(error.request_id, error, INVALID_REQUEST))
    if is_full:
        fault = RateLimited("The answers of this batch are as long as they may be together. Send this call by itself.")
        return Answer(None if request.is_notification else error_of(request.request_id, fault))
    given = _call(request, actor, key, is_batch=is_batch)
    return Answer(None) if request.is_notification else given


def _call(request: Request, actor: Actor, key: str | None, *, is_batch: bool) -> Answer:
    try:
        params = _without_waiting(request) if is_batch else request.params
        done = perform(request.method, params, actor=actor, now=timezone.now(), idempotency_key=key)
    except ReplayedError as replayed:
        return Answer(error_of(request.request_id, replayed.error), is_replay=True)
    except Exception as error:  # noqa: BLE001 - one call's fault must not take the answers of its batch with it
        code = None if request.method in METHODS else METHOD_NOT_FOUND
        return Answer(error_of(request.request_id, told(error, asked=f"rpc {request.method[:80]}"), code))
    return Answer(result_of(request.request_id, done.result), done.is_replay)


def _without_waiting(request: Request) -> JsonValue:
    """Return the parameters of a call that does not wait.

    The calls of a batch are answered one after the other: each could wait as long as a whole request may.
    """
    method = METHODS.get(request.method)
    if method is None or not isinstance(request.params, dict) or TIMEOUT_MEMBER not in method.properties:
        return request.params
    if request.params.get(TIMEOUT_MEMBER):
        message = f"A call in a batch cannot wait. Leave {TIMEOUT_MEMBER} out, or send this call by itself."
        raise refused((TIMEOUT_MEMBER,), "const", message)
    return {**request.params, TIMEOUT_MEMBER: 0}


def _key_of_item(key: str | None, position: int) -> str | None:
    """Return the key of one call of a batch: its own, and the same when the batch is sent again."""
    return None if key is None else hashlib.sha256(f"{key}\n{position}".encode()).hexdigest()
