"""Bearer keys and their scopes (wire contract §4)."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from interrupts.models import ApiKey, Membership
from interrupts.services import identity
from interrupts.vocabulary import Scope
from tests import factories
from tests.surfaces.rest.api import Api, wire

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    "header",
    ["", "Bearer", "Bearer ", "Basic b2xnYTp4", "Bearer nonsense", "Bearer wop_0123456789ab_x", "Token x", "bearer é"],
)
def test_a_request_without_a_key_of_ours_is_not_authenticated(anonymous: Api, header: str) -> None:
    answer = anonymous.get("/runs", Authorization=header)
    answer.refused(401, "unauthenticated")
    assert answer.headers["WWW-Authenticate"] == "Bearer"


def test_a_request_without_the_header_is_not_authenticated(anonymous: Api) -> None:
    anonymous.get("/runs").refused(401, "unauthenticated")


def test_the_word_bearer_may_be_written_in_any_case(api: Api) -> None:
    assert Api().get("/runs", Authorization=f"bEARER  {api.secret} ").status == 200


def test_a_key_with_the_right_prefix_and_another_secret_is_refused(api: Api) -> None:
    assert api.secret is not None
    Api(api.secret[:-1] + ("a" if api.secret[-1] != "a" else "b")).get("/runs").refused(401, "unauthenticated")


def test_a_revoked_key_is_refused_on_the_next_request(api: Api) -> None:
    assert api.get("/runs").status == 200
    identity.revoke_key(prefix=ApiKey.objects.get().prefix, now=timezone.now())
    api.get("/runs").refused(401, "credential_revoked")


def test_an_expired_key_is_refused(api: Api) -> None:
    ApiKey.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    api.get("/runs").refused(401, "credential_lifetime_exceeded")


def test_a_key_of_somebody_who_left_the_tenant_is_refused(api: Api) -> None:
    Membership.objects.update(is_active=False)
    api.get("/runs").refused(401, "credential_revoked")


def test_a_key_of_an_inactive_person_is_refused(api: Api) -> None:
    User.objects.update(is_active=False)
    api.get("/runs").refused(401, "credential_revoked")


@pytest.mark.parametrize(
    ("method", "path", "scope"),
    [
        ("GET", "/workflows/flow", Scope.MANIFEST_READ),
        ("POST", "/host/wopsite/workflows", Scope.WORKFLOWS_WRITE),
        ("POST", "/host/wopsite/workflows:check", Scope.WORKFLOWS_WRITE),
        ("POST", "/runs", Scope.RUNS_CREATE),
        ("GET", "/runs", Scope.RUNS_READ),
        ("GET", "/runs/acme~2Fr-0123456789abcdef", Scope.RUNS_READ),
        ("GET", "/runs/acme~2Fr-0123456789abcdef/events/poll", Scope.RUNS_READ),
        ("POST", "/runs/acme~2Fr-0123456789abcdef/cancel", Scope.RUNS_CANCEL),
        ("POST", "/runs:bulk-cancel", Scope.RUNS_CANCEL),
        ("POST", "/runs/acme~2Fr-0123456789abcdef/interrupts/gate", Scope.APPROVALS_RESPOND),
    ],
)
def test_each_operation_needs_its_scope_and_no_other_implies_it(method: str, path: str, scope: Scope) -> None:
    lacking = Api(factories.api_key("rita", scopes=[other for other in Scope if other is not scope]))
    assert lacking.send(method, path, b"{").refused(403, "forbidden") == {"scopeRequired": str(scope)}
    having = Api(factories.api_key("saul", scopes=[scope]))
    assert having.send(method, path, b"{").status != 403


def test_a_missing_scope_is_told_before_anything_about_the_id(anonymous: Api) -> None:
    lacking = Api(factories.api_key("rita", scopes=[Scope.RUNS_CREATE]))
    for path in ("/runs/bare", "/runs/globex~2Fr-0123456789abcdef", "/runs/acme~2"):
        lacking.get(path).refused(403, "forbidden")
        anonymous.get(path).refused(401, "unauthenticated")


def test_a_key_of_another_tenant_reaches_nothing_by_run(api: Api, stranger: Api, gate_run: str) -> None:
    own = wire(gate_run)
    answers = [
        stranger.get(f"/runs/{own}"),
        stranger.get(f"/runs/{own}/events/poll"),
        stranger.post(f"/runs/{own}/cancel", {}),
        stranger.post(f"/runs/{own}/interrupts/gate", {"resumeValue": {"action": "accept"}}),
    ]
    for answer in answers:
        answer.refused(403, "id_tenant_mismatch")
    made_up = stranger.get("/runs/acme~2Fr-00000000000000000000000000000000")
    assert made_up.raw == answers[0].raw
    assert api.get(f"/runs/{own}").body["status"] == "waiting-approval"
    assert stranger.get("/runs").body == {"runs": []}
