"""What the app offers when it starts depends on the configuration."""

from __future__ import annotations

from typing import Any, cast

import pytest
from django.apps import apps

from interrupts.apps import InterruptsConfig
from interrupts.engine import nodes
from interrupts.kinds import registry
from interrupts.kinds.credential import Credential
from interrupts.vocabulary import InterruptKind
from tests.offers import Accounts


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> InterruptsConfig:
    """The app, with registries that are put back afterwards."""
    monkeypatch.setattr(registry, "_KINDS", dict(registry._KINDS))
    monkeypatch.setattr(nodes, "NODE_TYPES", dict(nodes.NODE_TYPES))
    return cast("InterruptsConfig", apps.get_app_config("interrupts"))


@pytest.mark.parametrize(("conformance", "added"), [(True, {"conformance.oauth.use"}), (False, set())])
def test_an_authority_makes_credentials_an_offer(
    app: InterruptsConfig, settings: Any, conformance: bool, added: set[str]
) -> None:
    settings.WOP_CREDENTIAL_AUTHORITY = "tests.offers.Accounts"
    settings.WOP_PUBLIC_URL = "https://wop.example.org"
    settings.WOP_CONFORMANCE = conformance
    before = set(nodes.NODE_TYPES)
    app.offer_credentials()
    kind = registry.get(InterruptKind.CREDENTIAL)
    assert isinstance(kind, Credential)
    assert isinstance(kind.authority, Accounts)
    assert set(nodes.NODE_TYPES) - before == added


def test_without_one_nothing_is_offered(app: InterruptsConfig, settings: Any) -> None:
    settings.WOP_CREDENTIAL_AUTHORITY = ""
    app.offer_credentials()
    assert InterruptKind.CREDENTIAL not in registry.served()


@pytest.mark.parametrize("path", ["nothing", "no.such.Module", "tests.offers.Nobody"])
def test_a_class_that_cannot_be_had_ends_the_start_in_one_line(app: InterruptsConfig, settings: Any, path: str) -> None:
    settings.WOP_CREDENTIAL_AUTHORITY = path
    settings.WOP_PUBLIC_URL = "https://wop.example.org"
    with pytest.raises(SystemExit) as caught:
        app.offer_credentials()
    assert str(caught.value).startswith(f"WOP_CREDENTIAL_AUTHORITY names no class that can be imported: {path} (")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("url", ["", "http://wop.example.org"])
def test_accounts_are_connected_over_https_alone(app: InterruptsConfig, settings: Any, url: str) -> None:
    settings.WOP_CREDENTIAL_AUTHORITY = "tests.offers.Accounts"
    settings.WOP_PUBLIC_URL = url
    with pytest.raises(SystemExit, match="WOP_CREDENTIAL_AUTHORITY needs WOP_PUBLIC_URL with https"):
        app.offer_credentials()


def test_a_conformance_run_adds_its_own_types(app: InterruptsConfig, settings: Any) -> None:
    settings.WOP_CONFORMANCE = False
    app.offer_conformance_types()
    assert "core.conformance.mock-agent" not in nodes.NODE_TYPES
    settings.WOP_CONFORMANCE = True
    app.offer_conformance_types()
    assert "core.conformance.mock-agent" in nodes.NODE_TYPES
    gate = nodes.NODE_TYPES["core.conversationGate"]
    assert gate.check_config({"mockAutoResume": True}) == []
