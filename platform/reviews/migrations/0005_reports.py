# Scores of interviews without a question set, given beside the work samples.

import django.core.validators
import django.db.models.deletion
import uuid
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("hiring", "0003_retention"),
        ("reviews", "0003_scoring_tools"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="InterviewScore",
            fields=[
                ("id", models.UUIDField(default=uuid.uuid4, editable=False, primary_key=True, serialize=False)),
                ("about", models.CharField(choices=[("experience", "Experience"), ("team", "Work in a team"), ("culture", "What the organisation values"), ("other", "Something else")], max_length=10)),
                ("score", models.PositiveSmallIntegerField(validators=[django.core.validators.MinValueValidator(1), django.core.validators.MaxValueValidator(5)])),
                ("reasons", models.TextField()),
                ("given_at", models.DateTimeField()),
                ("number", models.PositiveIntegerField(default=1)),
                ("candidate", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="interview_scores", to="hiring.candidate")),
                ("given_by", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="+", to=settings.AUTH_USER_MODEL)),
                ("opening", models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name="interview_scores", to="hiring.opening")),
            ],
            options={
                "ordering": ["given_at", "pk"],
                "constraints": [models.UniqueConstraint(fields=("opening", "candidate", "about", "given_by", "number"), name="interview_score_number_once"), models.CheckConstraint(condition=models.Q(("score__gte", 1), ("score__lte", 5)), name="interview_score_in_range"), models.CheckConstraint(condition=models.Q(("reasons", ""), _negated=True), name="interview_score_has_reasons")],
            },
        ),
    ]
