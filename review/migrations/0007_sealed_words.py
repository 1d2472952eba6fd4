"""Words stay as they were said; only while they are secret may the row hold them sealed instead."""

from django.db import migrations

_TRIGGER = """
DROP TRIGGER review_item_immutable ON review_governanceitem;
CREATE TRIGGER review_item_immutable BEFORE UPDATE ON review_governanceitem FOR EACH ROW
  WHEN (({text}) OR OLD.words_mac <> NEW.words_mac
    OR OLD.text_digest <> NEW.text_digest OR OLD.origin <> NEW.origin OR OLD.ref <> NEW.ref
    OR OLD.number <> NEW.number OR OLD.user_id <> NEW.user_id OR OLD.kind <> NEW.kind
    OR OLD.recorded_at <> NEW.recorded_at)
  EXECUTE FUNCTION review_item_guard();
"""
# Sealing, opening and a change of key rewrite the column; words_mac still says which words they are.
FORWARD = _TRIGGER.format(
    text="OLD.text IS DISTINCT FROM NEW.text AND OLD.privacy <> 'secret' AND NEW.privacy <> 'secret'"
)
BACKWARD = _TRIGGER.format(text="OLD.text IS DISTINCT FROM NEW.text")


class Migration(migrations.Migration):
    dependencies = [("review", "0006_decisions_and_use")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
