from django.conf import settings
from django.db import migrations, models

from pawflow_web.lib.crypto import fingerprint


def keep_fingerprint(apps, schema_editor):
    apps.get_model("pawflow_web", "KeyPrint").objects.create(pk=1, fingerprint=fingerprint(settings.KEY))


class Migration(migrations.Migration):
    # Which has found that the key fits what is there already.
    dependencies = [("review", "0010_seal_secrets")]

    operations = [
        migrations.CreateModel(
            name="KeyPrint",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("fingerprint", models.CharField(max_length=64)),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("pk", 1)), name="pawflow_web_keyprint_one_row")
                ],
            },
        ),
        migrations.RunPython(keep_fingerprint, migrations.RunPython.noop),
    ]
