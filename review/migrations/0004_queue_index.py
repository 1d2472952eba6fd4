from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("review", "0003_import_progress")]
    operations = [
        migrations.AddIndex(
            model_name="governanceitem",
            index=models.Index(
                condition=models.Q(("status__in", ["needs_review", "candidate"])),
                fields=["user", "status", "reason"],
                include=("id", "contradicts", "number"),
                name="review_item_queue",
            ),
        ),
    ]
