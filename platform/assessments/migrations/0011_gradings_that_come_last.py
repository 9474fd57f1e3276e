from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("assessments", "0010_factor_of_each_round")]

    operations = [
        migrations.AddField(
            model_name="gradingrun",
            name="comes_last",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Begun only while no other grading waits: nobody waits for this one.",
            ),
        )
    ]
