"""Every URL of the site. The protocol lives at the bare origin, people below `/inbox`, `/accounts` and `/admin`."""

from __future__ import annotations

from django.contrib import admin
from django.urls import include, path
from django.views.generic import RedirectView

from wopsite.health import healthz, readyz

urlpatterns = [
    path("", RedirectView.as_view(url="/inbox/")),
    path("healthz", healthz),
    path("readyz", readyz),
    path("admin/", admin.site.urls),
    path("", include("approvals.urls")),
    path("", include("interrupts.urls")),
]

# For people only: the protocol's paths answer for themselves before any of this (interrupts.surfaces.rest.middleware).
handler404 = "approvals.inbox.failures.not_found"
handler500 = "approvals.inbox.failures.server_error"
