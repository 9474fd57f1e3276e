from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("library", "0003_company_profile")]

    operations = [
        migrations.RemoveConstraint(model_name="question", name="shipped_question_once"),
        *(
            migrations.AddField(
                model_name="question",
                name=name,
                field=models.JSONField(blank=True, db_default=[], default=list),
            )
            for name in ("follow_up_answers", "weak_answers", "red_flags")
        ),
    ]
