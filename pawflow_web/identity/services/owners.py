"""Owners: the people whose memory this is."""

from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from pawflow_web.identity.models import User, UserClock, UserSettings
from pawflow_web.identity.names import check_name
from pawflow_web.lib.errors import Conflict


def create_owner(name: str) -> User:
    """A new owner with a clock and settings, without a password: the way in is a sign-in link.

    Raises:
        Invalid: the name is not 1..64 of letters, digits, ``.``, ``_``, ``-``.
        Conflict: the name is taken.
    """
    check_name(name, field="name")
    try:
        with transaction.atomic():
            user = User.objects.create_user(name)
            UserClock.objects.create(user=user, at=Now())
            UserSettings.objects.create(user=user)
    except IntegrityError as error:
        raise Conflict(f"There is already an owner called {name}.", fields={"name": name}) from error
    return user


def require_open(user: User) -> None:
    """Raises :class:`Conflict` for an account that is shut: what is made for it would open nothing."""
    if not user.is_active:
        raise Conflict(f"{user.username} is shut, or is being erased.", fields={"owner": user.username})


def ensure_owner(name: str) -> tuple[User, bool]:
    """The owner of that name, and whether this call made it."""
    existing = User.objects.filter(username=name).first()
    if existing is not None:
        return existing, False
    return create_owner(name), True
