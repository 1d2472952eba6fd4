from django.contrib.auth.models import AbstractUser
from django.core.validators import RegexValidator
from django.db import models

from pawflow_web.identity.names import NAME_PATTERN


class User(AbstractUser):
    """An owner: a person whose agents share one memory. Every governed row belongs to exactly one."""

    username = models.CharField("name", max_length=64, unique=True, validators=[RegexValidator(rf"^{NAME_PATTERN}\Z")])

    class Meta:
        db_table = "identity_user"
