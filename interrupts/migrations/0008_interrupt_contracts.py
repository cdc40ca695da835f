from __future__ import annotations

from django.db import migrations, models

import interrupts.models.fields


class Migration(migrations.Migration):
    dependencies = [
        ("interrupts", "0007_subworkflows"),
    ]

    operations = [
        migrations.AddField(
            model_name="suspension",
            name="contract",
            field=interrupts.models.fields.JsonText(
                help_text="How it may be answered, as fixed at the pause; and by which visit.", null=True
            ),
        ),
        migrations.AddIndex(
            model_name="suspension",
            index=models.Index(
                condition=models.Q(("outcome__isnull", True)),
                fields=["tenant", "opened_at", "id"],
                name="suspension_open_by_age",
            ),
        ),
    ]
