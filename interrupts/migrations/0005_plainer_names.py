from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("interrupts", "0004_deliveries")]

    operations = [migrations.AlterModelOptions(name="suspension", options={"verbose_name": "decision"})]
