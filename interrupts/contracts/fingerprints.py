"""Equality of JSON values by a text: 1 equals 1.0, true equals neither, the order of members makes no difference."""

from __future__ import annotations

import json

from interrupts.contracts.budget import meter


def fingerprint(value: object) -> str:
    """Return a text that two values share exactly when JSON Schema calls them equal.

    A text and not a hashable number or tuple: Python's hash of a number can be made to collide on purpose, its hash of
    a text cannot.
    """
    meter().pace()
    if isinstance(value, dict):
        members = (f"{json.dumps(name)}:{fingerprint(value[name])}" for name in sorted(value))
        return "{" + ",".join(members) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(fingerprint, value)) + "]"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return json.dumps(value)


def repeated(items: list[object]) -> tuple[int, int] | None:
    """Return the positions of the first two equal items, or None."""
    seen: dict[str, int] = {}
    for index, item in enumerate(items):
        first = seen.setdefault(fingerprint(item), index)
        if first != index:
            return first, index
    return None


def is_one_of(value: object, options: list[object]) -> bool:
    """Tell whether a value equals one of the options of a schema, whose fingerprints are kept with the schema."""
    cache = meter().cache
    known = cache.get(id(options))
    if known is None:
        known = cache[id(options)] = frozenset(map(fingerprint, options))
    return fingerprint(value) in known
