"""The secrets among rejected beliefs, which new words are compared with one by one; and one index of what a belief took
the place of, where there were two."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("review", "0020_vectors")]

    operations = [
        migrations.AlterField(
            model_name="governanceitem",
            name="supersedes",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="superseders",
                to="review.governanceitem",
            ),
        ),
        migrations.AddIndex(
            model_name="governanceitem",
            index=models.Index(
                condition=models.Q(("privacy", "secret"), ("status", "rejected")),
                fields=["user", "-recorded_at", "-id"],
                name="review_item_refused_secret",
            ),
        ),
    ]
