from __future__ import annotations

import uuid

import django.core.validators
import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("assessments", "0013_presences"),
        ("hiring", "0011_trials_of_staff"),
    ]

    operations = [
        migrations.CreateModel(
            name="Enquiry",
            fields=[
                (
                    "id",
                    models.UUIDField(
                        default=uuid.uuid4, editable=False, primary_key=True, serialize=False
                    ),
                ),
                (
                    "about",
                    models.CharField(
                        choices=[
                            ("work", "The exercise, while the clock runs"),
                            ("feedback", "The feedback, afterwards"),
                        ],
                        default="work",
                        max_length=10,
                    ),
                ),
                ("text", models.TextField()),
                ("asked_at", models.DateTimeField()),
                (
                    "attempt",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="enquiries",
                        to="assessments.attempt",
                    ),
                ),
            ],
            options={
                "verbose_name": "question of a candidate",
                "verbose_name_plural": "questions of candidates",
                "ordering": ["asked_at", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("about", "feedback")),
                        fields=("attempt",),
                        name="one_query_about_feedback",
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="Announcement",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                ("text", models.TextField()),
                (
                    "minutes",
                    models.PositiveSmallIntegerField(
                        default=0, validators=[django.core.validators.MaxValueValidator(120)]
                    ),
                ),
                ("is_correction", models.BooleanField(default=False)),
                ("at", models.DateTimeField()),
                (
                    "by",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "enquiry",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="answers",
                        to="assessments.enquiry",
                    ),
                ),
                (
                    "exercise",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="announcements",
                        to="hiring.exercise",
                    ),
                ),
                (
                    "opening",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="announcements",
                        to="hiring.opening",
                    ),
                ),
                (
                    "to",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="told",
                        to="assessments.attempt",
                    ),
                ),
            ],
            options={
                "ordering": ["pk"],
                "indexes": [
                    models.Index(fields=["opening", "exercise"], name="announcements_of_exercise")
                ],
            },
        ),
        migrations.CreateModel(
            name="Impression",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "how",
                    models.PositiveSmallIntegerField(
                        choices=[
                            (5, "Very good"),
                            (4, "Good"),
                            (3, "So-so"),
                            (2, "Bad"),
                            (1, "Very bad"),
                        ]
                    ),
                ),
                ("text", models.TextField(blank=True)),
                ("given_at", models.DateTimeField()),
                (
                    "attempt",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="impression",
                        to="assessments.attempt",
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("how__range", (1, 5))), name="impression_1_to_5"
                    )
                ],
            },
        ),
        migrations.CreateModel(
            name="DataRequest",
            fields=[
                (
                    "id",
                    models.BigAutoField(
                        auto_created=True, primary_key=True, serialize=False, verbose_name="ID"
                    ),
                ),
                (
                    "wish",
                    models.CharField(
                        choices=[
                            ("copy", "A copy of everything"),
                            ("erasure", "Erasure of everything"),
                        ],
                        max_length=10,
                    ),
                ),
                ("asked_at", models.DateTimeField()),
                ("met_at", models.DateTimeField(blank=True, null=True)),
                (
                    "invitation",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="data_requests",
                        to="hiring.invitation",
                    ),
                ),
            ],
            options={
                "ordering": ["asked_at", "pk"],
                "constraints": [
                    models.UniqueConstraint(
                        condition=models.Q(("met_at", None)),
                        fields=("invitation", "wish"),
                        name="one_open_request_of_a_kind",
                    )
                ],
            },
        ),
    ]
