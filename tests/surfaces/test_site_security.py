"""What every page of the site carries, whoever wrote its view."""

from __future__ import annotations

import pytest
from django.test import Client

STRICT_POLICY = {
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
}


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/accounts/login/", "/admin/login/", "/healthz"])
def test_every_page_has_the_strict_policy_and_cannot_be_framed(client: Client, path: str) -> None:
    response = client.get(path)
    assert response.status_code == 200
    assert set(response["Content-Security-Policy"].split("; ")) == STRICT_POLICY
    assert response["X-Frame-Options"] == "DENY"
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"


@pytest.mark.django_db
def test_a_form_without_its_token_is_refused() -> None:
    response = Client(enforce_csrf_checks=True).post("/accounts/login/", {"username": "ann", "password": "x"})
    assert response.status_code == 403


def test_a_foreign_host_name_is_refused(client: Client) -> None:
    assert client.get("/inbox/", headers={"host": "evil.example"}).status_code == 400
