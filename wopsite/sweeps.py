"""When a worker last swept the timers, kept as the modification time of one file in the data directory.

A sweep proves beat, broker and worker alive at once. It is known on the machine where the worker runs, and costs no
query; elsewhere it is unknown, which is not a failure.
"""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from django.conf import settings


def note_sweep() -> None:
    _mark().touch()


def last_sweep() -> datetime | None:
    """The time of the last sweep in UTC; `None` when no worker was seen on this machine."""
    try:
        return datetime.fromtimestamp(_mark().stat().st_mtime, UTC)
    except FileNotFoundError:
        return None


def _mark() -> Path:
    directory: Path = settings.WOP_DATA_DIR
    return directory / "last-sweep"
