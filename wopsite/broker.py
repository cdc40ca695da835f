"""The broker of an installation without a server: messages travel as files in the data directory.

kombu's transport opens a message's file under its last name and writes it afterwards. A worker that looks in between
takes an empty file, cannot read it and ends, and with it the whole installation. Here a message appears whole or not
at all.
"""

from __future__ import annotations

import logging
import time
import uuid
from pathlib import Path
from typing import Any, Final

from kombu.transport import TRANSPORT_ALIASES, filesystem
from kombu.utils.json import dumps

logger = logging.getLogger(__name__)

SCHEME: Final = "filesystem"


class Channel(filesystem.Channel):
    """kombu's channel, with messages that are written under another name first."""

    # kombu's own classes do not agree on the name of the second parameter.
    def _put(self, queue: str, payload: Any, **kwargs: Any) -> None:  # type: ignore[override]
        name = f"{round(time.monotonic() * 1000)}_{uuid.uuid4()}.{queue}.msg"
        folder = Path(self.data_folder_out)
        draft = folder / f"{name}.draft"
        draft.write_text(dumps(payload), encoding="utf-8")
        draft.replace(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        """Return the next message. One that cannot be read is a reminder lost, and the next comes within a second."""
        while True:
            try:
                return super()._get(queue)
            except ValueError:
                logger.warning("a broker message could not be read, and was left out queue=%s", queue)


class Transport(filesystem.Transport):
    """kombu's file transport with channels of ours."""

    Channel = Channel


def use() -> None:
    """Have every process that imports us use this transport for ``filesystem://``."""
    TRANSPORT_ALIASES[SCHEME] = f"{__name__}:{Transport.__name__}"
