"""The environment readers: what they accept, and the one line with which they refuse."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest
import trustme

from tests.architecture.sources import ROOT
from wopsite import env

NAME = "WOP_EXAMPLE"


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """The environment without the variable under test."""
    monkeypatch.delenv(NAME, raising=False)
    return monkeypatch


def refusal(problem: pytest.ExceptionInfo[env.BadSetting]) -> str:
    return str(problem.value.code)


def test_a_variable_is_unknown_until_something_reads_it(given: pytest.MonkeyPatch) -> None:
    given.setattr(env, "_asked_for", set())
    for name in ("WOP_EXAMPLES", NAME, "WOB_EXAMPLE"):
        given.setenv(name, "1")
    assert {NAME, "WOP_EXAMPLES"} <= set(env.unknown("WOP_"))
    env.flag(NAME, default=False)
    left = env.unknown("WOP_")
    assert NAME not in left
    assert "WOP_EXAMPLES" in left
    assert "WOB_EXAMPLE" not in left


def test_the_start_tells_of_a_variable_that_no_setting_has() -> None:
    environment = {**os.environ, "WOP_MAX_BODY_BYTE": "1"}
    words = [sys.executable, "manage.py", "check"]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert "it changes nothing: WOP_MAX_BODY_BYTE. Is it misspelt?" in done.stderr


@pytest.mark.parametrize(("value", "expected"), [(None, 7), ("", 7), (" 3 ", 3), ("1", 1), ("9", 9)])
def test_a_whole_number_is_read(given: pytest.MonkeyPatch, value: str | None, expected: int) -> None:
    if value is not None:
        given.setenv(NAME, value)
    assert env.integer(NAME, 7, minimum=1, maximum=9) == expected


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        ("ten", "must be a whole number, not 'ten'"),
        ("1.5", "must be a whole number, not '1.5'"),
        ("-1", "must be a whole number, not '-1'"),
        ("²", "must be a whole number, not '²'"),
        ("0", "must lie between 1 and 9, not 0"),
        ("10", "must lie between 1 and 9, not 10"),
    ],
)
def test_what_is_no_such_number_is_refused_in_one_line(given: pytest.MonkeyPatch, value: str, problem: str) -> None:
    given.setenv(NAME, value)
    with pytest.raises(env.BadSetting) as refused:
        env.integer(NAME, 7, minimum=1, maximum=9)
    assert refusal(refused) == f"{NAME} {problem}. Example: {NAME}=7"


@pytest.mark.parametrize(("value", "expected"), [("1", True), ("Yes", True), ("0", False), ("off", False), ("", True)])
def test_a_switch_is_read(given: pytest.MonkeyPatch, value: str, *, expected: bool) -> None:
    given.setenv(NAME, value)
    assert env.flag(NAME, default=True) is expected


def test_a_switch_that_says_neither_yes_nor_no_is_refused(given: pytest.MonkeyPatch) -> None:
    given.setenv(NAME, "maybe")
    with pytest.raises(env.BadSetting, match=f"^{NAME} is a switch and must be 1 or 0, not 'maybe'"):
        env.flag(NAME, default=False)


def test_a_list_is_read_without_blanks(given: pytest.MonkeyPatch) -> None:
    given.setenv(NAME, " a.example , b.example,, ")
    assert env.words(NAME, ["localhost"]) == ["a.example", "b.example"]


@pytest.mark.parametrize("value", ["example.org", "ftp://example.org", "https://example.org/path", "https://"])
def test_an_origin_needs_scheme_and_host_alone(given: pytest.MonkeyPatch, value: str) -> None:
    given.setenv(NAME, value)
    with pytest.raises(env.BadSetting, match="must list origins"):
        env.origins(NAME)


def test_without_a_url_the_database_is_an_immediate_sqlite_file(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    default = tmp_path / "50% of it?.sqlite3"
    config = env.database(NAME, default, pool_size=4)
    assert config["ENGINE"] == "django.db.backends.sqlite3"
    assert config["NAME"] == str(default)
    assert config["OPTIONS"]["transaction_mode"] == "IMMEDIATE"
    assert config["OPTIONS"]["timeout"] == 20
    assert "journal_mode=WAL" in config["OPTIONS"]["init_command"]


def test_postgresql_gets_a_pool_of_the_size_asked_for(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given.setenv(NAME, "postgres://ann:p%40ss@db:5433/wop?sslmode=require")
    config = env.database(NAME, tmp_path / "unused", pool_size=4)
    assert (config["USER"], config["PASSWORD"], config["HOST"], config["PORT"]) == ("ann", "p@ss", "db", 5433)
    assert config["OPTIONS"]["pool"]["max_size"] == 4
    assert config["OPTIONS"]["sslmode"] == "require"


@pytest.mark.parametrize(
    ("url", "problem"),
    [
        ("mysql://db/wop", "must start with sqlite:// or postgres://, not 'mysql'"),
        ("wop.sqlite3", "must start with sqlite:// or postgres://, not 'wop.sqlite3'"),
        ("postgres://ann:p:ss@db:x/wop", "is not a valid URL"),
        ("postgres://db/", "must name a database"),
        ("sqlite://", "must name a database"),
        ("sqlite://:memory:", "must name a database"),
    ],
)
def test_a_database_we_cannot_use_is_refused(given: pytest.MonkeyPatch, tmp_path: Path, url: str, problem: str) -> None:
    given.setenv(NAME, url)
    with pytest.raises(env.BadSetting) as refused:
        env.database(NAME, tmp_path / "unused", pool_size=4)
    assert problem in refusal(refused)
    assert "\n" not in refusal(refused)


def test_a_refused_database_url_never_shows_its_password(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given.setenv(NAME, "mysql://ann:secret@db/wop")
    with pytest.raises(env.BadSetting) as refused:
        env.database(NAME, tmp_path / "unused", pool_size=4)
    assert "secret" not in refusal(refused)


def test_without_a_url_messages_travel_as_files(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    url, options = env.broker(NAME, tmp_path / "broker")
    assert url.startswith("filesystem://")
    assert options["data_folder_in"] == options["data_folder_out"] == str(tmp_path / "broker" / "messages")
    assert Path(options["control_folder"]).is_dir()


@pytest.mark.parametrize("url", ["localhost:6379", "kafka://localhost", "redis"])
def test_a_broker_we_do_not_know_is_refused(given: pytest.MonkeyPatch, tmp_path: Path, url: str) -> None:
    given.setenv(NAME, url)
    with pytest.raises(env.BadSetting, match="must start with one of filesystem://, redis://"):
        env.broker(NAME, tmp_path)


def test_a_secret_key_is_made_once_and_only_its_owner_may_read_it(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "secret.key"
    first = env.secret_key(NAME, file)
    assert len(first) >= 50
    assert env.secret_key(NAME, file) == first
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert list(tmp_path.iterdir()) == [file]


def test_a_secret_key_in_the_environment_wins(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given.setenv(NAME, "from-the-environment")
    assert env.secret_key(NAME, tmp_path / "secret.key") == "from-the-environment"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [("", ""), ("https://wop.example.org", "https://wop.example.org"), ("https://a.example/", "https://a.example")],
)
def test_an_origin_is_read_without_its_slash(given: pytest.MonkeyPatch, value: str, expected: str) -> None:
    given.setenv(NAME, value)
    assert env.origin(NAME) == expected


@pytest.mark.parametrize(
    "value", ["wop.example.org", "https://wop.example.org/path", "https://a.example,https://b.example"]
)
def test_what_is_not_one_origin_is_refused(given: pytest.MonkeyPatch, value: str) -> None:
    given.setenv(NAME, value)
    with pytest.raises(env.BadSetting, match=f"^{NAME} must"):
        env.origin(NAME)


# --- The keys of signed links -----------------------------------------------------------------------------------------

SECRETS = ("a-random-text-of-32-characters-1", "another-text-of-32-characters--2", "a-third-text-of-32-characters--3")


def test_a_key_ring_is_read_in_its_order(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    given.setenv(NAME, f" k2:{SECRETS[0]}, k1:{SECRETS[1]}:with:colons , legacy:{SECRETS[2]}")
    ring = env.key_ring(NAME, tmp_path / "token.key")
    assert list(ring.items()) == [("k2", SECRETS[0]), ("k1", f"{SECRETS[1]}:with:colons"), ("legacy", SECRETS[2])]
    assert list(tmp_path.iterdir()) == []


def test_without_a_key_ring_one_key_is_made_and_kept(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "token.key"
    ring = env.key_ring(NAME, file)
    assert list(ring) == ["local"]
    assert len(ring["local"]) >= 50
    assert env.key_ring(NAME, file) == ring
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    ("value", "problem"),
    [
        (SECRETS[0], "must list kid:secret pairs"),
        (f":{SECRETS[0]}", "must list kid:secret pairs"),
        (f"k.1:{SECRETS[0]}", "must list kid:secret pairs"),
        (f"k1:{SECRETS[0]},k1:{SECRETS[1]}", "must list kid:secret pairs"),
        ("k1:short", "holds a secret that can be guessed"),
        ("k1:" + "a1" * 40, "holds a secret that can be guessed"),
        (f"{SECRETS[0]}:k1", "holds a secret that can be guessed (number 1)"),
        (f"k2:{SECRETS[0]},k1:", "holds a secret that can be guessed (number 2)"),
        (f"legacy:{SECRETS[0]}", "must begin with a key that signs"),
    ],
)
def test_a_key_ring_that_would_not_protect_is_refused(
    given: pytest.MonkeyPatch, tmp_path: Path, value: str, problem: str
) -> None:
    given.setenv(NAME, value)
    with pytest.raises(env.BadSetting) as refused:
        env.key_ring(NAME, tmp_path / "token.key")
    assert problem in refusal(refused)
    assert not any(secret in refusal(refused) for secret in SECRETS)


def test_a_data_directory_that_cannot_be_made_is_refused(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    given.setenv(NAME, str(file / "below"))
    with pytest.raises(env.BadSetting, match=f"^{NAME} must be a directory: {file}/below cannot be made"):
        env.directory(NAME, tmp_path)


def test_a_bad_value_ends_a_command_with_its_line_and_no_traceback(tmp_path: Path) -> None:
    surroundings = {**os.environ, "WOP_DATA_DIR": str(tmp_path), "PORT": "http"}
    command = [sys.executable, str(ROOT / "manage.py"), "check"]
    ended = subprocess.run(command, env=surroundings, capture_output=True, text=True, timeout=30, check=False)
    assert ended.returncode == 1
    assert ended.stderr == "PORT must be a whole number, not 'http'. Example: PORT=8000\n"
    assert ended.stdout == ""


# --- What may be called -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("", []),
        ("10.1.0.0/16", [("10.1.0.0/16", 443)]),
        ("10.1.2.3:8443", [("10.1.2.3/32", 8443)]),
        ("fd00:1::/48, ::1", [("fd00:1::/48", 443), ("::1/128", 443)]),
        ("[fd00:1::/48]:8443,[::1]", [("fd00:1::/48", 8443), ("::1/128", 443)]),
        ("Hooks.Corp.internal.:8443 ,localhost", [("hooks.corp.internal", 8443), ("localhost", 443)]),
    ],
)
def test_destinations_are_networks_and_names_with_a_port(
    given: pytest.MonkeyPatch, value: str, expected: list[tuple[str, int]]
) -> None:
    given.setenv(NAME, value)
    assert env.destinations(NAME) == expected


@pytest.mark.parametrize(
    "value",
    ["https://hooks", "10.1.2.3/16", "10.1.2.0/33", "300.1.2.3", "host:0", "host:65536", "host:", "[::1", "a b", "*.x"],
)
def test_what_is_no_destination_stops_the_start(given: pytest.MonkeyPatch, value: str) -> None:
    given.setenv(NAME, value)
    with pytest.raises(env.BadSetting) as refused:
        env.destinations(NAME)
    assert refusal(refused).startswith(f"{NAME} ")
    assert "Example: " in refusal(refused)


def test_a_file_of_certificates_must_be_one(given: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert env.certificates(NAME) == ""
    good = tmp_path / "authority.pem"
    trustme.CA().cert_pem.write_to_path(str(good))
    given.setenv(NAME, str(good))
    assert env.certificates(NAME) == str(good)
    for bad in (tmp_path / "absent.pem", tmp_path / "empty.pem"):
        if bad.name == "empty.pem":
            bad.touch()
        given.setenv(NAME, str(bad))
        with pytest.raises(env.BadSetting, match="must be a file of certificates"):
            env.certificates(NAME)


@pytest.mark.parametrize("value", ["wop@example.org", "Approvals <wop@example.org>", "wop@localhost"])
def test_a_sender_is_an_address_with_or_without_a_name(given: pytest.MonkeyPatch, value: str) -> None:
    given.setenv(NAME, f" {value} ")
    assert env.mail_sender(NAME, "x@y") == value


@pytest.mark.parametrize("value", ["wop", "Approvals", "@", "wop@", "a@b\nBcc: c@d", "Approvals <wop>"])
def test_what_is_no_sender_is_refused(given: pytest.MonkeyPatch, value: str) -> None:
    given.setenv(NAME, value)
    with pytest.raises(env.BadSetting) as problem:
        env.mail_sender(NAME, "x@y")
    assert refusal(problem).startswith("WOP_EXAMPLE must be a mail address, not ")


@pytest.mark.parametrize(
    ("given_settings", "printed"),
    [
        ({}, "console 0"),
        ({"EMAIL_HOST": "smtp.example.org"}, "smtp 0"),
        (
            {"EMAIL_HOST": "smtp.example.org", "EMAIL_BACKEND": "django.core.mail.backends.dummy.EmailBackend"},
            "dummy 0",
        ),
        ({"EMAIL_USE_TLS": "1", "EMAIL_USE_SSL": "1"}, "EMAIL_USE_SSL and EMAIL_USE_TLS exclude each other"),
        ({"EMAIL_TIMEOUT": "21"}, "EMAIL_TIMEOUT must lie between 1 and 20"),
    ],
)
def test_mail_is_printed_unless_a_server_is_named(tmp_path: Path, given_settings: dict[str, str], printed: str) -> None:
    show = "from wopsite.settings import *; print(EMAIL_BACKEND.split('.')[-2], int(EMAIL_USE_TLS))"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("EMAIL_")}
    environment |= {"WOP_DATA_DIR": str(tmp_path), **given_settings}
    words = [sys.executable, "-c", show]
    done = subprocess.run(words, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert printed in done.stdout + done.stderr
    assert "Traceback" not in done.stderr
