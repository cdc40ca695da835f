from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("interrupts", "0008_interrupt_contracts"),
    ]

    operations = [
        migrations.AddField(
            model_name="runevent",
            name="causation_id",
            field=models.CharField(help_text="The event that brought this one about.", max_length=64, null=True),
        ),
        migrations.CreateModel(
            name="ConnectAttempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("state_hash", models.CharField(max_length=64, unique=True)),
                ("expires_at", models.DateTimeField()),
                (
                    "suspension",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="connect_attempt",
                        to="interrupts.suspension",
                    ),
                ),
            ],
        ),
    ]
