"""The protocol host."""

from __future__ import annotations

from django.apps import AppConfig

from interrupts.checks import register_checks


class InterruptsConfig(AppConfig):
    name = "interrupts"
    verbose_name = "Runs and workflows"

    def ready(self) -> None:
        register_checks()
