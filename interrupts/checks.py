"""Checks of the configuration that Django does not make itself, run at every start.

Each says what is wrong, why it matters and what to set instead. An error keeps the host from starting.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register
from django.core.checks import Warning as Caution

from interrupts import conf

BACKENDS: Final = ("django.contrib.auth.backends.ModelBackend", "guardian.backends.ObjectPermissionBackend")


def register_checks() -> None:
    for check in (check_rights, check_database, check_exposure, check_conformance, check_variables, check_mail):
        register(check, Tags.security)


def check_rights(app_configs: Sequence[Any] | None = None, **_kwargs: Any) -> list[CheckMessage]:
    """Sign-in and object permissions both work."""
    missing = [backend for backend in BACKENDS if backend not in settings.AUTHENTICATION_BACKENDS]
    if not missing:
        return []
    hint = (
        "Add them to AUTHENTICATION_BACKENDS: without them nobody can sign in, or rights on records count for nothing."
    )
    return [Error(f"Missing: {', '.join(missing)}.", hint=hint, id="wop.E001")]


def check_database(app_configs: Sequence[Any] | None = None, **_kwargs: Any) -> list[CheckMessage]:
    """SQLite is used the one way in which answers cannot get lost, and by one machine."""
    database = settings.DATABASES["default"]
    if not database["ENGINE"].endswith("sqlite3"):
        return []
    found: list[CheckMessage] = []
    if str(database.get("OPTIONS", {}).get("transaction_mode", "")).upper() != "IMMEDIATE":
        hint = "Take transaction_mode out of DATABASE_URL. Two answers at once would otherwise fail instead of waiting."
        found.append(Error("SQLite must begin transactions as IMMEDIATE.", hint=hint, id="wop.E002"))
    broker = urlsplit(settings.CELERY_BROKER_URL).hostname or "localhost"
    if not _is_loopback(broker):
        hint = "A worker on another machine has another SQLite file. Set DATABASE_URL to a PostgreSQL database."
        found.append(
            Caution(f"The broker is on {broker}, but the database is a SQLite file.", hint=hint, id="wop.W001")
        )
    return found


def check_exposure(app_configs: Sequence[Any] | None = None, **_kwargs: Any) -> list[CheckMessage]:
    """What only a developer's own machine may do is off once other machines can reach the host."""
    found: list[CheckMessage] = []
    if "*" in settings.ALLOWED_HOSTS:
        hint = "Set WOP_ALLOWED_HOSTS to the names under which people reach the host. Links could name any other."
        found.append(Caution("Every host name is accepted.", hint=hint, id="wop.W002"))
    if _is_loopback(settings.WOP_BIND):
        return found
    if settings.DEBUG:
        hint = "Set WOP_DEBUG=0, or WOP_BIND=127.0.0.1. Error pages show settings and variables to everybody."
        found.append(Error(f"Debugging is on, and the host listens on {settings.WOP_BIND}.", hint=hint, id="wop.E003"))
    if not settings.WOP_BEHIND_HTTPS:
        hint = "Put a proxy with HTTPS in front and set WOP_BEHIND_HTTPS=1. Passwords and keys travel readable."
        found.append(Caution("Other machines reach the host without HTTPS.", hint=hint, id="wop.W003"))
    if _is_in_file("secret.key", settings.SECRET_KEY):
        hint = "Set WOP_SECRET_KEY, the same on every machine. One machine alone may keep the file; back it up."
        found.append(Caution("The secret key comes from a file of this machine.", hint=hint, id="wop.W004"))
    if _is_in_file("token.key", conf.token_keys().active[1]):
        hint = "Set WOP_TOKEN_KEYS, the same on every machine: a link minted on one is unknown to the others."
        found.append(Caution("The key of signed links comes from a file of this machine.", hint=hint, id="wop.W006"))
    return found


def check_conformance(app_configs: Sequence[Any] | None = None, **_kwargs: Any) -> list[CheckMessage]:
    """The switch of a conformance run is off."""
    if not conf.conformance():
        return []
    hint = "Unset WOP_CONFORMANCE in production: with it an answer may name somebody else as its voter."
    return [Caution("This host serves a conformance run.", hint=hint, id="wop.W005")]


def check_variables(app_configs: Sequence[Any] | None = None, **_kwargs: Any) -> list[CheckMessage]:
    """Every variable that looks like one of ours is one."""
    unknown = ", ".join(settings.WOP_UNKNOWN_VARIABLES)
    if not unknown:
        return []
    return [Caution(f"No setting has this name, so it changes nothing: {unknown}. Is it misspelt?", id="wop.W007")]


def check_mail(app_configs: Sequence[Any] | None = None, **_kwargs: Any) -> list[CheckMessage]:
    """Mail that goes out says where it comes from, and its links lead somewhere."""
    mail = conf.mail()
    if not mail.is_sent:
        return []
    found: list[CheckMessage] = []
    if not conf.public_url():
        hint = "Set WOP_PUBLIC_URL to the address under which people reach the site, such as https://wop.example.org."
        found.append(Caution(f"Mail is sent with links to {conf.local_url()}.", hint=hint, id="wop.W008"))
    if not mail.is_sender_chosen:
        hint = "Set WOP_MAIL_FROM to an address that your mail server may send from."
        found.append(Caution(f"Mail is sent from {mail.sender}.", hint=hint, id="wop.W008"))
    return found


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _is_in_file(name: str, key: str) -> bool:
    try:
        kept = (Path(settings.WOP_DATA_DIR) / name).read_text(encoding="ascii").strip()
    except (OSError, UnicodeError):
        return False
    return kept == key
