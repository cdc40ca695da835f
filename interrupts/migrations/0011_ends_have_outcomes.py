"""An end without an outcome passed the old checks: SQL calls NULL IN (…) unknown, and a check lets unknown pass."""

from __future__ import annotations

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [
        ("interrupts", "0010_sightings"),
    ]

    operations = [
        migrations.RemoveConstraint(model_name="delivery", name="delivery_ended_iff_outcome"),
        migrations.RemoveConstraint(model_name="suspension", name="suspension_ended_iff_outcome"),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.CheckConstraint(
                name="delivery_ended_iff_outcome",
                condition=Q(outcome__isnull=True, ended_at__isnull=True)
                | Q(
                    outcome__isnull=False,
                    outcome__in=["delivered", "dead", "dropped"],
                    ended_at__isnull=False,
                    leased_until__isnull=True,
                ),
            ),
        ),
        migrations.AddConstraint(
            model_name="suspension",
            constraint=models.CheckConstraint(
                name="suspension_ended_iff_outcome",
                condition=Q(outcome__isnull=True, resolution__isnull=True, resolved_at__isnull=True)
                | Q(
                    outcome__isnull=False,
                    outcome__in=["resolved", "timed-out", "cancelled"],
                    resolution__isnull=False,
                    resolved_at__isnull=False,
                ),
            ),
        ),
    ]
