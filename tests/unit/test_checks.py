"""The checks of the configuration: silent on a good one, and in words on each bad one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.core.checks import WARNING, run_checks

from interrupts import checks


def ids(found: list[Any]) -> list[str]:
    return [message.id for message in found]


@pytest.fixture
def exposed(settings: Any) -> Any:
    """Settings of a host that other machines reach, done properly."""
    settings.WOP_BIND = "0.0.0.0"
    settings.DEBUG = False
    settings.WOP_BEHIND_HTTPS = True
    settings.SECRET_KEY = "from-the-environment"
    settings.WOP_TOKEN_KEYS = {"k1": "from-the-environment"}
    return settings


def test_every_check_runs_with_those_of_django(settings: Any) -> None:
    settings.WOP_CONFORMANCE = True
    settings.AUTHENTICATION_BACKENDS = []
    assert {"wop.E001", "wop.W005"} <= {message.id for message in run_checks()}


def test_what_the_tests_run_on_is_found_good() -> None:
    for check in (
        checks.check_rights,
        checks.check_database,
        checks.check_exposure,
        checks.check_conformance,
        checks.check_variables,
        checks.check_mail,
    ):
        assert check() == []


def test_variables_that_no_setting_has_are_told_in_one_line(settings: Any) -> None:
    settings.WOP_UNKNOWN_VARIABLES = ["WOP_PORT", "WOP_TOKEN_KEY"]
    (caution,) = checks.check_variables()
    assert (caution.id, caution.level) == ("wop.W007", WARNING)
    assert caution.msg == "No setting has this name, so it changes nothing: WOP_PORT, WOP_TOKEN_KEY. Is it misspelt?"


@pytest.mark.parametrize("kept", checks.BACKENDS)
def test_a_missing_backend_is_an_error(settings: Any, kept: str) -> None:
    settings.AUTHENTICATION_BACKENDS = [kept]
    (error,) = checks.check_rights()
    assert error.id == "wop.E001"
    assert kept not in error.msg


def sqlite(**options: str) -> dict[str, Any]:
    return {"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": "x", "OPTIONS": options}}


@pytest.mark.parametrize("options", [{}, {"transaction_mode": "DEFERRED"}])
def test_sqlite_without_immediate_transactions_is_an_error(
    monkeypatch: pytest.MonkeyPatch, options: dict[str, str]
) -> None:
    monkeypatch.setattr("django.conf.settings.DATABASES", sqlite(**options))
    assert ids(checks.check_database()) == ["wop.E002"]


@pytest.mark.parametrize(
    ("broker", "found"),
    [
        ("filesystem://localhost", []),
        ("redis://127.0.0.1:6379/0", []),
        ("redis://[::1]:6379/0", []),
        ("redis://queue.example.org/0", ["wop.W001"]),
        ("amqp://user:secret@10.0.0.5//", ["wop.W001"]),
    ],
)
def test_sqlite_behind_a_broker_on_another_machine_is_warned_of(
    monkeypatch: pytest.MonkeyPatch, settings: Any, broker: str, found: list[str]
) -> None:
    monkeypatch.setattr("django.conf.settings.DATABASES", sqlite(transaction_mode="IMMEDIATE"))
    settings.CELERY_BROKER_URL = broker
    messages = checks.check_database()
    assert ids(messages) == found
    assert not any("secret" in message.msg for message in messages)


def test_postgresql_may_have_its_broker_anywhere(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    monkeypatch.setattr(
        "django.conf.settings.DATABASES", {"default": {"ENGINE": "django.db.backends.postgresql", "NAME": "x"}}
    )
    settings.CELERY_BROKER_URL = "redis://queue.example.org/0"
    assert checks.check_database() == []


def test_a_host_that_others_reach_properly_is_found_good(exposed: Any) -> None:
    assert checks.check_exposure() == []


def test_debugging_where_others_reach_the_host_is_an_error(exposed: Any) -> None:
    exposed.DEBUG = True
    assert ids(checks.check_exposure()) == ["wop.E003"]
    for bind in ("127.0.0.1", "127.8.8.8", "::1", "localhost"):
        exposed.WOP_BIND = bind
        assert checks.check_exposure() == []


def test_reaching_the_host_without_https_is_warned_of(exposed: Any) -> None:
    exposed.WOP_BEHIND_HTTPS = False
    assert ids(checks.check_exposure()) == ["wop.W003"]


def test_a_secret_key_from_a_file_is_warned_of_where_others_reach_the_host(exposed: Any, data_dir: Path) -> None:
    (data_dir / "secret.key").write_text("from-the-file\n")
    assert checks.check_exposure() == []
    exposed.SECRET_KEY = "from-the-file"
    assert ids(checks.check_exposure()) == ["wop.W004"]


def test_a_key_of_links_from_a_file_is_warned_of_too(exposed: Any, data_dir: Path) -> None:
    (data_dir / "token.key").write_text("from-the-file\n")
    assert checks.check_exposure() == []
    exposed.WOP_TOKEN_KEYS = {"local": "from-the-file"}
    assert ids(checks.check_exposure()) == ["wop.W006"]


def test_accepting_every_host_name_is_warned_of(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    assert ids(checks.check_exposure()) == ["wop.W002"]


def test_a_conformance_run_is_warned_of(settings: Any) -> None:
    settings.WOP_CONFORMANCE = True
    assert ids(checks.check_conformance()) == ["wop.W005"]


def test_mail_that_is_only_shown_needs_nothing(settings: Any) -> None:
    for shown in ("console", "dummy", "filebased", "locmem"):
        settings.EMAIL_BACKEND = f"django.core.mail.backends.{shown}.EmailBackend"
        assert checks.check_mail() == []


@pytest.mark.parametrize("backend", ["django.core.mail.backends.smtp.EmailBackend", "corp.mail.EmailBackend"])
def test_mail_that_is_sent_says_where_it_comes_from_and_leads_somewhere(settings: Any, backend: str) -> None:
    settings.EMAIL_BACKEND = backend
    nowhere, nobody = checks.check_mail()
    assert (nowhere.id, nobody.id) == ("wop.W008", "wop.W008")
    assert ("WOP_PUBLIC_URL" in str(nowhere.hint), "WOP_MAIL_FROM" in str(nobody.hint)) == (True, True)
    settings.WOP_PUBLIC_URL = "https://wop.example.org"
    settings.WOP_MAIL_FROM = "wop@example.org"
    assert checks.check_mail() == []
