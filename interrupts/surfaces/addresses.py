"""Where a signed link leads: the address that people outside can open."""

from __future__ import annotations

from django.core.exceptions import DisallowedHost
from django.http import HttpRequest

from interrupts import conf
from interrupts.errors import ValidationFailed


def link_url(token: str, *, request: HttpRequest | None = None) -> str:
    """Return the URL of a token: at the configured address of the site, else at the one the request came to.

    Raises ValidationFailed for a request to a host name that is not ours.
    """
    return f"{conf.public_url() or _origin(request)}/interrupts/{token}"


def interrupt_url(interrupt_id: str, *, origin: str = "") -> str:
    """Return the URL of the page on which people answer an interrupt, on this host unless ``origin`` names another."""
    opaque = interrupt_id.partition("/")[2]
    return f"{origin or conf.public_url() or conf.local_url()}/inbox/{opaque}/"


def _origin(request: HttpRequest | None) -> str:
    return conf.local_url() if request is None else origin_of(request)


def origin_of(request: HttpRequest) -> str:
    """Return the origin that a request came to. Raises ValidationFailed for a host name that is not ours."""
    try:
        return f"{request.scheme}://{request.get_host()}"
    except DisallowedHost as error:
        raise ValidationFailed("This host is not known by the name in the Host header.") from error
