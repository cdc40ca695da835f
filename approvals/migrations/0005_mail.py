"""What people are told of gates by mail: when, whom, and each attempt at it."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("approvals", "0004_plainer_names"),
        ("interrupts", "0007_subworkflows"),
    ]

    operations = [
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("occasion", models.CharField(max_length=16)),
                ("due_at", models.DateTimeField()),
                (
                    "spread_at",
                    models.DateTimeField(
                        help_text="When it became mails, or turned out to be needed no more.", null=True
                    ),
                ),
                (
                    "suspension",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="notices", to="interrupts.suspension"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Mail",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("attempts_made", models.IntegerField(default=0)),
                (
                    "attempts_before",
                    models.IntegerField(default=0, help_text="Attempts made before it was last sent again by hand."),
                ),
                ("due_at", models.DateTimeField()),
                (
                    "leased_until",
                    models.DateTimeField(
                        help_text="An attempt is under way until then, or its worker died.", null=True
                    ),
                ),
                ("outcome", models.CharField(max_length=16, null=True)),
                ("last_error", models.TextField(blank=True)),
                ("created_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                (
                    "membership",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="mails", to="interrupts.membership"
                    ),
                ),
                (
                    "notice",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="mails", to="approvals.notice"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="MailAttempt",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.IntegerField()),
                ("started_at", models.DateTimeField()),
                ("ended_at", models.DateTimeField(null=True)),
                ("error", models.TextField(blank=True)),
                (
                    "mail",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="attempts", to="approvals.mail"
                    ),
                ),
            ],
            options={
                "constraints": [models.UniqueConstraint(fields=("mail", "number"), name="mail_attempt_number_once")],
            },
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(condition=models.Q(("spread_at__isnull", True)), fields=["due_at"], name="notice_due"),
        ),
        migrations.AddIndex(
            model_name="notice",
            index=models.Index(
                condition=models.Q(("spread_at__isnull", False)), fields=["spread_at"], name="notice_age"
            ),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.UniqueConstraint(fields=("suspension", "occasion"), name="notice_once_per_occasion"),
        ),
        migrations.AddConstraint(
            model_name="notice",
            constraint=models.CheckConstraint(
                condition=models.Q(("occasion__in", ["asked", "reminder", "timed-out"])), name="notice_occasion_known"
            ),
        ),
        migrations.AddIndex(
            model_name="mail",
            index=models.Index(condition=models.Q(("outcome__isnull", True)), fields=["due_at", "id"], name="mail_due"),
        ),
        migrations.AddConstraint(
            model_name="mail",
            constraint=models.UniqueConstraint(fields=("notice", "membership"), name="mail_once_per_person"),
        ),
        migrations.AddConstraint(
            model_name="mail",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("ended_at__isnull", True), ("outcome__isnull", True)),
                    models.Q(
                        ("ended_at__isnull", False),
                        ("leased_until__isnull", True),
                        ("outcome__in", ["sent", "dead", "dropped"]),
                        ("outcome__isnull", False),
                    ),
                    _connector="OR",
                ),
                name="mail_ended_iff_outcome",
            ),
        ),
    ]
