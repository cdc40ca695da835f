"""Addresses of the inbox's pages. The tenant is the session's, so an address holds only the opaque part of an id."""

from __future__ import annotations

from django.urls import reverse

from interrupts.models import Suspension


def interrupt_url(suspension: Suspension) -> str:
    return reverse("inbox:interrupt", args=[opaque_part(suspension.pk)])


def answered_url(suspension: Suspension) -> str:
    return reverse("inbox:answered", args=[opaque_part(suspension.pk)])


def run_url(run_id: str) -> str:
    return reverse("inbox:run", args=[opaque_part(run_id)])


def opaque_part(bound_id: str) -> str:
    """Return what follows the tenant in a ``<tenant>/<opaque>`` id."""
    return bound_id.partition("/")[2]
