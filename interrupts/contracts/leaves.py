"""Regular expressions and formats, by jsonschema-rs: ECMA syntax, linear time, one keyword at a time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import jsonschema_rs

from interrupts.contracts.budget import NotChecked

MAX_PATTERN: Final = 1_000
_SIZE_LIMIT: Final = 1 << 20
_BACKTRACKS: Final = 10_000
_LONGEST_BACKTRACKED: Final = 10_000

# Asserted everywhere, so that people, programs and the command line never disagree. Any other format is a remark.
FORMATS: Final = frozenset({
    "date", "time", "date-time", "duration", "email", "idn-email", "hostname", "idn-hostname", "ipv4", "ipv6", "uri",
    "uri-reference", "iri", "iri-reference", "uuid", "uri-template", "json-pointer", "relative-json-pointer", "regex",
})  # fmt: skip

RS_CLASSES: Final[dict[str, type[jsonschema_rs.Validator]]] = {
    "draft-04": jsonschema_rs.Draft4Validator,
    "draft-06": jsonschema_rs.Draft6Validator,
    "draft-07": jsonschema_rs.Draft7Validator,
    "2019-09": jsonschema_rs.Draft201909Validator,
    "2020-12": jsonschema_rs.Draft202012Validator,
}


@dataclass(frozen=True, slots=True)
class Pattern:
    """A compiled regular expression; ``backtracks`` when it needs look-around or a back-reference."""

    validator: jsonschema_rs.Validator
    backtracks: bool

    def found_in(self, text: str) -> bool:
        """Tell whether the pattern is found anywhere in the text. Raises :class:`NotChecked` rather than run on."""
        if not self.backtracks:
            return self.validator.is_valid(text)
        if len(text) > _LONGEST_BACKTRACKED:
            raise NotChecked("A text is too long for its pattern, which looks around or back.")
        error = next(iter(self.validator.iter_errors(text)), None)
        if error is not None and not isinstance(error.kind, jsonschema_rs.ValidationErrorKind.Pattern):
            raise NotChecked("A pattern backtracks too often to be checked.")
        return error is None


@lru_cache(maxsize=2048)
def compile_pattern(pattern: str) -> Pattern:
    """Return the compiled pattern. Raises :class:`NotChecked` when it is no regular expression we can run."""
    linear = jsonschema_rs.RegexOptions(size_limit=_SIZE_LIMIT)
    backtracking = jsonschema_rs.FancyRegexOptions(backtrack_limit=_BACKTRACKS, size_limit=_SIZE_LIMIT)
    options: tuple[jsonschema_rs.RegexOptions | jsonschema_rs.FancyRegexOptions, ...] = (linear, backtracking)
    for option in options:
        try:
            rs = jsonschema_rs.Draft202012Validator({"pattern": pattern}, pattern_options=option, offline=True)
        except ValueError:
            continue
        return Pattern(rs, backtracks=option is backtracking)
    raise NotChecked("A pattern is not a regular expression, or too large a one.")


def has_format(text: str, name: str, draft: str) -> bool:
    """Tell whether a text has a format; formats a draft does not know hold for every text."""
    return name not in FORMATS or _format(name, draft).is_valid(text)


@lru_cache(maxsize=128)
def _format(name: str, draft: str) -> jsonschema_rs.Validator:
    return RS_CLASSES[draft]({"format": name}, validate_formats=True, offline=True)
