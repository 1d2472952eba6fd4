"""The project of a conversation had two indexes of one column."""

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("conversations", "0002_flagged")]

    operations = [
        migrations.AlterField(
            model_name="conversation",
            name="project",
            field=models.ForeignKey(
                db_index=False,
                null=True,
                on_delete=django.db.models.deletion.PROTECT,
                related_name="conversations",
                to="conversations.project",
            ),
        ),
    ]
