from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.db.models.functions import Now

from pawflow_web.identity.models.agent import Agent
from pawflow_web.identity.querysets import ApiTokenQuerySet
from pawflow_web.lib.ids import new_ref


class Ability(models.TextChoices):
    READ = "read"
    WRITE = "write"
    RELAY = "relay"
    REVIEW = "review"


class TokenOrigin(models.TextChoices):
    USER_CHANNEL = "user_channel"
    AUTOMATION = "automation"


class ApiToken(models.Model):
    """A bearer token: who it speaks for, where its words come from and what it may do. Only its hash is kept."""

    ref = models.CharField(max_length=12, unique=True, default=new_ref)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="tokens")
    # null: the token of the person, not of an agent
    agent = models.ForeignKey(Agent, on_delete=models.PROTECT, null=True, related_name="tokens")
    # null: nobody said; treated as automation, the stricter of the two
    origin = models.CharField(max_length=16, choices=TokenOrigin, null=True)  # noqa: DJ001 - "unknown" is a value
    digest = models.CharField(max_length=64, unique=True)
    abilities = ArrayField(models.CharField(max_length=8, choices=Ability))
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField(null=True)
    last_used_at = models.DateTimeField(null=True)
    revoked_at = models.DateTimeField(null=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=models.Q(origin__isnull=True) | models.Q(origin__in=TokenOrigin.values),
                name="identity_apitoken_origin",
            ),
            models.CheckConstraint(
                condition=models.Q(abilities__contained_by=Ability.values, abilities__len__gte=1),
                name="identity_apitoken_abilities",
            ),
            # Deciding over beliefs belongs to people.
            models.CheckConstraint(
                condition=models.Q(agent__isnull=True) | ~models.Q(abilities__contains=["review"]),
                name="identity_apitoken_review_is_for_people",
            ),
        ]
        indexes = [models.Index(fields=["user", "-created_at"], name="identity_apitoken_list")]
