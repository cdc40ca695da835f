"""What a method is, and how its parameters are described."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Final, cast

from interrupts.actor import Actor
from interrupts.contracts.json_text import digest
from interrupts.contracts.problems import Problem, to_pointer
from interrupts.contracts.types import JsonObject, JsonValue
from interrupts.errors import ValidationFailed
from interrupts.problems import validation_failed
from interrupts.services.idempotency import Done, Key
from interrupts.vocabulary import IDEMPOTENCY_KEY_PATTERN, Scope

KEY_MEMBER: Final = "idempotency_key"
_KEY: Final[JsonObject] = {
    "type": "string",
    "pattern": IDEMPOTENCY_KEY_PATTERN,
    "description": "A key of your choice: the same call sent again with it is answered as the first time.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One call of a method: who asks what, when. The parameters fit the method's schema."""

    method: str
    actor: Actor
    params: JsonObject
    now: datetime
    idempotency_key: str | None = None
    transport: str = "rest"

    def text(self, name: str) -> str:
        return cast("str", self.params[name])

    def optional_text(self, name: str) -> str | None:
        return cast("str | None", self.params.get(name))

    def number(self, name: str, default: int) -> int:
        return int(cast("int", self.params.get(name, default)))

    def key(self) -> Key | None:
        """Return the key under which the outcome is kept, with a digest over who asks and for what."""
        if self.idempotency_key is None:
            return None
        asked = digest([self.actor.subject_id, self.params])
        return Key(self.actor.tenant_id, self.method, self.idempotency_key, asked)


@dataclass(frozen=True, slots=True, kw_only=True)
class Method:
    """One thing to ask. ``params_schema`` is closed and complete in itself; ``result`` says in words what comes back.

    A method that changes something takes an ``idempotency_key`` among its parameters; one that is destructive ends
    something for good.
    """

    name: str
    summary: str
    params_schema: JsonObject
    result: str
    scope: Scope
    run: Callable[[Call], Done]
    is_destructive: bool = False

    @property
    def properties(self) -> JsonObject:
        return cast("JsonObject", self.params_schema["properties"])

    @property
    def is_mutation(self) -> bool:
        return KEY_MEMBER in self.properties


def reading(required: JsonObject, optional: JsonObject | None = None) -> JsonObject:
    """Return the closed schema of a method's parameters."""
    return {
        "type": "object",
        "properties": {**required, **(optional or {})},
        "required": cast("list[JsonValue]", list(required)),
        "additionalProperties": False,
    }


def changing(required: JsonObject, optional: JsonObject | None = None) -> JsonObject:
    """Return the closed schema of the parameters of a method that changes something."""
    return reading(required, {**(optional or {}), KEY_MEMBER: _KEY})


def refused(pointer: tuple[str | int, ...], keyword: str, message: str) -> ValidationFailed:
    """Return the error for one parameter that its schema cannot judge."""
    return validation_failed([Problem(to_pointer(pointer), keyword, message)])
