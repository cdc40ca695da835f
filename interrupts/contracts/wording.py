"""Our own words for a failed keyword. A library's text is never shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from jsonschema.exceptions import ValidationError

from interrupts.contracts.json_text import dump_json

_LENGTH: Final = 80
_OPTIONS: Final = 10

_TYPES: Final = {
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "null": "nothing (null)",
}
_FORMATS: Final = {
    "date": "a date, such as 2031-05-17",
    "time": "a time with its offset, such as 14:30:00Z",
    "date-time": "a date and time with its offset, such as 2031-05-17T14:30:00Z",
    "duration": "a duration, such as P3DT4H",
    "email": "an e-mail address",
    "idn-email": "an e-mail address",
    "hostname": "a host name",
    "idn-hostname": "a host name",
    "ipv4": "an IPv4 address",
    "ipv6": "an IPv6 address",
    "uri": "an absolute URI, such as https://example.org/a",
    "iri": "an absolute IRI, such as https://example.org/a",
    "uri-reference": "a URI or a relative reference",
    "iri-reference": "an IRI or a relative reference",
    "uri-template": "a URI template",
    "uuid": "a UUID",
    "json-pointer": "a JSON Pointer",
    "relative-json-pointer": "a relative JSON Pointer",
    "regex": "a regular expression",
}


def quote(value: object) -> str:
    """Return a value as JSON text of at most 80 characters."""
    if isinstance(value, str):
        return shorten(dump_json(value[: _LENGTH + 1]))
    if isinstance(value, int | float) or value is None:
        return shorten(dump_json(value))
    if isinstance(value, list) and len(value) <= _LENGTH:
        return shorten(f"[{', '.join(quote(item) for item in value)}]")
    if isinstance(value, dict) and len(value) <= _LENGTH:
        return shorten("{" + ", ".join(f"{quote(name)}: {quote(item)}" for name, item in value.items()) + "}")
    return "this value"


def shorten(text: str) -> str:
    return text if len(text) <= _LENGTH else f"{text[: _LENGTH - 1]}…"


def keyword_of(error: ValidationError) -> str:
    """Return the keyword that failed; "false" for a schema that allows nothing, which the library gives no keyword."""
    validator: Any = error.validator
    return "false" if validator is None else str(validator)


def describe(error: ValidationError) -> str:
    """Return what is wrong, as a sentence."""
    keyword = keyword_of(error)
    if error.message and keyword != "false":
        return error.message
    words = _WORDS.get(keyword)
    return words(error.validator_value, error.instance) if words else "This value is not allowed here."


def describe_same_keyword(branches: Sequence[Sequence[ValidationError]]) -> tuple[str, str] | None:
    """Return keyword and words for a choice each of whose branches asks only for another type, or another constant."""
    errors = [branch[0] for branch in branches if len(branch) == 1 and not branch[0].relative_path]
    if len(errors) != len(branches):
        return None
    keywords = {keyword_of(error) for error in errors}
    if keywords == {"type"}:
        wanted = [name for error in errors for name in _as_list(error.validator_value)]
        return "type", _type(wanted, None)
    if keywords <= {"const", "enum"}:
        options = [option for error in errors for option in _options(error)]
        return "enum", _enum(options, None)
    return None


def _type(wanted: Any, _: object) -> str:
    names = dict.fromkeys(_TYPES.get(str(name), str(name)) for name in _as_list(wanted))
    return f"This must be {' or '.join(names)}."


def _enum(options: Any, _: object) -> str:
    shown = ", ".join(quote(option) for option in options[:_OPTIONS])
    more = f" and {len(options) - _OPTIONS} more" if len(options) > _OPTIONS else ""
    return f"This must be one of: {shown}{more}."


def _options(error: ValidationError) -> list[Any]:
    value: Any = error.validator_value
    return value if error.validator == "enum" else [value]


def _format(name: Any, value: object) -> str:
    return f"{quote(value)} is not {_FORMATS.get(str(name), f'a {shorten(str(name))}')}."


def _count(limit: Any, one: str, many: str) -> str:
    return f"{limit} {one if limit == 1 else many}"


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _fixed(text: str) -> Callable[[Any, object], str]:
    return lambda _limit, _value: text


_WORDS: Final[dict[str, Callable[[Any, object], str]]] = {
    "type": _type,
    "enum": _enum,
    "const": lambda wanted, _: f"This must be {quote(wanted)}.",
    "format": _format,
    "pattern": lambda pattern, value: f"{quote(value)} does not match the pattern {shorten(str(pattern))}.",
    "minLength": lambda limit, _: f"This must have at least {_count(limit, 'character', 'characters')}.",
    "maxLength": lambda limit, _: f"This must have at most {_count(limit, 'character', 'characters')}.",
    "minimum": lambda limit, value: f"{quote(value)} is too small: at least {quote(limit)} is allowed.",
    "maximum": lambda limit, value: f"{quote(value)} is too large: at most {quote(limit)} is allowed.",
    "exclusiveMinimum": lambda limit, value: f"{quote(value)} is too small: it must be more than {quote(limit)}.",
    "exclusiveMaximum": lambda limit, value: f"{quote(value)} is too large: it must be less than {quote(limit)}.",
    "multipleOf": lambda step, value: f"{quote(value)} is not a multiple of {quote(step)}.",
    "minItems": lambda limit, _: f"This list must have at least {_count(limit, 'item', 'items')}.",
    "maxItems": lambda limit, _: f"This list must have at most {_count(limit, 'item', 'items')}.",
    "minProperties": lambda limit, _: f"This object must have at least {_count(limit, 'member', 'members')}.",
    "maxProperties": lambda limit, _: f"This object must have at most {_count(limit, 'member', 'members')}.",
    "contains": _fixed("This list lacks an item of the kind that is asked for."),
    "minContains": lambda limit, _: (
        f"This list must have at least {_count(limit, 'item', 'items')} of the kind that is asked for."
    ),
    "maxContains": lambda limit, _: (
        f"This list must have at most {_count(limit, 'item', 'items')} of the kind that is asked for."
    ),
    "required": _fixed("This is required."),
    "additionalProperties": _fixed("This member is not known here."),
    "unevaluatedProperties": _fixed("This member is not known here."),
    "additionalItems": _fixed("This item is one too many."),
    "unevaluatedItems": _fixed("This item is one too many."),
    "not": _fixed("This value is one of those that are not allowed here."),
    "anyOf": _fixed("This matches none of the forms that are allowed here."),
    "oneOf": _fixed("This must match exactly one of the forms that are allowed here."),
    "false": _fixed("Nothing is allowed here."),
}
