"""Typed readers of the environment.

Settings come from environment variables and from nowhere else. A bad value stops the start with one line that names
the variable, says what is wrong with the value and shows a good one: an operator should never read a traceback to
find a typing error.
"""

from __future__ import annotations

import os
import re
import secrets
import ssl
from collections.abc import Collection, Sequence
from email.utils import parseaddr
from ipaddress import ip_network
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote, urlsplit

import dj_database_url

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})
_SECRET_KEY_BYTES = 50
_DESTINATION = re.compile(
    r"\[(?P<v6>[0-9a-f:./]+)\](:(?P<port>[0-9]{1,5}))?"
    r"|(?P<bare_v6>[0-9a-f]*:[0-9a-f]*:[0-9a-f:./]*)"
    r"|(?P<host>[^:\[\]]+)(:(?P<host_port>[0-9]{1,5}))?"
)
_HOST_NAME = re.compile(r"[a-z0-9_]([a-z0-9_.-]*[a-z0-9_])?\.?")
_MAIL_ADDRESS = re.compile(r"[^@\s]+@[^@\s]+")
_KID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_MIN_TOKEN_SECRET = 32
_MIN_DIFFERENT = 8
_BROKERS = ("filesystem", "redis", "rediss", "amqp", "amqps")


# Every name that was asked for: whatever else begins with the mark is nobody's, and probably a typing error.
_asked_for: set[str] = set()


class BadSetting(SystemExit):
    """An environment variable holds a value that the product cannot work with.

    It is a `SystemExit`, so every entry point (manage.py, gunicorn, celery) ends with the line alone on standard
    error and exit status 1.
    """


def refuse(name: str, problem: str, example: str) -> NoReturn:
    """Stop the start: `name` is the variable, `problem` what is wrong with it, `example` a value that would do."""
    raise BadSetting(f"{name} {problem}. Example: {name}={example}")


def text(name: str, default: str) -> str:
    """The variable without the white space around it; `default` when unset or empty."""
    _asked_for.add(name)
    return os.environ.get(name, "").strip() or default


def unknown(mark: str) -> list[str]:
    """The variables whose names begin with `mark` and that nothing has read; to be asked once everything has."""
    return sorted(name for name in os.environ if name.startswith(mark) and name not in _asked_for)


def integer(name: str, default: int, *, minimum: int, maximum: int) -> int:
    """A whole number from `minimum` to `maximum`, both allowed."""
    value = text(name, str(default))
    if not (value.isascii() and value.isdigit()):
        refuse(name, f"must be a whole number, not {value!r}", str(default))
    number = int(value[:20])
    if not minimum <= number <= maximum:
        refuse(name, f"must lie between {minimum} and {maximum}, not {value}", str(default))
    return number


def flag(name: str, *, default: bool) -> bool:
    """A switch: 1, true, yes, on or 0, false, no, off, in any case."""
    value = text(name, "1" if default else "0").lower()
    if value not in _TRUE | _FALSE:
        refuse(name, f"is a switch and must be 1 or 0, not {value!r}", "1")
    return value in _TRUE


def choice(name: str, default: str, *, allowed: Collection[str]) -> str:
    """One of the `allowed` words, compared in upper case."""
    value = text(name, default).upper()
    if value not in allowed:
        refuse(name, f"must be one of {', '.join(allowed)}, not {value!r}", default)
    return value


def words(name: str, default: Sequence[str]) -> list[str]:
    """A list separated by commas."""
    return [word for part in text(name, ",".join(default)).split(",") if (word := part.strip())]


def origins(name: str) -> list[str]:
    """A list of web origins (scheme and host, no path), as Django's CSRF protection wants them."""
    values = words(name, [])
    for value in values:
        parts = urlsplit(value)
        if parts.scheme not in {"http", "https"} or not parts.netloc or parts.path.strip("/"):
            refuse(name, f"must list origins such as https://host, not {value!r}", "https://wop.example.org")
    return values


def destinations(name: str) -> list[tuple[str, int]]:
    """A list of networks or host names, each with a port (443 when none is given): `10.1.0.0/16, hooks.corp:8443`."""
    return [_destination(name, word) for word in words(name, [])]


def _destination(name: str, word: str) -> tuple[str, int]:
    example = "10.1.0.0/16,[fd00:1::/48]:8443,hooks.corp.internal:8443"
    parts = _DESTINATION.fullmatch(word.lower())
    port = int(parts["port"] or parts["host_port"] or 443) if parts else 0
    if parts is None or not 1 <= port <= 65535:
        refuse(name, f"must list networks or host names, each with or without a port, not {word!r}", example)
    where = parts["v6"] or parts["bare_v6"] or parts["host"]
    try:
        return str(ip_network(where)), port
    except ValueError:
        pass
    if not _HOST_NAME.fullmatch(where) or where.rpartition(".")[2].isdigit():
        refuse(
            name, f"names a network or host that there cannot be: {word!r} (a network has no bits set after /)", example
        )
    return where.removesuffix("."), port


def certificates(name: str) -> str:
    """The path of a file with certificates of authorities (PEM), or nothing."""
    path = text(name, "")
    if path:
        try:
            ssl.create_default_context(cafile=path)
        except OSError as error:
            refuse(
                name, f"must be a file of certificates (PEM): {path} cannot be used ({error})", "/etc/ssl/corp-ca.pem"
            )
    return path


def origin(name: str) -> str:
    """One web origin without a slash at its end; empty when unset."""
    values = origins(name)
    if len(values) > 1:
        refuse(name, "must name one origin", "https://wop.example.org")
    return values[0].rstrip("/") if values else ""


def mail_sender(name: str, default: str) -> str:
    """One mail address, with or without a name before it."""
    value = text(name, default)
    address = parseaddr(value)[1]
    if not value.isprintable() or not _MAIL_ADDRESS.fullmatch(address):
        refuse(name, f"must be a mail address, not {value!r}", "wopsite <wopsite@example.org>")
    return value


def directory(name: str, default: Path) -> Path:
    """A directory that we may write to; made when it is absent."""
    path = Path(text(name, str(default))).expanduser().absolute()
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        refuse(name, f"must be a directory: {path} cannot be made ({error.strerror})", "/var/lib/wopsite")
    if not os.access(path, os.W_OK | os.X_OK):
        refuse(name, f"must be a directory that this user may write to: {path} is not", "/var/lib/wopsite")
    return path


def secret_key(name: str, stored_in: Path) -> str:
    """The variable, else the key kept in the file `stored_in`, which is made (mode 600) the first time.

    Several machines that serve one database need the same key, so there the variable must be set.
    """
    value = text(name, "")
    if value:
        return value
    try:
        if not stored_in.exists():
            _store_new_secret_key(stored_in)
        value = stored_in.read_text(encoding="ascii").strip()
    except (OSError, UnicodeError) as error:
        refuse(name, f"is not set and the key cannot be kept in {stored_in} ({error})", "a-long-random-text")
    return value or refuse(name, f"is not set and {stored_in} is empty: remove that file", "a-long-random-text")


def key_ring(name: str, stored_in: Path) -> dict[str, str]:
    """Keys by id, `kid:secret` separated by commas, the active one first; unset, one key is kept as `secret_key` does.

    To rotate, put a new key in front and drop the old one once the tokens it signed have expired (30 minutes). The kid
    `legacy` verifies tokens of protocol version 1 and signs nothing.
    """
    pairs = [word.partition(":") for word in words(name, [])]
    if not pairs:
        return {"local": secret_key(name, stored_in)}
    example = "k2:a-random-text-of-32-characters-or-more,k1:the-secret-before-it"
    ring = {kid: secret for kid, _, secret in pairs}
    if len(ring) != len(pairs) or not all(colon and _KID.fullmatch(kid) for kid, colon, _ in pairs):
        refuse(name, "must list kid:secret pairs, each kid once, of A-Z, a-z, 0-9, _ and -", example)
    # Which is told by its place: somebody may have written the secret where the kid belongs.
    for place, secret in enumerate(ring.values(), start=1):
        if len(secret) < _MIN_TOKEN_SECRET or len(set(secret)) < _MIN_DIFFERENT:
            problem = (
                f"holds a secret that can be guessed (number {place}): each needs {_MIN_TOKEN_SECRET} random characters"
            )
            refuse(name, problem, example)
    if next(iter(ring)) == "legacy":
        refuse(name, "must begin with a key that signs; legacy only verifies", "k1:a-random-text,legacy:the-old-one")
    return ring


def _store_new_secret_key(stored_in: Path) -> None:
    """Written under another name and then linked, so that of processes that start at once all read the first one's."""
    draft = stored_in.with_name(f".{stored_in.name}.{os.getpid()}")
    with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="ascii") as file:
        file.write(secrets.token_urlsafe(_SECRET_KEY_BYTES))
    try:
        os.link(draft, stored_in)
    except FileExistsError:
        pass
    finally:
        draft.unlink()


def database(name: str, default: Path, *, pool_size: int) -> dj_database_url.DBConfig:
    """The Django database settings of a URL: SQLite (a file) or PostgreSQL.

    `default` is the SQLite file used when the variable is unset; `pool_size` bounds the PostgreSQL connections of one
    process.
    """
    url = text(name, f"sqlite:///{quote(str(default))}")
    example = "postgres://user:password@localhost:5432/wopsite"
    scheme = url.partition(":")[0]
    if scheme not in {"sqlite", "postgres", "postgresql"}:
        refuse(name, f"must start with sqlite:// or postgres://, not {scheme[:40]!r}", example)
    try:
        # Health checks: after a restart of PostgreSQL no request gets a dead connection out of the pool.
        config = dj_database_url.parse(url, conn_health_checks=True)
    except ValueError:
        refuse(name, "is not a valid URL (special characters in a password must be percent-encoded)", example)
    if config["NAME"] in {"", ":memory:"}:
        refuse(name, "must name a database that several processes can open", example)
    options = config.get("OPTIONS", {})
    config["OPTIONS"] = {**(_SQLITE_OPTIONS if scheme == "sqlite" else _postgresql_options(pool_size)), **options}
    return config


# IMMEDIATE takes SQLite's write lock at BEGIN: two transactions never read first and then both try to write, which
# SQLite can only answer with "database is locked". The others wait up to 20 seconds for their turn.
_SQLITE_OPTIONS: dict[str, Any] = {
    "transaction_mode": "IMMEDIATE",
    "timeout": 20,
    "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL; PRAGMA foreign_keys=ON",
}


def _postgresql_options(pool_size: int) -> dict[str, Any]:
    return {"pool": {"min_size": 1, "max_size": pool_size, "timeout": 20, "max_idle": 60}, "connect_timeout": 10}


def broker(name: str, folder: Path) -> tuple[str, dict[str, Any]]:
    """Celery's broker URL and its transport options. Unset: messages travel as files in `folder`, without a server."""
    url = text(name, "filesystem://localhost")
    example = "redis://localhost:6379/0"
    scheme = url.partition(":")[0]
    if "://" not in url or scheme not in _BROKERS:
        refuse(name, f"must start with one of {', '.join(f'{known}://' for known in _BROKERS)}", example)
    if scheme != "filesystem":
        return url, {}
    messages, control = folder / "messages", folder / "control"
    for path in (messages, control):
        path.mkdir(parents=True, exist_ok=True)
    options = {"data_folder_in": str(messages), "data_folder_out": str(messages), "control_folder": str(control)}
    return url, {**options, "polling_interval": 0.25}
