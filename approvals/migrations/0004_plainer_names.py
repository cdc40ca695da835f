from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("approvals", "0003_link_for_others")]

    operations = [
        migrations.AlterModelOptions(
            name="approverref",
            options={
                "permissions": [("answer_as", "May answer gates that name this reference")],
                "verbose_name": "approver reference",
            },
        ),
    ]
