"""Secrets that lie in their rows as text are sealed, with the key that the rows were written with."""

import json

from django.conf import settings
from django.db import migrations

from pawflow_web.data_dir import key_differs
from pawflow_web.lib.crypto import Unopened, keyed_digest, seal, unseal

_PURPOSE = "words"


def seal_all(apps, schema_editor):
    items = apps.get_model("review", "GovernanceItem").objects.order_by("pk")
    _require_key_of(items.exclude(privacy="secret").filter(kind="note").first())
    _rewrite(items, lambda text: text if _opened(text) is not None else seal(_PURPOSE, text))


def open_all(apps, schema_editor):
    _rewrite(apps.get_model("review", "GovernanceItem").objects.order_by("pk"), lambda text: unseal(_PURPOSE, text))


def _rewrite(items, change):
    for pk, text in items.filter(privacy="secret").values_list("pk", "text").iterator(500):
        items.filter(pk=pk).update(text=change(text))


def _opened(text):
    try:
        return unseal(_PURPOSE, text)
    except Unopened:
        return None


def _require_key_of(item):
    """Sealed with another key than the one that the database knows, the words would be lost at the next start."""
    if item is not None and item.words_mac != keyed_digest("words", json.dumps([item.text])):
        raise key_differs(settings.ENV)


class Migration(migrations.Migration):
    dependencies = [("review", "0009_erasing_entries")]
    operations = [migrations.RunPython(seal_all, open_all)]
