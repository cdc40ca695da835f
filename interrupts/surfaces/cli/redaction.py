"""What is never printed: API keys, and the credentials in an address."""

from __future__ import annotations

import re
from typing import Final

from interrupts import conf
from interrupts.services.identity import KEY_MARK

_HIDDEN: Final = "…"
_FEWEST: Final = 8
_KEY: Final = re.compile(rf"{KEY_MARK}_[0-9a-f]{{4,}}_[\w-]+")
_CREDENTIALS: Final = re.compile(r"(?<=://)[^/\s@]+(?=@)")
# What is given to --key and --url, also shortened or misspelled, and to what others call them: it is told in no
# complaint about the words.
_GIVEN: Final = re.compile(r"(-(?:-?[ku]|[\w-]*(?:key|token))\w*(?:=|\s+))\S+", re.IGNORECASE)


def redacted(text: str, *secrets: str | None) -> str:
    """Return a message without anything that looks like a key, the key of the settings, and ``secrets``."""
    for secret in (*secrets, conf.remote_host().key):
        if secret and len(secret) >= _FEWEST:
            text = text.replace(secret, _HIDDEN)
    return _CREDENTIALS.sub(_HIDDEN, _KEY.sub(_HIDDEN, text))


def redacted_usage(text: str) -> str:
    """Return a complaint about how a command is written, without the key and the address in it."""
    return redacted(_GIVEN.sub(rf"\1{_HIDDEN}", text))
