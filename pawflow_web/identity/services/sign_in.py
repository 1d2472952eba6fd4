"""Ways in for a person: a link that works once, or a name and a password, throttled."""

import hashlib
import secrets
import threading
from datetime import timedelta

from django.conf import settings
from django.contrib.auth import authenticate
from django.db import connection, transaction

from pawflow_web.identity.clock import now
from pawflow_web.identity.models import SignInFailure, SignInLink, User
from pawflow_web.identity.services.owners import require_open
from pawflow_web.lib.crypto import token_digest
from pawflow_web.lib.errors import RateLimited

LINK_LIFETIME = timedelta(hours=24)
# Five wrong passwords for one name, or thirty from one address, within a quarter of an hour close that door.
THROTTLE_WINDOW = timedelta(minutes=15)
FAILURES_PER_NAME = 5
FAILURES_PER_ADDRESS = 30
_PATIENCE_S = 2.0
_checks = threading.BoundedSemaphore(2)


def create_sign_in_link(user: User) -> str:
    """The full URL of a fresh link; the only moment at which its secret can be seen.

    Raises :class:`Conflict` for an account that is shut.
    """
    require_open(user)
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
    # Counted before it is tried: many at once must not all pass the count before the first has failed.
    tries = SignInFailure.objects.bulk_create([SignInFailure(key=key) for key in keys])
    for key, most in keys.items():
        if SignInFailure.objects.filter(key=key, at__gt=since).count() > most:
            SignInFailure.objects.filter(pk__in=[row.pk for row in tries]).delete()
            raise RateLimited(
                "Too many failed attempts. Wait a quarter of an hour, or make a link with `manage.py owner link`.",
                retry_after=int(THROTTLE_WINDOW.total_seconds()),
            )
    user = _checked(name, password)
    if user is not None:
        SignInFailure.objects.filter(key__in=keys).delete()
        return user
    SignInFailure.objects.filter(at__lt=since).delete()
    return None


def forget_old_sign_ins() -> None:
    """Drop links past their day, which answer like links that never were, and failures past their window."""
    SignInLink.objects.filter(expires_at__lt=now()).delete()
    SignInFailure.objects.filter(at__lt=now() - THROTTLE_WINDOW).delete()


def _checked(name: str, password: str) -> User | None:
    """Compare the password. It takes its time by design, so only a few at once, and none of them keeps a
    connection that an agent could use."""
    if not connection.in_atomic_block:
        connection.close()
    if not _checks.acquire(timeout=_PATIENCE_S):
        raise RateLimited("Too many people sign in at this moment. Try again.", retry_after=1)
    try:
        user = authenticate(username=name, password=password)
    finally:
        _checks.release()
    return user if isinstance(user, User) else None


def _short(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:40]
