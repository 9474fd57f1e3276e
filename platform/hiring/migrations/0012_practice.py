from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


def whose() -> models.ForeignKey:
    return models.ForeignKey(
        blank=True,
        editable=False,
        help_text="The invitation whose practice room it belongs to; empty: it is none.",
        null=True,
        on_delete=django.db.models.deletion.CASCADE,
        related_name="+",
        to="hiring.invitation",
    )


class Migration(migrations.Migration):
    dependencies = [("hiring", "0011_trials_of_staff")]

    operations = [
        migrations.AddField("opening", "practice_of", whose()),
        migrations.AddField("candidate", "practice_of", whose()),
        migrations.AddField(
            "invitation",
            "practised_at",
            models.DateTimeField(
                blank=True,
                editable=False,
                help_text="When the practice room was first used; nothing else is kept of it.",
                null=True,
            ),
        ),
    ]
