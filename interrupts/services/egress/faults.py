"""Why nothing went out. Both kinds say only what the owner of the URL may know: never an address behind a name."""

from __future__ import annotations


class EgressRefused(Exception):
    """The guard does not let anything out to this URL, now or at all."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


class EgressFailed(Exception):
    """The receiver could not be reached, or broke off, or took too long: trying again may succeed."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)
