"""The authority of connected accounts for an installation of several processes: what it knows lies in a file."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

from django.conf import settings

from interrupts.contracts.types import JsonObject
from interrupts.kinds.credential import Account
from tests import offers

FILE = "accounts.json"


class Accounts(offers.Accounts):
    def look_up(self, *, subject: JsonObject, provider: str, scopes: Sequence[str]) -> Account:
        self._read()
        return super().look_up(subject=subject, provider=provider, scopes=scopes)

    def grant(self, subject: JsonObject, provider: str, *scopes: str) -> None:
        self._read()
        super().grant(subject, provider, *scopes)
        self._file.write_text(json.dumps({"accounts": self._accounts, "ended": sorted(self._ended)}))

    @property
    def _file(self) -> Path:
        return Path(settings.WOP_DATA_DIR) / FILE

    def _read(self) -> None:
        kept = json.loads(self._file.read_text()) if self._file.exists() else {"accounts": {}, "ended": []}
        self._accounts, self._ended = kept["accounts"], set(kept["ended"])


def forget(folder: Path) -> None:
    """Let nobody have an account."""
    (folder / FILE).unlink(missing_ok=True)


def end_all(folder: Path) -> None:
    """Let every credential have expired beyond refreshing."""
    kept = json.loads((folder / FILE).read_text())
    (folder / FILE).write_text(json.dumps({**kept, "ended": sorted(kept["accounts"])}))
