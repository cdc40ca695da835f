from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

import interrupts.models.fields


class Migration(migrations.Migration):
    dependencies = [
        ("interrupts", "0006_pauses"),
    ]

    operations = [
        migrations.RemoveConstraint(
            model_name="outboxmessage",
            name="outbox_topic_known",
        ),
        migrations.AddField(
            model_name="outboxmessage",
            name="payload",
            field=interrupts.models.fields.JsonText(default=dict),
        ),
        migrations.AddField(
            model_name="run",
            name="depth",
            field=models.PositiveSmallIntegerField(default=0, help_text="How many parents are above this run."),
        ),
        migrations.AddField(
            model_name="run",
            name="ends_with_parent",
            field=models.BooleanField(default=False, help_text="Cancelled when its parent is cut short."),
        ),
        migrations.AddField(
            model_name="run",
            name="parent_node_id",
            field=models.CharField(blank=True, max_length=128),
        ),
        migrations.AddField(
            model_name="run",
            name="parent_run",
            field=models.ForeignKey(
                help_text="Whose node started this run.",
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="children",
                to="interrupts.run",
            ),
        ),
        migrations.AddField(
            model_name="run",
            name="tree",
            field=models.CharField(
                blank=True, help_text="The run at the root, of a run that has a parent.", max_length=257
            ),
        ),
        migrations.AddIndex(
            model_name="run",
            index=models.Index(condition=models.Q(("tree", ""), _negated=True), fields=["tree"], name="run_tree"),
        ),
        migrations.AddConstraint(
            model_name="outboxmessage",
            constraint=models.CheckConstraint(
                condition=models.Q(("topic__in", ["advance-run", "start-child", "child-ended", "cancel-children"])),
                name="outbox_topic_known",
            ),
        ),
    ]
