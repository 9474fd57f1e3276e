from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('assessments', '0012_live_sittings'),
    ]

    operations = [
        migrations.CreateModel(
            name='Presence',
            fields=[
                ('id', models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name='ID')),
                ('host', models.CharField(max_length=100)),
                ('component', models.CharField(max_length=20)),
                ('at', models.DateTimeField()),
                ('ahead_ms', models.IntegerField(db_default=0, default=0, help_text="How far the host's clock is before the database's.")),
                ('version', models.CharField(blank=True, db_default='', default='', max_length=40)),
                ('places', models.PositiveIntegerField(db_default=0, default=0, help_text='What it can hold at once, where it has places.')),
            ],
            options={
                'ordering': ['host', 'component'],
                'constraints': [models.UniqueConstraint(fields=('host', 'component'), name='one_presence_of_a_part')],
            },
        ),
    ]
