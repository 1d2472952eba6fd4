"""What the installation as a whole keeps in its database."""

from django.db import models


class KeyPrint(models.Model):
    """The fingerprint of the ``secret.key`` that this database was written with. One row, made with the table."""

    fingerprint = models.CharField(max_length=64)

    class Meta:
        constraints = [models.CheckConstraint(condition=models.Q(pk=1), name="pawflow_web_keyprint_one_row")]
