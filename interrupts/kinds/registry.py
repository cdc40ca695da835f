"""The kinds this host serves. Apps register theirs when they start, so that no surface has to know them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from interrupts.kinds.base import Kind, OpenInterrupt
from interrupts.vocabulary import InterruptKind

_KINDS: Final[dict[InterruptKind, Kind]] = {}
_WATCHERS: Final[list[Callable[[OpenInterrupt], None]]] = []


def register(kind: Kind) -> None:
    _KINDS[kind.kind] = kind


def get(kind: InterruptKind) -> Kind:
    """Return the kind, or raise KeyError: an interrupt of an unregistered kind is never opened."""
    return _KINDS[kind]


def watch(watcher: Callable[[OpenInterrupt], None]) -> None:
    """Have a function called with every interrupt that is opened, of whatever kind, inside the run's transaction."""
    _WATCHERS.append(watcher)


def opened(interrupt: OpenInterrupt) -> None:
    """Let the kind, and then everybody who watches, take note of an interrupt that was just opened."""
    get(interrupt.kind).opened(interrupt)
    for watcher in _WATCHERS:
        watcher(interrupt)


def served() -> frozenset[InterruptKind]:
    """Return the kinds that runs may raise."""
    return frozenset(name for name, kind in _KINDS.items() if kind.is_offered)
