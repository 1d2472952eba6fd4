"""Keyed digests, hashes and sealed text. All of it depends on the installation's keys, which belong in its backup."""

import base64
import hashlib
import hmac
import secrets
from functools import lru_cache

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

TOKEN_PREFIX = "pf_"


class Unopened(ValueError):
    """No key of this installation opens it."""


@lru_cache(maxsize=32)
def _purpose_key(key: bytes, purpose: str) -> bytes:
    return hmac.digest(key, b"pawflow:" + purpose.encode(), "sha256")


def keyed_digest(purpose: str, value: str) -> str:
    """64 hex digits: HMAC-SHA-256 of ``value`` under a key derived for ``purpose``.

    Keyed, because short texts (a phone number, a city) could be found from a plain hash by trying.
    """
    return hmac.digest(_purpose_key(settings.KEY, purpose), value.encode("utf-8", "surrogatepass"), "sha256").hex()


def fingerprint(key: bytes) -> str:
    """What tells one key of an installation from another and gives nothing of it away; 64 hex digits."""
    return hmac.digest(_purpose_key(key, "fingerprint"), b"", "sha256").hex()


def seal(purpose: str, text: str) -> str:
    """``text`` encrypted under the newest content key, for rows that must not show it."""
    return _sealers(settings.CONTENT_KEYS, purpose)[0].encrypt(text.encode()).decode("ascii")


def unseal(purpose: str, sealed: str) -> str:
    """What :func:`seal` sealed for the same purpose, under any of the content keys. Raises :class:`Unopened`."""
    try:
        return MultiFernet(_sealers(settings.CONTENT_KEYS, purpose)).decrypt(sealed.encode()).decode()
    except InvalidToken:
        raise Unopened from None


def resealed(purpose: str, sealed: str) -> str | None:
    """The same under the newest key; None when it is under that one already. Raises :class:`Unopened`."""
    try:
        _sealers(settings.CONTENT_KEYS, purpose)[0].decrypt(sealed.encode())
    except InvalidToken:
        return seal(purpose, unseal(purpose, sealed))
    return None


@lru_cache(maxsize=32)
def _sealers(keys: tuple[bytes, ...], purpose: str) -> tuple[Fernet, ...]:
    """One a key, the newest first; at least one."""
    return tuple(Fernet(base64.urlsafe_b64encode(_purpose_key(key, f"seal:{purpose}"))) for key in keys)


def new_token() -> str:
    """A bearer token: 256 random bits behind a recognisable prefix."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def token_digest(token: str) -> str:
    """What is stored of a token. Plain SHA-256 is enough for 256 random bits, and it is quick."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
