from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("review", "0007_sealed_words")]
    operations = [
        migrations.AddField(
            model_name="feedback",
            name="points",
            field=models.SmallIntegerField(default=0),
        ),
    ]
