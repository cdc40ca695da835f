"""Answers of the machine surface: JSON bytes with the headers that every protocol answer carries (wire contract §2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from django.http import HttpRequest, HttpResponse
from django.utils.http import parse_etags

from interrupts.contracts.json_text import dump_json
from interrupts.contracts.types import JsonObject
from interrupts.errors import WopError
from interrupts.surfaces import problems

JSON: Final = "application/json"
REPLAY_HEADER: Final = "OpenWOP-Idempotent-Replay"
REVALIDATED: Final = "no-cache"
PRIVATE: Final = "private, no-cache"


def json_response(
    body: JsonObject, *, status: int = 200, is_replay: bool = False, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    return text_response(dump_json(body), status=status, is_replay=is_replay, headers=headers)


def text_response(
    text: str, *, status: int = 200, is_replay: bool = False, headers: Mapping[str, str] | None = None
) -> HttpResponse:
    """Answer with a JSON text as it is."""
    response = HttpResponse(text.encode(), content_type=JSON, status=status, headers=dict(headers or {}))
    if is_replay:
        response[REPLAY_HEADER] = "true"
    return response


def empty_response(*, is_replay: bool = False) -> HttpResponse:
    response = HttpResponse(status=204, headers={REPLAY_HEADER: "true"} if is_replay else {})
    del response["Content-Type"]
    return response


def error_response(error: WopError, *, is_replay: bool = False) -> HttpResponse:
    status = problems.http_status(error.code)
    response = json_response(problems.envelope(error), status=status, is_replay=is_replay)
    wait = problems.retry_after(error.code)
    if wait is not None:
        response["Retry-After"] = str(wait)
    if status == 401:
        response["WWW-Authenticate"] = "Bearer"
    return response


def conditional(request: HttpRequest, render: Callable[[], HttpResponse], *, etag: str, cache: str) -> HttpResponse:
    """Answer with what ``render`` makes, or with 304 to a caller who holds it already (``If-None-Match``)."""
    if _is_known(request, etag):
        response = HttpResponse(status=304)
        del response["Content-Type"]
    else:
        response = render()
    response["ETag"] = etag
    response["Cache-Control"] = cache
    return response


def _is_known(request: HttpRequest, etag: str) -> bool:
    """Compare weakly, as RFC 9110 §13.1.2 asks for a read."""
    known = parse_etags(request.headers.get("If-None-Match", ""))
    return "*" in known or etag in {tag.removeprefix("W/") for tag in known}
