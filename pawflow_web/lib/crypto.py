"""Keyed digests and hashes. All of it depends on the installation's key, which belongs in its backup."""

import base64
import hashlib
import hmac
import secrets
from functools import lru_cache

from cryptography.fernet import Fernet
from django.conf import settings

TOKEN_PREFIX = "pf_"


@lru_cache(maxsize=32)
def _purpose_key(key: bytes, purpose: str) -> bytes:
    return hmac.digest(key, b"pawflow:" + purpose.encode(), "sha256")


def keyed_digest(purpose: str, value: str) -> str:
    """64 hex digits: HMAC-SHA-256 of ``value`` under a key derived for ``purpose``.

    Keyed, because short texts (a phone number, a city) could be found from a plain hash by trying.
    """
    return hmac.digest(_purpose_key(settings.KEY, purpose), value.encode("utf-8", "surrogatepass"), "sha256").hex()


def seal(purpose: str, text: str) -> str:
    """``text`` encrypted under a key derived for ``purpose``, for rows that must not show it."""
    return _sealer(settings.KEY, purpose).encrypt(text.encode()).decode("ascii")


def unseal(purpose: str, sealed: str) -> str:
    """What :func:`seal` sealed. Raises :class:`cryptography.fernet.InvalidToken` for anything else."""
    return _sealer(settings.KEY, purpose).decrypt(sealed.encode("ascii")).decode()


@lru_cache(maxsize=32)
def _sealer(key: bytes, purpose: str) -> Fernet:
    return Fernet(base64.urlsafe_b64encode(_purpose_key(key, f"seal:{purpose}")))


def new_token() -> str:
    """A bearer token: 256 random bits behind a recognisable prefix."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def token_digest(token: str) -> str:
    """What is stored of a token. Plain SHA-256 is enough for 256 random bits, and it is quick."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
