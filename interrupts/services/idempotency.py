"""One outcome a key (wire contract §10, layer 1), claimed and settled inside the operation's own transaction."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeAlias, cast

from django.db import transaction

from interrupts.conf import IDEMPOTENCY_RETENTION
from interrupts.contracts.types import JsonObject
from interrupts.errors import IdempotencyKeyMismatch, WopError, restore_error
from interrupts.models import IdempotencyRecord

# Outcomes that a later, corrected request must not be shadowed by.
_NEVER_KEPT = frozenset(
    {
        *("idempotency_key_invalid", "validation_error", "forbidden", "run_forbidden", "id_tenant_mismatch"),
        # A new link to the same interrupt repeats the same request, and must not be told that it has expired.
        "interrupt_expired",
    }
)


@dataclass(frozen=True, slots=True)
class Key:
    """A caller's Idempotency-Key, with the endpoint it was sent to and a digest of the whole request."""

    tenant_id: str
    endpoint: str
    key: str
    digest: str


@dataclass(frozen=True, slots=True)
class Done:
    """An operation's result, and whether it is an earlier one given again."""

    result: JsonObject
    is_replay: bool = False


@dataclass(frozen=True, slots=True)
class Refused:
    """The operation changed something that must be kept, and still refuses: a passed deadline settled on the way."""

    error: WopError


class ReplayedError(Exception):
    """An earlier refusal, given again."""

    def __init__(self, error: WopError) -> None:
        self.error = error
        super().__init__(error.message)


Operation: TypeAlias = "Callable[[], JsonObject | Refused]"


def run(operation: Operation, *, key: Key | None, now: datetime) -> Done:
    """Run ``operation`` in one transaction, at most once per key.

    Of two requests with one key at once, the second waits on the first one's row and is given its outcome. An outcome
    that must not be kept leaves no record. Raises what the operation raises, ReplayedError for a kept refusal and
    IdempotencyKeyMismatch for a key that came with another request before.
    """
    with transaction.atomic():
        if key is not None:
            earlier = _claim(key, now)
            if earlier is not None:
                return _replay(earlier, key)
        outcome = _attempt(operation, key)
        if key is not None:
            _settle(key, outcome)
    if isinstance(outcome, Refused):
        raise outcome.error
    return Done(outcome)


def has_outcome(key: Key | None) -> bool:
    """Return whether a key has been settled already: what must be asked outside need not be asked again for it."""
    if key is None:
        return False
    known = IdempotencyRecord.objects.filter(tenant_id=key.tenant_id, endpoint=key.endpoint, key=key.key)
    return known.filter(outcome__isnull=False).exists()


def purge(*, now: datetime) -> int:
    """Delete records past their retention and return how many."""
    deleted, _ = IdempotencyRecord.objects.filter(created_at__lt=now - IDEMPOTENCY_RETENTION).delete()
    return deleted


def _attempt(operation: Operation, key: Key | None) -> JsonObject | Refused:
    """Run the operation. A refusal worth keeping undoes its writes and stays; any other undoes the claim as well."""
    if key is None:
        return operation()
    try:
        with transaction.atomic():
            return operation()
    except WopError as error:
        if error.code in _NEVER_KEPT or not error.is_final:
            raise
        return Refused(error)


def _claim(key: Key, now: datetime) -> IdempotencyRecord | None:
    """Claim the key, or return the record that has it already.

    ON CONFLICT DO NOTHING waits for a claim that is not committed yet, so what is read afterwards is either our own
    claim, still without an outcome, or somebody's finished record.
    """
    identity = {"tenant_id": key.tenant_id, "endpoint": key.endpoint, "key": key.key}
    claim = IdempotencyRecord(**identity, digest=key.digest, created_at=now)
    IdempotencyRecord.objects.bulk_create([claim], ignore_conflicts=True)
    record = IdempotencyRecord.objects.get(**identity)
    return None if record.outcome is None else record


def _settle(key: Key, outcome: JsonObject | Refused) -> None:
    kept: JsonObject
    if isinstance(outcome, Refused):
        error = outcome.error
        kept = {"error": {"code": error.code, "message": error.message, "details": error.details}}
    else:
        kept = {"result": outcome}
    IdempotencyRecord.objects.filter(tenant_id=key.tenant_id, endpoint=key.endpoint, key=key.key).update(outcome=kept)


def _replay(record: IdempotencyRecord, key: Key) -> Done:
    if record.digest != key.digest:
        raise IdempotencyKeyMismatch
    outcome = cast("JsonObject", record.outcome)
    if "error" in outcome:
        raise ReplayedError(restore_error(**cast("dict[str, Any]", outcome["error"])))
    return Done(cast("JsonObject", outcome["result"]), is_replay=True)
