"""Ways in for a person: a link that works once, or a name and a password, throttled."""

import hashlib
import secrets
from datetime import timedelta

from django.conf import settings
from django.contrib.auth import authenticate
from django.db import transaction
from django.db.models import Q

from pawflow_web.identity.clock import now
from pawflow_web.identity.models import SignInFailure, SignInLink, User
from pawflow_web.lib.crypto import token_digest
from pawflow_web.lib.errors import RateLimited

LINK_LIFETIME = timedelta(hours=24)
# Five wrong passwords for one name, or thirty from one address, within a quarter of an hour close that door.
THROTTLE_WINDOW = timedelta(minutes=15)
FAILURES_PER_NAME = 5
FAILURES_PER_ADDRESS = 30


def create_sign_in_link(user: User) -> str:
    """The full URL of a fresh link; the only moment at which its secret can be seen."""
    secret = secrets.token_urlsafe(32)
    SignInLink.objects.create(user=user, digest=token_digest(secret), expires_at=now() + LINK_LIFETIME)
    return f"{settings.ENV.base_url}/login/once/{secret}"


def use_sign_in_link(secret: str) -> User | None:
    """The owner whom the link signs in, or None when it is unknown, used or expired. Works exactly once."""
    with transaction.atomic():
        link = (
            SignInLink.objects.select_for_update(of=("self",))
            .select_related("user")
            .filter(digest=token_digest(secret), used_at=None, expires_at__gt=now(), user__is_active=True)
            .first()
        )
        if link is None:
            return None
        link.used_at = now()
        link.save(update_fields=["used_at"])
    return link.user


def sign_in_with_password(*, name: str, password: str, address: str) -> User | None:
    """The owner with that name and password, or None.

    Raises:
        RateLimited: too many failures for this name or from this address; the same whether the name exists.
    """
    keys = {f"n:{_short(name.casefold())}": FAILURES_PER_NAME, f"a:{_short(address)}": FAILURES_PER_ADDRESS}
    since = now() - THROTTLE_WINDOW
    for key, most in keys.items():
        if SignInFailure.objects.filter(key=key, at__gt=since).count() >= most:
            raise RateLimited(
                "Too many failed attempts. Wait a quarter of an hour, or make a link with `manage.py owner link`.",
                retry_after=int(THROTTLE_WINDOW.total_seconds()),
            )
    user = authenticate(username=name, password=password)
    if isinstance(user, User):
        SignInFailure.objects.filter(key__in=keys).delete()
        return user
    SignInFailure.objects.filter(Q(at__lt=since)).delete()
    SignInFailure.objects.bulk_create([SignInFailure(key=key) for key in keys])
    return None


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]
