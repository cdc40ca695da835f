"""The kinds this host serves. Apps register theirs when they start, so that no surface has to know them."""

from __future__ import annotations

from typing import Final

from interrupts.kinds.base import Kind
from interrupts.vocabulary import InterruptKind

_KINDS: Final[dict[InterruptKind, Kind]] = {}


def register(kind: Kind) -> None:
    _KINDS[kind.kind] = kind


def get(kind: InterruptKind) -> Kind:
    """Return the kind, or raise KeyError: an interrupt of an unregistered kind is never opened."""
    return _KINDS[kind]


def served() -> frozenset[InterruptKind]:
    return frozenset(_KINDS)
