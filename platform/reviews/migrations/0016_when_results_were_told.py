"""When each result was told: of those from before, when its message was queued."""

from django.db import migrations, models

RESULTS = ("result_onward", "result_declined")


def from_messages(apps, schema_editor):
    told = apps.get_model("hiring", "Message").objects.filter(
        occasion__in=RESULTS, subject_key__startswith="decision "
    )
    for key, at in told.order_by("-queued_at").values_list("subject_key", "queued_at").iterator():
        decision = key.removeprefix("decision ").partition(" again ")[0]
        apps.get_model("reviews", "Decision").objects.filter(pk=decision).update(told_at=at)


class Migration(migrations.Migration):
    dependencies = [
        ("hiring", "0016_live_cluster_kind"),
        ("reviews", "0015_pdf_files"),
    ]

    operations = [
        migrations.AddField(
            model_name="decision",
            name="told_at",
            field=models.DateTimeField(
                blank=True,
                help_text="When the candidate was told of it, or somebody noted that they know.",
                null=True,
            ),
        ),
        migrations.RunPython(from_messages, migrations.RunPython.noop),
    ]
