from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("approvals", "0002_open_gates")]

    operations = [
        migrations.AlterModelOptions(
            name="gateapprover",
            options={"permissions": [("link_for_others", "May make signed links for the people whom gates name")]},
        ),
    ]
