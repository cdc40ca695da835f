from __future__ import annotations

from django.db import migrations, models

import interrupts.models.fields


class Migration(migrations.Migration):
    dependencies = [
        ("interrupts", "0005_plainer_names"),
    ]

    operations = [
        migrations.AddField(
            model_name="run",
            name="pause_request",
            field=interrupts.models.fields.JsonText(
                help_text="The pause that begins when what runs has ended (wire contract §7.5).", null=True
            ),
        ),
        migrations.AddConstraint(
            model_name="run",
            constraint=models.CheckConstraint(
                condition=models.Q(("pause_request__isnull", True), ("status", "running"), _connector="OR"),
                name="run_pause_asked_only_while_running",
            ),
        ),
    ]
