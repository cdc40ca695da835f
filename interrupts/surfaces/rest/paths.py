"""Which paths belong to the protocol, and how ids travel in them (wire contract §5)."""

from __future__ import annotations

import re
from typing import Final

from django.http import HttpRequest

from interrupts.errors import TenantMismatch, ValidationFailed
from interrupts.ids import project_id, tenant_of
from interrupts.vocabulary import BOUND_ID_PATTERN, NODE_ID_PATTERN

# Everything else is the protocol's: an unknown path there is answered in JSON, save to a browser that mistyped one.
_PEOPLES_FOLDERS: Final = ("/inbox/", "/accounts/", "/admin/", "/static/")
_PEOPLES_PAGES: Final = frozenset({"/", "/inbox", "/accounts", "/admin", "/static", "/healthz", "/readyz"})

# The first segments that the protocol speaks below, offered here or not: there nobody ever gets a page, but for links.
# The empty one stands for paths that begin with two slashes.
_PROTOCOL_ROOTS: Final = frozenset(
    {"", ".well-known", "host", "interrupts", "openapi.json", "prompts", "runs", "v1", "v2", "webhooks", "workflows"}
)
_ROOT: Final = re.compile(r"/([^/:]*)")
_LINKS: Final = "/interrupts/"
_CONNECTING: Final = re.compile(r"/host/wopsite/(connected|runs/.+/interrupts/[^/]+/connect)")
_PAGE_METHODS: Final = frozenset({"GET", "HEAD", "POST"})
_JSON: Final = "application/json"
_PAGE: Final = "text/html"

_ESCAPE: Final = re.compile(rb"~([0-9A-Fa-f]{2})?")
_SHOWN: Final = 80


class BoundIdConverter:
    """A tenant-bound id in a path: one projected segment, or two where the server has decoded ``%2F`` to ``/``.

    A first segment with a ``~`` is a projected id by itself: what follows its ``/`` is then a resource below the run.
    """

    regex = r"[^/]+|[^/~]+/[^/]+"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return project_id(value)


def is_for_people(request: HttpRequest) -> bool:
    """Tell whether a request is for one of people's pages.

    A signed link has one address for both, and so has the way to an account: a browser, which prefers a page to JSON,
    gets the page. A client that does not say what it accepts, or accepts anything, gets the protocol. An address that
    nothing has, which somebody mistyped in a browser, is for people too.
    """
    path = request.path_info
    if path.startswith(_LINKS):
        return request.method in _PAGE_METHODS and _prefers_page(request)
    if _CONNECTING.fullmatch(path):
        return request.method in {"GET", "HEAD"} and _prefers_page(request)
    return path in _PEOPLES_PAGES or path.startswith(_PEOPLES_FOLDERS) or _is_mistyped(request)


def _is_mistyped(request: HttpRequest) -> bool:
    root = _ROOT.match(request.path_info)
    if root is None or root[1] in _PROTOCOL_ROOTS or request.method not in {"GET", "HEAD"}:
        return False
    # Named first, as browsers do; a program that takes a page as well is still told in JSON.
    return request.headers.get("Accept", "").lstrip().lower().startswith(_PAGE) and _prefers_page(request)


def _prefers_page(request: HttpRequest) -> bool:
    try:
        return request.get_preferred_type([_JSON, _PAGE]) == _PAGE
    except (LookupError, ValueError):
        # Django's reader of header parameters does not take every text.
        return False


def read_bound_id(segment: str, *, tenant_id: str, field: str = "runId") -> str:
    """Return the bound id of a path segment that belongs to the tenant.

    Decided from the text alone, before any look-up, so that the answer does not tell whether another tenant's
    exists. Raises ValidationFailed for a malformed or bare id and TenantMismatch for another tenant's.
    """
    bound_id = _decode(segment, field)
    if not re.fullmatch(BOUND_ID_PATTERN, bound_id):
        raise ValidationFailed(
            f"“{bound_id[:_SHOWN]}” is not the id of a {field.removesuffix('Id')}."
            " An id is <tenant>/<opaque>, with its slash written as ~2F.",
            details={"field": field},
        )
    if tenant_of(bound_id) != tenant_id:
        raise TenantMismatch
    return bound_id


def read_authored_id(text: str, *, field: str) -> str:
    """Return an id that an author chose, such as a workflow's: ``~`` is a plain character there."""
    if not re.fullmatch(NODE_ID_PATTERN, text):
        raise ValidationFailed(
            f"“{text[:_SHOWN]}” is no id: 1 to 128 letters, digits, '.', '_', '~', ':' or '-'.",
            details={"field": field},
        )
    return text


def _decode(segment: str, field: str) -> str:
    """Undo the projection once. Raises ValidationFailed for a ``~`` without two hex digits, and for broken UTF-8."""
    encoded = segment.encode("utf-8", "surrogatepass")
    escapes = [found[1] for found in _ESCAPE.finditer(encoded)]
    try:
        if None in escapes:
            raise ValueError
        return _ESCAPE.sub(lambda found: bytes.fromhex(found[1].decode()), encoded).decode()
    except ValueError:
        raise ValidationFailed(
            f"“{segment[:_SHOWN]}” is not a well-formed id: after each ~ two hexadecimal digits must follow.",
            details={"field": field},
        ) from None
