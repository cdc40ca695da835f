"""Cards of what ``manage.py check`` finds in an installation."""

from __future__ import annotations

from typing import Final

from interrupts.surfaces.cards.card import Card

CARDS: Final = (
    Card(
        code="wop.E001",
        meaning="A way of signing in that the host needs is missing from its settings.",
        example="AUTHENTICATION_BACKENDS without the backend of rights on single rows.",
        advice="Put the backend that the message names into AUTHENTICATION_BACKENDS.",
    ),
    Card(
        code="wop.E002",
        meaning="SQLite would begin a transaction without taking its lock, so two answers could count.",
        example="DATABASE_URL=sqlite:////srv/wop.sqlite3?transaction_mode=DEFERRED",
        advice="Take transaction_mode out of DATABASE_URL.",
    ),
    Card(
        code="wop.E003",
        meaning="Debugging is on where other machines reach the host: error pages would show them source and settings.",
        example="WOP_DEBUG=1 together with WOP_BIND=0.0.0.0.",
        advice="Unset WOP_DEBUG.",
    ),
    Card(
        code="wop.W001",
        meaning="The broker is on another machine, and the database is a file of this one, which the other cannot see.",
        example="CELERY_BROKER_URL=redis://other:6379/0 without a DATABASE_URL.",
        advice="Set DATABASE_URL to a PostgreSQL database that all machines reach.",
    ),
    Card(
        code="wop.W002",
        meaning="Requests are accepted under every host name.",
        example="WOP_ALLOWED_HOSTS=*",
        advice="List in WOP_ALLOWED_HOSTS the names under which people reach the host.",
    ),
    Card(
        code="wop.W003",
        meaning="Other machines reach the host without HTTPS: passwords and keys can be read on their way.",
        example="WOP_BIND=0.0.0.0 without WOP_BEHIND_HTTPS.",
        advice="Put a proxy with HTTPS in front, and set WOP_BEHIND_HTTPS=1.",
    ),
    Card(
        code="wop.W004",
        meaning="The secret key is kept in a file of this machine, so sessions end when a request reaches another one.",
        example="Two web servers, each with its own data directory, and no WOP_SECRET_KEY.",
        advice="Set WOP_SECRET_KEY to the same value on every machine.",
    ),
    Card(
        code="wop.W005",
        meaning="The host serves a conformance run: it takes part in tests, and trusts what they say.",
        example="WOP_CONFORMANCE=1",
        advice="Unset WOP_CONFORMANCE on a host that people use.",
    ),
    Card(
        code="wop.W006",
        meaning="The key of signed links is kept in a file of this machine: a link made on one is unknown to the"
        " others.",
        example="Two web servers, and no WOP_TOKEN_KEYS.",
        advice="Set WOP_TOKEN_KEYS to the same list on every machine.",
    ),
    Card(
        code="wop.W007",
        meaning="An environment variable begins with WOP_, and no setting has that name, so it changes nothing.",
        example="WOP_ALOWED_HOSTS=wop.example.org",
        advice="Correct its spelling; docs/operating.md lists the names. Or unset it.",
    ),
)
