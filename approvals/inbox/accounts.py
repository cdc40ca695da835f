"""Signing in and out, and changing one's password: Django's own views with pages of ours."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import AuthenticationForm
from django.contrib.auth.views import LoginView, LogoutView, PasswordChangeDoneView, PasswordChangeView
from django.http import HttpResponse
from django.urls import reverse_lazy

from approvals.inbox import drafts


class SignIn(LoginView):
    """Signs in, and takes along what was typed into a page whose session had ended."""

    template_name = "accounts/login.html"
    redirect_authenticated_user = True

    def form_valid(self, form: AuthenticationForm) -> HttpResponse:
        response = super().form_valid(form)
        drafts.keep(self.request, self.request.POST.get("draft", ""))
        return response

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        return super().get_context_data(**kwargs, draft=self.request.POST.get("draft", ""))


class SignOut(LogoutView):
    """Signs out, by POST only: a link on another site must not end a session."""


class ChangePassword(PasswordChangeView):
    template_name = "accounts/password_change.html"
    success_url = reverse_lazy("accounts:password_changed")


class PasswordChanged(PasswordChangeDoneView):
    template_name = "accounts/password_changed.html"
