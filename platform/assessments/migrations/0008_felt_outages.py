from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('assessments', '0007_prepared_variants'),
    ]

    operations = [
        migrations.AddField(
            model_name='pulse',
            name='slow_since',
            field=models.DateTimeField(help_text='Since when the site answers too slowly; not credited yet.', null=True),
        ),
    ]
