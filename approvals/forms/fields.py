"""The posted fields of a form, as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from approvals.forms.names import Field, is_field, name_of

_TYPED: Final = frozenset({Field.TEXT, Field.JSON, Field.KEY})


class Fields:
    """Immutable: every change returns another one. Names that no form of ours has are left out."""

    def __init__(self, posted: Mapping[str, Sequence[str]]) -> None:
        self.posted = {name: [*texts] for name, texts in posted.items() if texts and is_field(name)}
        self._places = frozenset(place for name, texts in self.posted.items() for place in _places(name, texts))

    def text(self, kind: Field, at: str) -> str:
        texts = self.posted.get(name_of(kind, at))
        return texts[-1] if texts else ""

    def texts(self, kind: Field, at: str) -> list[str]:
        return self.posted.get(name_of(kind, at), [])

    def has(self, kind: Field, at: str) -> bool:
        return name_of(kind, at) in self.posted

    def is_filled(self, at: str) -> bool:
        """Tell whether anything at or under a pointer was filled in, chosen or added."""
        return at in self._places

    def put(self, kind: Field, at: str, texts: Iterable[str]) -> Fields:
        return Fields({**self.posted, name_of(kind, at): [*texts]})

    def drop(self, kind: Field, at: str) -> Fields:
        return Fields({name: texts for name, texts in self.posted.items() if name != name_of(kind, at)})

    def prune(self, at: str) -> Fields:
        """Leave out everything at and under a pointer."""
        return Fields({name: texts for name, texts in self.posted.items() if not _is_under(name, at)})

    def update(self, other: Mapping[str, Sequence[str]]) -> Fields:
        return Fields({**self.posted, **other})


def _is_under(name: str, at: str) -> bool:
    place = name[2:]
    return place == at or place.startswith(f"{at}/")


def _places(name: str, texts: Sequence[str]) -> Iterable[str]:
    kind, place = name[0], name[2:]
    if kind in _TYPED and not any(text.strip() for text in texts):
        return
    while place:
        yield place
        place = place.rpartition("/")[0]
