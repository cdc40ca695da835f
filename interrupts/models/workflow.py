"""Workflow versions: one immutable row each (wire contract §6)."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from interrupts.models.identity import Tenant


class Workflow(models.Model):
    """One version of a workflow, as its author wrote it."""

    tenant = models.ForeignKey(Tenant, on_delete=models.PROTECT, related_name="workflows")
    workflow_id = models.CharField(max_length=128)
    version = models.CharField(max_length=128)
    name = models.CharField(max_length=256)
    document = models.TextField(help_text="The definition as registered; never changed afterwards.")
    digest = models.CharField(max_length=64)
    registered_at = models.DateTimeField()

    class Meta:
        permissions: ClassVar = [
            ("override_gate", "May release a gate of this workflow alone, where the gate allows it")
        ]
        constraints: ClassVar = [
            # Two registrations of one version at once: the second fails here and is compared by digest.
            models.UniqueConstraint(fields=["tenant", "workflow_id", "version"], name="workflow_version_once"),
        ]
        indexes: ClassVar = [
            # services.workflows.latest: the newest version of one id.
            models.Index(fields=["tenant", "workflow_id", "-id"], name="workflow_latest"),
        ]

    def __str__(self) -> str:
        return f"{self.workflow_id} {self.version}"
