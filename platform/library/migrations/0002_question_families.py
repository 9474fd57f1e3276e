from typing import Any

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models

import library.models


def name_families(apps: Any, schema_editor: Any) -> None:
    """Versions of a shipped question share its topic's id; every own question is its own family."""
    questions = apps.get_model("library", "Question").objects
    questions.filter(shipped=True).update(family=models.F("topic_id"))
    for row in questions.filter(shipped=False):
        row.family = library.models.new_family()
        row.save(update_fields=["family"])


class Migration(migrations.Migration):
    dependencies = [
        ("library", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="question",
            name="changed_by",
            field=models.ForeignKey(
                blank=True,
                editable=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="question",
            name="family",
            field=models.CharField(
                default=library.models.new_family, editable=False, max_length=40
            ),
        ),
        migrations.RunPython(name_families, migrations.RunPython.noop),
        migrations.AddConstraint(
            model_name="question",
            constraint=models.UniqueConstraint(
                fields=("family", "version"), name="question_version_once"
            ),
        ),
    ]
