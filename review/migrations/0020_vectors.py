"""Vectors of beliefs. What has to go with a belief, or with its words, goes in the database itself."""

import django.db.models.deletion
import pgvector.django
from django.conf import settings
from django.db import migrations, models

FORWARD = """
-- A vector stands in its row: out of line, each comparison would fetch it from elsewhere.
ALTER TABLE review_itemvector ALTER COLUMN vector SET STORAGE PLAIN;
ALTER TABLE review_itemvector ADD CONSTRAINT review_itemvector_of_item
  FOREIGN KEY (item_id) REFERENCES review_governanceitem (id) ON DELETE CASCADE;

CREATE FUNCTION review_item_forget_vectors() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM review_itemvector WHERE item_id = NEW.id;
  RETURN NULL;
END $$;
CREATE TRIGGER review_item_secret_has_no_vector AFTER UPDATE OF privacy ON review_governanceitem FOR EACH ROW
  WHEN (NEW.privacy = 'secret' AND OLD.privacy <> 'secret')
  EXECUTE FUNCTION review_item_forget_vectors();
"""
BACKWARD = """
DROP TRIGGER review_item_secret_has_no_vector ON review_governanceitem;
DROP FUNCTION review_item_forget_vectors;
"""


class Migration(migrations.Migration):
    dependencies = [
        ("review", "0011_digest_places"),
        ("llm", "0001_initial"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        pgvector.django.VectorExtension(),
        migrations.CreateModel(
            name="ItemVector",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("vector", pgvector.django.HalfVectorField()),
                (
                    "item",
                    models.ForeignKey(
                        db_constraint=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="vectors",
                        to="review.governanceitem",
                    ),
                ),
                (
                    "model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="llm.embeddingmodel"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="VectorMark",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("seq", models.BigIntegerField(default=0)),
                (
                    "model",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="llm.embeddingmodel"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="itemvector",
            constraint=models.UniqueConstraint(fields=("item", "model"), name="review_itemvector_one_a_model"),
        ),
        migrations.AddIndex(
            model_name="itemvector",
            index=models.Index(fields=["user", "model"], name="review_itemvector_of_owner"),
        ),
        migrations.AddConstraint(
            model_name="vectormark",
            constraint=models.UniqueConstraint(fields=("user", "model"), name="review_vectormark_one_a_model"),
        ),
        migrations.RunSQL(FORWARD, BACKWARD),
    ]
