"""The people's pages. An interrupt is addressed by the opaque part of its id; the session knows the tenant."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path, re_path

from approvals.inbox import accounts, connecting, minting, views
from approvals.inbox.link import link

_OPAQUE = r"(?P<opaque>{mark}-[A-Za-z0-9._-]{{1,126}})"
_INTERRUPT = _OPAQUE.format(mark="i")
_RUN = _OPAQUE.format(mark="r")

inbox_urls: list[URLPattern | URLResolver] = [
    path("", views.waiting, name="waiting"),
    path("open/", views.all_open, name="all_open"),
    path("history/", views.history, name="history"),
    path("tenant/", views.switch_tenant, name="switch_tenant"),
    re_path(rf"^{_INTERRUPT}/$", views.interrupt, name="interrupt"),
    re_path(rf"^{_INTERRUPT}/answered/$", views.answered, name="answered"),
    re_path(rf"^{_INTERRUPT}/link/$", minting.make_link, name="link"),
    re_path(rf"^runs/{_RUN}/$", views.run, name="run"),
]
account_urls: list[URLPattern | URLResolver] = [
    path("login/", accounts.SignIn.as_view(), name="login"),
    path("logout/", accounts.SignOut.as_view(), name="logout"),
    path("password/", accounts.ChangePassword.as_view(), name="password"),
    path("password/changed/", accounts.PasswordChanged.as_view(), name="password_changed"),
]
urlpatterns: list[URLPattern | URLResolver] = [
    # The protocol has the same address; which of the two a request gets is told by what it accepts.
    path("interrupts/<path:token>", link, name="link"),
    path("host/wopsite/runs/<path:run_id>/interrupts/<str:node_id>/connect", connecting.connect, name="connect"),
    path("host/wopsite/connected", connecting.connected, name="connected"),
    path("inbox/", include((inbox_urls, "inbox"))),
    path("accounts/", include((account_urls, "accounts"))),
]
