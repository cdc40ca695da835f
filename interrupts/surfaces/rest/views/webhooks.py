"""Subscribing to run events (wire contract §18)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, cast

from django.http import HttpResponse
from rest_framework.request import Request

from interrupts.conf import DEFAULT_PAGE_SIZE, MAX_DEAD_LETTER_PAGE
from interrupts.contracts.types import JsonObject
from interrupts.services import egress, webhooks
from interrupts.services.webhooks import RegisterWebhook, RotateSecret
from interrupts.surfaces.cursors import mint_dead_letter_cursor, read_dead_letter_cursor
from interrupts.surfaces.rest.base import ProtocolView
from interrupts.surfaces.rest.bodies import read_integer
from interrupts.surfaces.rest.operations import Operation, Parameter
from interrupts.surfaces.rest.responses import empty_response, json_response
from interrupts.vocabulary import Scope, SignatureAlgorithm


class WebhooksView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "POST": Operation(
            id="registerWebhook",
            summary="Have the events of the tenant's runs delivered to a URL",
            scope=Scope.WEBHOOKS_MANAGE,
            body="register-webhook-request",
            answers={201: "register-webhook-response"},
            raises=("webhook_url_rejected", "webhook_endpoint_unverified"),
        )
    }

    def post(self, request: Request) -> HttpResponse:
        raw = self.raw()
        body = self.body(raw)
        command = RegisterWebhook(
            actor=self.actor,
            url=cast("str", body["url"]),
            events=tuple(cast("list[str]", body["events"])),
            tags=tuple(cast("list[str]", body.get("tags", []))),
            secret=cast("str | None", body.get("secret")),
            algorithms=tuple(cast("list[str]", body.get("signatureAlgorithms", [SignatureAlgorithm.V1]))),
            idempotency_key=self.idempotency_key(raw),
        )
        done = webhooks.register_webhook(request=command, door=egress.from_settings(), now=self.now)
        secret = webhooks.generated_secret(cast("str", done.result["webhookId"]))
        answer: JsonObject = done.result if secret is None else done.result | {"secret": secret}
        return json_response(answer, status=201, is_replay=done.is_replay)


class WebhookView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "DELETE": Operation(
            id="unregisterWebhook",
            summary="End a subscription",
            scope=Scope.WEBHOOKS_MANAGE,
            answers={204: None},
            is_bodiless_mutation=True,
            raises=("id_tenant_mismatch",),
        )
    }

    def delete(self, request: Request, webhook_id: str) -> HttpResponse:
        done = webhooks.unregister_webhook(
            tenant_id=self.actor.tenant_id, webhook_id=webhook_id, key=self.idempotency_key(b""), now=self.now
        )
        return empty_response(is_replay=done.is_replay)


class DeadLettersView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "GET": Operation(
            id="listWebhookDeadLetters",
            summary="Deliveries that were given up, newest first",
            scope=Scope.WEBHOOKS_MANAGE,
            answers={200: "webhook-dead-letter-page"},
            parameters=(
                Parameter(
                    name="limit",
                    schema={"type": "integer", "minimum": 1},
                    description=f"How many at most; {MAX_DEAD_LETTER_PAGE} is the most.",
                ),
                Parameter(name="cursor", schema={"type": "string"}, description="The nextCursor of the page before."),
            ),
            raises=("id_tenant_mismatch",),
        )
    }

    def get(self, request: Request, webhook_id: str) -> HttpResponse:
        asked = read_integer(self.http, "limit", default=DEFAULT_PAGE_SIZE, minimum=1, maximum=2**31)
        size = min(asked, MAX_DEAD_LETTER_PAGE)
        cursor = self.http.GET.get("cursor")
        dead = webhooks.dead_letters(
            tenant_id=self.actor.tenant_id,
            webhook_id=webhook_id,
            after=None if cursor is None else read_dead_letter_cursor(cursor, webhook_id=webhook_id),
            limit=size + 1,
        )
        page: JsonObject = {"deliveries": [webhooks.dead_letter(delivery) for delivery in dead[:size]]}
        if len(dead) > size:
            page["nextCursor"] = mint_dead_letter_cursor(dead[size - 1])
        return json_response(page)


class RotateSecretView(ProtocolView):
    operations: ClassVar[Mapping[str, Operation]] = {
        "POST": Operation(
            id="rotateWebhookSecret",
            summary="Sign a subscription's deliveries with another secret",
            scope=Scope.WEBHOOKS_MANAGE,
            body="rotate-webhook-secret-request",
            answers={200: "rotate-webhook-secret-response"},
            raises=("id_tenant_mismatch",),
        )
    }

    def post(self, request: Request, webhook_id: str) -> HttpResponse:
        raw = self.raw()
        command = RotateSecret(
            actor=self.actor,
            webhook_id=webhook_id,
            secret=cast("str", self.body(raw)["secret"]),
            idempotency_key=self.idempotency_key(raw),
        )
        done = webhooks.rotate_secret(request=command, now=self.now)
        return json_response(done.result, is_replay=done.is_replay)
