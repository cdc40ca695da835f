"""What every test runs on: the database of DATABASE_URL, a broker in memory, and skips that CI does not forgive.

Celery is not eager: a test that wants a task done calls it, or starts a worker of its own.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, TypeVar

import pytest
from django.conf import settings
from django.core.management.color import Style
from django.db import connection

from interrupts.surfaces.news import RUN_NEWS
from wopsite.celery import app

Report = TypeVar("Report", pytest.TestReport, pytest.CollectReport)

_RUN_MUST_NOT_SKIP = os.environ.get("CI_MUST_NOT_SKIP") == "1"
_ON_POSTGRESQL = settings.DATABASES["default"]["ENGINE"] == "django.db.backends.postgresql"
_FOLDER = Path(__file__).parent
# The command line and the shared contract call the services that other tests call on both databases.
_IN_WORDS = {_FOLDER / "architecture", _FOLDER / "surfaces" / "cli", _FOLDER / "surfaces" / "contract"}
_CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


def pytest_configure() -> None:
    # Real hashing costs a quarter of a second a password, and no test is about it.
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    # Django's live server would look for every path among the files of the working directory: links are too long.
    settings.MEDIA_URL = "/media/"
    # The site under test is not the one that may be running on this data directory.
    settings.WOP_SERVED_AT = ""
    # Wake-ups that the product sends after a commit must reach no worker of a running installation.
    app.conf.update(broker_url="memory://")


# --- Tests that this machine or this database cannot run --------------------------------------------------------------


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    foreign = "sqlite" if _ON_POSTGRESQL else "postgresql"
    if _RUN_MUST_NOT_SKIP:
        # CI runs the suite once on each database: what belongs to the other run is left out there, not skipped.
        left_out = [item for item in items if item.get_closest_marker(foreign) or _was_shown_on_sqlite(item)]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]
    for item in items:
        if item.get_closest_marker(foreign):
            item.add_marker(pytest.mark.skip(reason=f"proves something that only {foreign} shows: see DATABASE_URL"))
        if item.get_closest_marker("browser") and _CHROMIUM is None:
            item.add_marker(pytest.mark.skip(reason="needs Chromium: none was found on the PATH"))


def _was_shown_on_sqlite(item: pytest.Item) -> bool:
    """Tell what a second run on PostgreSQL would only repeat: pure code, how pages look, and what is said in words."""
    if not _ON_POSTGRESQL:
        return False
    is_pure = _FOLDER / "unit" in item.path.parents and not item.get_closest_marker("django_db")
    return is_pure or item.get_closest_marker("browser") is not None or not _IN_WORDS.isdisjoint(item.path.parents)


@pytest.fixture(scope="session")
def chromium() -> str:
    """The path of the Chromium that browser tests drive."""
    if _CHROMIUM is None:
        pytest.skip("needs Chromium: none was found on the PATH")
    return _CHROMIUM


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    return _forbid_skip(report)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    return _forbid_skip(report)


def _forbid_skip(report: Report) -> Report:
    """With CI_MUST_NOT_SKIP=1 a skip fails: a suite that quietly skips what it should prove proves nothing."""
    if _RUN_MUST_NOT_SKIP and report.skipped and not hasattr(report, "wasxfail"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
        report.outcome = "failed"
        report.longrepr = f"CI_MUST_NOT_SKIP=1 allows no skips, and this was one: {reason}"
    return report


# --- The database -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """SQLite tests use a file: its in-memory database has no WAL, no IMMEDIATE waiting and no second process."""
    if not _ON_POSTGRESQL:
        settings.DATABASES["default"].setdefault("TEST", {})["NAME"] = str(
            tmp_path_factory.mktemp("database") / "test.sqlite3"
        )


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Generator[None]:
    """Let the flush after a transactional test empty the append-only tables of SQLite.

    There a flush is a DELETE, which their triggers refuse. (On PostgreSQL it is a TRUNCATE, which fires no row
    trigger.) The triggers are dropped and made again in the transaction of the flush, so no test runs without them.
    The class is patched, not the connection at hand: a thread or an event loop of a test brings connections of its own.
    """
    if _ON_POSTGRESQL:
        yield
        # A connection that still listens for news of runs would keep the test database from being dropped.
        RUN_NEWS.stop()
        return
    operations: Any = type(connection.ops)
    flush = operations.sql_flush

    def flush_behind_triggers(ops: Any, style: Style, tables: Sequence[str], **options: Any) -> list[str]:
        with ops.connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = cursor.fetchall()
        drops = [f"DROP TRIGGER {ops.quote_name(name)}" for name, _ in triggers]
        return [*drops, *flush(ops, style, tables, **options), *(sql for _, sql in triggers)]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(operations, "sql_flush", flush_behind_triggers)
        yield


@pytest.fixture
def data_dir(tmp_path: Path, settings: Any) -> Path:
    """A data directory of the test's own."""
    settings.WOP_DATA_DIR = tmp_path
    return tmp_path
