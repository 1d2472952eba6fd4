"""Reading single values of the process environment, each refused in one line that names its variable."""

import getpass
import os
import re
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from pawflow_web.identity.names import NAME_RULE, is_name

# What may follow the question mark of DATABASE_URL, besides where and who.
_LIBPQ_PARAMETERS = {
    *(
        "application_name",
        "channel_binding",
        "connect_timeout",
        "gssencmode",
        "keepalives",
        "keepalives_count",
    ),
    *("keepalives_idle", "keepalives_interval", "options", "require_auth", "sslcert", "sslkey", "sslmode"),
    *("sslnegotiation", "sslrootcert", "target_session_attrs", "tcp_user_timeout"),
}


class SettingHelp(NamedTuple):
    """A row of the page of settings."""

    name: str
    default: str
    meaning: str


class SettingError(Exception):
    """A setting that cannot be used; the message is one line for a person."""


def _user_name() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = ""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:64] or "owner"


def owner_name(source: Mapping[str, str]) -> str:
    name = source.get("PAWFLOW_OWNER") or _user_name()
    if not is_name(name):
        raise SettingError(f"PAWFLOW_OWNER is {name!a}; it must be {NAME_RULE}.")
    return name


def for_url(host: str) -> str:
    shown = "127.0.0.1" if host in {"0.0.0.0", "::", ""} else host  # noqa: S104 - compared, not bound
    return f"[{shown}]" if ":" in shown else shown


def hosts(source: Mapping[str, str], host: str) -> tuple[str, ...]:
    given = [name.strip() for name in source.get("PAWFLOW_ALLOWED_HOSTS", "").split(",") if name.strip()]
    own = [] if host in {"0.0.0.0", "::", ""} else [for_url(host)]  # noqa: S104 - compared, not bound
    base = urlsplit(source.get("PAWFLOW_BASE_URL", "")).hostname
    return tuple(dict.fromkeys([*given, *own, *([base] if base else []), "127.0.0.1", "localhost", "[::1]"]))


def content_keys(source: Mapping[str, str]) -> tuple[bytes, ...]:
    given = [key.strip() for key in source.get("PAWFLOW_CONTENT_KEYS", "").split(",") if key.strip()]
    for number, key in enumerate(given, start=1):
        if not re.fullmatch(r"[A-Za-z0-9_-]{43}=", key):
            raise SettingError(
                f"Key {number} in PAWFLOW_CONTENT_KEYS is no Fernet key: 32 bytes in URL-safe base64, 44 characters."
            )
    return tuple(urlsafe_b64decode(key) for key in given)


def endpoint(source: Mapping[str, str]) -> str | None:
    url = source.get("PAWFLOW_EMBEDDINGS_URL") or None
    if url is None:
        for name in ("PAWFLOW_EMBEDDINGS_MODEL", "PAWFLOW_EMBEDDINGS_KEY"):
            if source.get(name):
                raise SettingError(f"{name} says nothing without PAWFLOW_EMBEDDINGS_URL.")
        return None
    wrong = SettingError("PAWFLOW_EMBEDDINGS_URL must look like http://host:port/v1, without a user or a query.")
    try:
        parts = urlsplit(url)
        well_formed = parts.port is None or parts.port > 0
    except ValueError:
        raise wrong from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.username or parts.query or not well_formed:
        raise wrong
    return url.rstrip("/")


def one_of(source: Mapping[str, str], name: str, default: str, choices: tuple[str, ...]) -> str:
    value = source.get(name) or default
    if value not in choices:
        raise SettingError(f"{name} is {value!a}; it must be one of {', '.join(choices)}.")
    return value


def whole(source: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    text = source.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise SettingError(f"{name} is {text!a}; it must be a whole number from {least} to {most}.")
    return int(text)


def switch(source: Mapping[str, str], name: str) -> bool:
    value = (source.get(name) or "off").lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise SettingError(f"{name} is {value!a}; it must be on or off.")


def parse_database_url(url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query))
    unknown = sorted(query.keys() - _LIBPQ_PARAMETERS - {"host", "port", "user", "password"})
    if unknown:
        raise SettingError(f"DATABASE_URL holds {unknown[0]!a}, which is no parameter that is known here.")
    if parts.scheme not in {"postgresql", "postgres"} or not parts.path.strip("/"):
        raise SettingError("DATABASE_URL must look like postgresql://user:password@host:port/name.")
    try:
        port = parts.port
    except ValueError:
        raise SettingError("DATABASE_URL holds a port that is not a number.") from None
    return {
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or "") or query.get("user", ""),
        "PASSWORD": unquote(parts.password or "") or query.get("password", ""),
        "HOST": unquote(parts.hostname or "") or query.get("host", ""),
        "PORT": str(port or "") or query.get("port", ""),
        "OPTIONS": {name: value for name, value in query.items() if name in _LIBPQ_PARAMETERS},
    }


def folders(source: Mapping[str, str], name: str) -> tuple[Path, ...]:
    """Absolute folders, separated as in PATH; ``~`` is the home of whoever runs the process."""
    given = [part for part in (source.get(name) or "").split(os.pathsep) if part]
    found = tuple(Path(part).expanduser() for part in given)
    for part, path in zip(given, found, strict=True):
        if not path.is_absolute():
            raise SettingError(f"{name} names {part[:100]!r}; it must be an absolute folder.")
    return found
