"""The lock on the data directory: whoever holds it runs the site there, and writes into it where."""

from __future__ import annotations

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from typing import IO, Any


class Claimed(Exception):
    """Somebody else holds the lock; the text says who."""


class Claim:
    """The lock on the data directory. The kernel drops it when we end, however we end; only its text can be stale."""

    def __init__(self, data_directory: Path) -> None:
        """Take the lock, or raise Claimed."""
        self._file = _lock_file(data_directory).open("a+", encoding="utf-8", errors="replace")
        self._file.seek(0)
        holder = self._file.read()
        if not _is_free(self._file, fcntl.LOCK_EX):
            self._file.close()
            raise Claimed(holder)
        self.left_behind = bool(holder)

    def __enter__(self) -> Claim:
        return self

    def __exit__(self, *_: Any) -> None:
        self._file.close()

    def write(self, origin: str) -> None:
        self.clear()
        self._file.write(f"process {os.getpid()}, {origin}")
        self._file.flush()

    def clear(self) -> None:
        self._file.seek(0)
        self._file.truncate()


def served_at(data_directory: Path) -> str:
    """Return the origin of the server that runs on a data directory now; empty when none does."""
    with suppress(OSError), _lock_file(data_directory).open(encoding="utf-8", errors="replace") as file:
        holder = file.read()
        # A lock without a text is not tried: for that moment nobody could start.
        if holder and not _is_free(file, fcntl.LOCK_SH):
            return holder.rpartition(", ")[2]
    return ""


def _lock_file(data_directory: Path) -> Path:
    return data_directory / "serve.lock"


def _is_free(file: IO[str], mode: int) -> bool:
    try:
        fcntl.flock(file, mode | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
