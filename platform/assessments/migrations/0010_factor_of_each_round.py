from django.db import migrations, models
from django.db.models import F


def part_the_rounds(apps, schema_editor):
    """Until now a revision wrote its factor over the first round's, which the accommodations still tell."""
    Attempt = apps.get_model("assessments", "Attempt")
    Attempt.objects.filter(round=2).update(revision_multiplier=F("multiplier"))
    Accommodation = apps.get_model("hiring", "Accommodation")
    revised = Attempt.objects.filter(round=2).exclude(multiplier=1)
    for attempt in revised.select_related("invitation").iterator():
        known = Accommodation.objects.filter(
            candidate=attempt.invitation.candidate_id, granted_at__lte=attempt.started_at
        )
        latest = known.order_by("granted_at", "pk").last()
        attempt.multiplier = latest.multiplier if latest else 1
        attempt.save(update_fields=["multiplier"])


def join_the_rounds(apps, schema_editor):
    revised = apps.get_model("assessments", "Attempt").objects.exclude(revision_multiplier=None)
    revised.update(multiplier=F("revision_multiplier"))


class Migration(migrations.Migration):
    dependencies = [
        ("assessments", "0009_losses_and_stops"),
        ("hiring", "0006_who_oversees_openings"),
    ]

    operations = [
        migrations.AddField(
            model_name="attempt",
            name="revision_multiplier",
            field=models.DecimalField(
                blank=True,
                decimal_places=2,
                help_text="The same when the revision began; empty: none has begun.",
                max_digits=3,
                null=True,
            ),
        ),
        migrations.AlterField(
            model_name="attempt",
            name="multiplier",
            field=models.DecimalField(
                decimal_places=2,
                default=1,
                help_text="The person's factor of time when round 1 began.",
                max_digits=3,
            ),
        ),
        migrations.RunPython(part_the_rounds, join_the_rounds),
    ]
