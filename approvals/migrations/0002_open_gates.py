"""What the inbox looks up by: a row for gates that name nobody, and the votes of one person."""

from __future__ import annotations

import django.db.models.deletion
from django.apps.registry import Apps
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor


def mark_open_gates(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    suspensions = apps.get_model("interrupts", "Suspension").objects.filter(kind="approval", gate_approvers=None)
    gate_approver = apps.get_model("approvals", "GateApprover")
    marks = (gate_approver(suspension_id=pk) for pk in suspensions.values_list("pk", flat=True).iterator())
    gate_approver.objects.bulk_create(marks, batch_size=1000)


def unmark_open_gates(apps: Apps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    apps.get_model("approvals", "GateApprover").objects.filter(ref=None).delete()


class Migration(migrations.Migration):
    dependencies = [("approvals", "0001_initial")]

    operations = [
        migrations.AlterField(
            model_name="gateapprover",
            name="ref",
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="gates",
                to="approvals.approverref",
            ),
        ),
        migrations.AddIndex(
            model_name="vote",
            index=models.Index(fields=["actor"], name="vote_by_actor"),
        ),
        migrations.AddIndex(
            model_name="vote",
            index=models.Index(fields=["voter"], name="vote_by_voter"),
        ),
        migrations.RunPython(mark_open_gates, unmark_open_gates),
    ]
