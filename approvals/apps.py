"""Approvals and the people's inbox."""

from __future__ import annotations

from django.apps import AppConfig
from django.utils.module_loading import import_string

from interrupts.kinds import registry


class ApprovalsConfig(AppConfig):
    name = "approvals"
    verbose_name = "Approvals"

    def ready(self) -> None:
        # By name: the kind reaches models, which exist only once every app is loaded.
        registry.register(import_string("approvals.kind.ApprovalKind")())
        registry.watch(import_string("approvals.kind.mark_open_to_all"))
        registry.watch(import_string("approvals.notices.announce"))
