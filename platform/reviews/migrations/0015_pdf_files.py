import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    """What the code calls it changes; the table keeps its name, which servers of the release before still ask."""

    dependencies = [
        ('hiring', '0009_messages'),
        ('reviews', '0014_answers_compared_and_reports_shared'),
    ]

    operations = [
        migrations.AlterModelTable(name='paper', table='reviews_paper'),
        migrations.RenameModel(old_name='Paper', new_name='PdfFile'),
        migrations.AlterField(
            model_name='pdffile',
            name='candidate',
            field=models.ForeignKey(
                null=True,
                on_delete=django.db.models.deletion.CASCADE,
                related_name='pdf_files',
                to='hiring.candidate',
            ),
        ),
    ]
