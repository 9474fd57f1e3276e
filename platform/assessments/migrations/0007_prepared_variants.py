"""Seed, company and pack version move from the first look ahead to a row that every exercise has."""

from __future__ import annotations

from typing import Any

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import Q


def keep_what_was_read(apps: Any, schema_editor: Any) -> None:
    """What was read ahead and not begun stays what it was: it was built before it was shown."""
    release = apps.get_model("assessments", "AdvanceRelease")
    variant = apps.get_model("assessments", "PreparedVariant")
    looked_at = release.objects.filter(first_opened_at__isnull=False).select_related("exercise")
    variant.objects.bulk_create(
        variant(
            invitation_id=row.invitation_id,
            exercise_id=row.exercise_id,
            pack_version_id=row.pack_version_id,
            level=row.exercise.level,
            seed=row.seed,
            company=row.company,
            created_at=row.first_opened_at,
            finished_at=row.first_opened_at,
            result="done",
        )
        for row in looked_at
    )


class Migration(migrations.Migration):
    dependencies = [
        ("assessments", "0006_ahead_and_revised_rows"),
        ("hiring", "0005_opening_company"),
        ("library", "0003_company_profile"),
    ]

    operations = [
        migrations.CreateModel(
            name="PreparedVariant",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created_at", models.DateTimeField()),
                ("tries", models.PositiveSmallIntegerField(default=0)),
                ("losses", models.PositiveSmallIntegerField(default=0, help_text="Workers that were lost while they had it.")),
                ("worker", models.CharField(blank=True, max_length=100)),
                ("claimed_at", models.DateTimeField(null=True)),
                ("lease_until", models.DateTimeField(null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("result", models.CharField(blank=True, choices=[("done", "Done"), ("candidate_error", "Program did not run"), ("infrastructure_error", "Our failure"), ("stopped", "Stopped")], max_length=24)),
                ("detail", models.TextField(blank=True)),
                ("trouble", models.TextField(blank=True, help_text="What failed on our side last; for staff.")),
                ("report", models.JSONField(blank=True, null=True)),
                ("invitation", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="variants", to="hiring.invitation")),
                ("exercise", models.ForeignKey(on_delete=django.db.models.deletion.CASCADE, related_name="variants", to="hiring.exercise")),
                ("pack_version", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, to="library.packversion")),
                ("level", models.CharField(max_length=10)),
                ("seed", models.PositiveBigIntegerField()),
                ("company", models.TextField(blank=True)),
            ],
            options={
                "ordering": ["created_at", "pk"],
                "constraints": [models.UniqueConstraint(fields=("invitation", "exercise"), name="one_variant_per_exercise")],
                "indexes": [models.Index(fields=["lease_until"], name="variant_leases", condition=Q(finished_at__isnull=True))],
            },
        ),
        migrations.RunPython(keep_what_was_read, migrations.RunPython.noop),
        migrations.RemoveConstraint("advancerelease", "release_fixed_by_the_first_look"),
        migrations.RemoveField("advancerelease", "seed"),
        migrations.RemoveField("advancerelease", "company"),
        migrations.RemoveField("advancerelease", "pack_version"),
    ]
