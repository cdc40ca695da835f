"""The gate of the machine surface: what holds for every protocol answer, whatever goes wrong (wire contract §2, §3)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from django.core.exceptions import SuspiciousOperation
from django.http import HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.urls import Resolver404, resolve

from interrupts.errors import NotFound, ProtocolVersionUnsupported, ValidationFailed
from interrupts.services.idempotency import ReplayedError
from interrupts.surfaces.faults import told
from interrupts.surfaces.rest.paths import is_for_people
from interrupts.surfaces.rest.responses import error_response
from interrupts.vocabulary import PROTOCOL_VERSION

VERSION_HEADER: Final = "OpenWOP-Version"
_VERSION: Final = re.compile(r"(?P<major>0|[1-9][0-9]*)(\.(0|[1-9][0-9]*))?")
_MAJOR: Final = PROTOCOL_VERSION.partition(".")[0]


class ProtocolMiddleware:
    """Answers every protocol path itself; people's paths go on through sessions, forms and pages.

    A protocol request never meets the session, CSRF or page middleware: its only credential is the bearer key, so
    there is nothing for a foreign page to ride on. Whatever happens, the answer is JSON with ``OpenWOP-Version``.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        if is_for_people(request):
            return self._get_response(request)
        response = _answer(request)
        response[VERSION_HEADER] = PROTOCOL_VERSION
        response.setdefault("Cache-Control", "no-store")
        if response.status_code not in {204, 304}:
            response["Content-Length"] = str(len(response.content))
        return response


def check_version(header: str | None) -> None:
    """Let the major this host serves pass; the minor never matters.

    Raises ProtocolVersionUnsupported for another major and ValidationFailed for what is no version.
    """
    if header is None:
        return
    version = _VERSION.fullmatch(header.strip())
    if version is None:
        raise ValidationFailed(f"{VERSION_HEADER} must be a version such as {PROTOCOL_VERSION}.")
    if version["major"] != _MAJOR:
        raise ProtocolVersionUnsupported(details={"protocolVersions": [PROTOCOL_VERSION]})


def _answer(request: HttpRequest) -> HttpResponse:
    try:
        check_version(request.headers.get(VERSION_HEADER))
        return _dispatch(request)
    except ReplayedError as replayed:
        return error_response(replayed.error, is_replay=True)
    except SuspiciousOperation:
        return error_response(ValidationFailed("This request holds more than this host reads."))
    except Exception as error:  # noqa: BLE001 - whatever happens, the answer is a registered error, and the log has it
        return error_response(told(error, asked=f"{request.method} {request.path}"))


def _dispatch(request: HttpRequest) -> HttpResponse:
    try:
        match = resolve(request.path_info, urlconf="interrupts.urls")
    except Resolver404:
        raise NotFound("This host has no such path.") from None
    request.resolver_match = match
    response: HttpResponse = match.func(request, *match.args, **match.kwargs)
    return response
