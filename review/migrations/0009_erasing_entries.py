from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("review", "0008_feedback_points"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddIndex(
            model_name="journalentry",
            index=models.Index(
                condition=models.Q(("event__in", ("purge", "sealed"))),
                fields=["user", "seq"],
                name="review_journal_erasing",
            ),
        ),
    ]
