"""Looking names up, with an end: the system's resolver itself knows no time limit."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable
from typing import TypeAlias

from interrupts.services.egress.faults import EgressFailed

# Returns every address of a name, as text. Raises OSError for a name that has none.
Resolve: TypeAlias = Callable[[str, int], list[str]]


def system_addresses(name: str, port: int) -> list[str]:
    """Return what the system's resolver says, in its order of preference."""
    found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(where[0]) for *_, where in found))


def addresses_of(name: str, port: int, *, resolve: Resolve, seconds: float) -> list[str]:
    """Return the addresses of a name, or raise EgressFailed. One that hangs is left behind in its own thread."""
    answers: list[list[str]] = []

    def look_up() -> None:
        try:
            answers.append(resolve(name, port))
        except (OSError, UnicodeError):
            answers.append([])

    thread = threading.Thread(target=look_up, name=f"resolve {name}", daemon=True)
    thread.start()
    thread.join(seconds)
    if not answers or not answers[0]:
        raise EgressFailed("The name of the receiver could not be resolved.")
    return answers[0]
