from django.conf import settings
from django.db import models


class UserClock(models.Model):
    """One row per owner that every governed write locks first.

    It hands out a strictly increasing time, gapless journal numbers and the short numbers of items, and holds
    the head of the journal's chain. Made together with the user; a missing row is an error.
    """

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="clock"
    )
    at = models.DateTimeField()
    # the owner is being erased: nobody takes it any more
    closed = models.BooleanField(db_default=False)
    seq = models.BigIntegerField(default=0)
    session_seq = models.BigIntegerField(default=0)
    number = models.BigIntegerField(default=0)
    head = models.CharField(max_length=64, default="0" * 64)
