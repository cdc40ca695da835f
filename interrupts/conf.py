"""The host's settings, read once and typed. Values come from the environment through ``wopsite.settings``."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final

from celery import current_app
from django.conf import settings

IDEMPOTENCY_RETENTION: Final = timedelta(hours=48)
OUTBOX_MAX_ATTEMPTS: Final = 10
DELIVERY_MAX_ATTEMPTS: Final = 12
DELIVERY_RETENTION: Final = timedelta(days=30)
MAX_DEAD_LETTER_PAGE: Final = 100
WEBHOOK_SECRET_OVERLAP: Final = timedelta(days=1)
MAX_BULK_RUN_IDS: Final = 100
DEFAULT_PAGE_SIZE: Final = 50
# How deep sub-workflows may nest, and how many runs may come of one: a workflow that calls itself must end somewhere.
MAX_SUBWORKFLOW_DEPTH: Final = 8
MAX_RUNS_OF_A_TREE: Final = 1000


@dataclass(frozen=True, slots=True)
class Limits:
    """What one run or request may use. All counts, except ``max_body_bytes``."""

    max_node_executions: int
    inline_node_executions: int
    max_body_bytes: int
    max_page_size: int


def limits() -> Limits:
    return Limits(
        max_node_executions=settings.WOP_MAX_NODE_EXECUTIONS,
        inline_node_executions=settings.WOP_INLINE_NODE_EXECUTIONS,
        max_body_bytes=settings.WOP_MAX_BODY_BYTES,
        max_page_size=settings.WOP_MAX_PAGE_SIZE,
    )


def credential_authority() -> str:
    """Return where the class is that knows connected accounts, as a dotted path; empty when there is none."""
    return str(settings.WOP_CREDENTIAL_AUTHORITY)


@dataclass(frozen=True, slots=True)
class Egress:
    """What may be called beyond the public internet: names and networks with their ports, and whose certificates."""

    allow: tuple[tuple[str, int], ...]
    ca_file: str


def egress() -> Egress:
    return Egress(allow=tuple(settings.WOP_EGRESS_ALLOW), ca_file=settings.WOP_EGRESS_CA_FILE)


def delivery_threads() -> int:
    """Return how many deliveries one worker process may have under way."""
    return int(settings.WOP_DELIVERY_THREADS)


def queues() -> tuple[str, ...]:
    """Return the names of the queues that workers take work from, all of them together."""
    return tuple(current_app.amqp.queues)


# Backends of Django's that bring a mail to nobody.
_BACKENDS_FOR_LOOKING: Final = frozenset({"console", "dummy", "filebased", "locmem"})
_NO_SENDER: Final = "wopsite@localhost"


@dataclass(frozen=True, slots=True)
class Mail:
    """How people are written to. ``is_sent`` is false while mails are only shown to whoever runs the host."""

    sender: str
    is_sender_chosen: bool
    is_sent: bool
    link_lifetime: timedelta


def mail() -> Mail:
    package, _, module = str(settings.EMAIL_BACKEND).removesuffix(".EmailBackend").rpartition(".")
    return Mail(
        sender=settings.WOP_MAIL_FROM,
        is_sender_chosen=settings.WOP_MAIL_FROM != _NO_SENDER,
        is_sent=package != "django.core.mail.backends" or module not in _BACKENDS_FOR_LOOKING,
        link_lifetime=timedelta(minutes=settings.WOP_MAIL_LINK_MINUTES),
    )


@dataclass(frozen=True, slots=True)
class TokenKeys:
    """The key ring of signed links: ``active`` signs, all verify. Kids hold no dot."""

    active: tuple[str, str]
    secrets: dict[str, str]


def token_keys() -> TokenKeys:
    ring: dict[str, str] = settings.WOP_TOKEN_KEYS
    return TokenKeys(active=next(iter(ring.items())), secrets=ring)


def public_url() -> str:
    """Return the origin under which people reach the site, without a slash; empty where nobody has said."""
    return str(settings.WOP_PUBLIC_URL)


def served_at() -> str:
    """Return the origin of the server that is known to run on this machine; empty where none is."""
    return str(settings.WOP_SERVED_AT)


def local_url() -> str:
    """Return the origin of the server on this machine: of the one that runs, else of one that would."""
    return served_at() or f"http://127.0.0.1:{settings.WOP_PORT}"


@dataclass(frozen=True, slots=True)
class RemoteHost:
    """The host with which the command line works instead of this one, and the key for it; both empty by default."""

    url: str
    key: str = field(repr=False)


def remote_host() -> RemoteHost:
    return RemoteHost(url=settings.WOP_URL, key=settings.WOP_KEY)


def conformance() -> bool:
    """Return whether this is a conformance run: ``voter`` counts, fixtures are listed. Never in production."""
    return bool(settings.WOP_CONFORMANCE)
