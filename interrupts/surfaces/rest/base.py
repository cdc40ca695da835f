"""The view under every operation: checks in the order of the wire contract (§3, last paragraph), before any look-up."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any, ClassVar, Final, NoReturn, cast

from django.http import HttpRequest
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.views import APIView

from interrupts.actor import Actor
from interrupts.contracts.types import JsonObject
from interrupts.errors import ForceEngineVersionForbidden, IdempotencyKeyInvalid, NotFound
from interrupts.services import idempotency
from interrupts.surfaces.actors import bearer_actor
from interrupts.surfaces.rest.bodies import read_body, read_object
from interrupts.surfaces.rest.openapi import ProtocolSchema
from interrupts.surfaces.rest.operations import Operation
from interrupts.surfaces.rest.paths import read_bound_id
from interrupts.vocabulary import IDEMPOTENCY_KEY_PATTERN

# Path parameters that are ids of a tenant, by the names callers know them by.
_FIELDS: Final = {"run_id": "runId", "webhook_id": "webhookId"}


class ProtocolView(APIView):
    """One path of the protocol. Errors are raised; ``ProtocolMiddleware`` answers them."""

    operations: ClassVar[Mapping[str, Operation]]
    schema = ProtocolSchema()

    http: HttpRequest
    now: datetime
    actor: Actor
    operation: Operation

    def setup(self, request: HttpRequest, *args: Any, **kwargs: Any) -> None:
        super().setup(request, *args, **kwargs)
        self.http = request

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Method, credential, scope, ids, idempotency key: in this order, so that answers do not depend on state."""
        self.operation = self._find_operation()
        self.now = timezone.now()
        if self.operation.needs_credential:
            self._authorize()
        for name in _FIELDS.keys() & self.kwargs.keys():
            # The handler is called with this very dict: it gets the id decoded and known to be of the caller's tenant.
            self.kwargs[name] = read_bound_id(self.kwargs[name], tenant_id=self.actor.tenant_id, field=_FIELDS[name])
        self._check_key()

    def handle_exception(self, exc: Exception) -> NoReturn:
        raise exc

    @property
    def default_response_headers(self) -> dict[str, str]:
        return {}

    def body(self, raw: bytes) -> JsonObject:
        """Return the body as an object of the operation's schema; an optional one may be left out."""
        if not raw and self.operation.body_is_optional:
            return {}
        return read_object(raw, cast("str", self.operation.body))

    def raw(self) -> bytes:
        return read_body(self.http)

    def idempotency_key(self, raw: bytes) -> idempotency.Key | None:
        """Return the caller's key, with a digest over who asks, endpoint, path ids and the body's bytes (§25 row 49).

        Who asks is a part of the request: two people who send the same key must not both be told that they voted.
        """
        key = self.http.headers.get("Idempotency-Key")
        if key is None:
            return None
        parts = [self.actor.subject_id, self.operation.id, *(str(value) for value in self.kwargs.values()), ""]
        preimage = "\n".join(parts).encode() + raw
        digest = hashlib.sha256(preimage).hexdigest()
        return idempotency.Key(self.actor.tenant_id, self.operation.id, key, digest)

    def _find_operation(self) -> Operation:
        """A method that is not offered is an operation that is not there: the registry has no code for a 405."""
        method = "GET" if self.http.method == "HEAD" else str(self.http.method)
        operation = self.operations.get(method)
        if operation is None:
            raise NotFound(f"This path does not offer {method}; it offers {', '.join(self.operations)}.")
        return operation

    def _authorize(self) -> None:
        self.actor = bearer_actor(self.http.headers.get("Authorization"), now=self.now)
        if self.operation.scope is not None:
            self.actor.require(self.operation.scope)
        if "OpenWOP-Force-Engine-Version" in self.http.headers:
            raise ForceEngineVersionForbidden

    def _check_key(self) -> None:
        key = self.http.headers.get("Idempotency-Key")
        if key is None or not self.operation.is_mutation or not self.operation.needs_credential:
            return
        if not re.fullmatch(IDEMPOTENCY_KEY_PATTERN, key):
            raise IdempotencyKeyInvalid
