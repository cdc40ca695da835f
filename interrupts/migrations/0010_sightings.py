from __future__ import annotations

from django.db import migrations, models

import interrupts.models.fields


class Migration(migrations.Migration):
    dependencies = [
        ("interrupts", "0009_connect_attempts"),
    ]

    operations = [
        migrations.CreateModel(
            name="Sighting",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("what", models.CharField(max_length=16)),
                ("name", models.CharField(max_length=255)),
                (
                    "queues",
                    interrupts.models.fields.JsonText(
                        default=list, help_text="The queues that a worker takes work from."
                    ),
                ),
                ("seen_at", models.DateTimeField()),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("what", "name"), name="sighting_once"),
                    models.CheckConstraint(
                        condition=models.Q(("what__in", ["worker", "beat", "sweep"])),
                        name="sighting_of_something_known",
                    ),
                ],
            },
        ),
    ]
