"""What the database itself refuses, whoever asks: rewriting words, and rewriting the journal."""

from django.db import migrations

FORWARD = """
CREATE FUNCTION review_item_guard() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'words, origin, ref, number and owner of an item never change' USING ERRCODE = '23514';
END $$;
CREATE TRIGGER review_item_immutable BEFORE UPDATE ON review_governanceitem FOR EACH ROW
  WHEN (OLD.text IS DISTINCT FROM NEW.text OR OLD.words_mac <> NEW.words_mac
    OR OLD.text_digest <> NEW.text_digest OR OLD.origin <> NEW.origin OR OLD.ref <> NEW.ref
    OR OLD.number <> NEW.number OR OLD.user_id <> NEW.user_id OR OLD.kind <> NEW.kind
    OR OLD.recorded_at <> NEW.recorded_at)
  EXECUTE FUNCTION review_item_guard();

CREATE FUNCTION review_journal_guard() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  wanted text := coalesce(current_setting('pawflow.erase', true), '');
BEGIN
  IF TG_OP = 'TRUNCATE' THEN
    IF coalesce(current_setting('pawflow.truncate', true), '') = 'on' THEN
      RETURN NULL;
    END IF;
    RAISE EXCEPTION 'the journal is append-only' USING ERRCODE = '23514';
  END IF;
  IF TG_OP = 'DELETE' THEN
    IF wanted = 'user:' || OLD.user_id THEN
      RETURN OLD;
    END IF;
    IF TG_TABLE_NAME = 'review_journalpayload' AND wanted = 'item:' || OLD.item_id THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'the journal is append-only' USING ERRCODE = '23514';
END $$;
CREATE TRIGGER review_journalentry_append_only BEFORE UPDATE OR DELETE ON review_journalentry
  FOR EACH ROW EXECUTE FUNCTION review_journal_guard();
CREATE TRIGGER review_journalpayload_append_only BEFORE UPDATE OR DELETE ON review_journalpayload
  FOR EACH ROW EXECUTE FUNCTION review_journal_guard();
CREATE TRIGGER review_journalentry_no_truncate BEFORE TRUNCATE ON review_journalentry
  FOR EACH STATEMENT EXECUTE FUNCTION review_journal_guard();
CREATE TRIGGER review_journalpayload_no_truncate BEFORE TRUNCATE ON review_journalpayload
  FOR EACH STATEMENT EXECUTE FUNCTION review_journal_guard();
"""

BACKWARD = """
DROP TRIGGER review_journalpayload_no_truncate ON review_journalpayload;
DROP TRIGGER review_journalentry_no_truncate ON review_journalentry;
DROP TRIGGER review_journalpayload_append_only ON review_journalpayload;
DROP TRIGGER review_journalentry_append_only ON review_journalentry;
DROP FUNCTION review_journal_guard;
DROP TRIGGER review_item_immutable ON review_governanceitem;
DROP FUNCTION review_item_guard;
"""


class Migration(migrations.Migration):
    dependencies = [("review", "0001_initial")]
    operations = [migrations.RunSQL(FORWARD, BACKWARD)]
