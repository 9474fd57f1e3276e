from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


def whose() -> models.ForeignKey:
    return models.ForeignKey(
        blank=True,
        editable=False,
        help_text="The member of staff who tries an exercise out; empty: it is for real.",
        null=True,
        on_delete=django.db.models.deletion.PROTECT,
        related_name="+",
        to=settings.AUTH_USER_MODEL,
    )


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("hiring", "0010_evaluators_and_repeats"),
    ]

    operations = [
        migrations.AddField("opening", "trial_by", whose()),
        migrations.AddField("candidate", "trial_by", whose()),
    ]
