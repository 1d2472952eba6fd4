from django.conf import settings
from django.db import models


class Theme(models.TextChoices):
    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


class Density(models.TextChoices):
    COMFORTABLE = "comfortable"
    COMPACT = "compact"


class UserSettings(models.Model):
    """How one person wants the dashboard, and the time zone in which their dates are read."""

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, primary_key=True, related_name="preferences"
    )
    time_zone = models.CharField(max_length=64, default="UTC")
    theme = models.CharField(max_length=8, choices=Theme, default=Theme.SYSTEM)
    density = models.CharField(max_length=12, choices=Density, default=Density.COMFORTABLE)
    single_keys = models.BooleanField(default=True)
    # when they last had the Overview before them, and the end of the visit before that one: what the feed begins with
    last_looked_at = models.DateTimeField(null=True)
    looked_until = models.DateTimeField(null=True)
    # the steps of setting up are done, or the person wants to see them no more
    setup_closed_at = models.DateTimeField(null=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(theme__in=Theme.values), name="identity_usersettings_theme"),
            models.CheckConstraint(
                condition=models.Q(density__in=Density.values), name="identity_usersettings_density"
            ),
        ]
