"""The protocol host."""

from __future__ import annotations

from django.apps import AppConfig


class InterruptsConfig(AppConfig):
    name = "interrupts"
    verbose_name = "Runs and workflows"
