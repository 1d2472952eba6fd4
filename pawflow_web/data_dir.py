"""The data directory and what must never be lost with it: the key."""

import os
import re
import secrets
from pathlib import Path

from pawflow_web.env import Env, SettingError


def read_key(env: Env, *, create: bool = False) -> bytes:
    """The 32-byte key of this installation; empty when there is none. Created only on request and only in an
    installation without a database, since a new key would make every digest and every encrypted word of an
    old one unreadable. Raises :class:`SettingError` with one line."""
    try:
        return _parse_key(env)
    except FileNotFoundError:
        if not create:
            return b""
    except OSError as error:
        raise SettingError(f"{env.key_file} cannot be read: {error.strerror}.") from None
    if env.embedded and env.cluster_dir.exists():
        raise key_missing(env)
    make_data_dir(env)
    key = secrets.token_bytes(32)
    write_private(env.key_file, key.hex() + "\n")
    return key


def key_missing(env: Env) -> SettingError:
    """The refusal to touch a database whose key is not there."""
    found = env.cluster_dir if env.embedded else "a database with data"
    return SettingError(
        f"{env.key_file} is missing but {found} exists. "
        "Put the key of this installation back; a new one could not read its data."
    )


def key_differs(env: Env) -> SettingError:
    """The refusal to touch a database with a key that is not its own."""
    return SettingError(
        f"{env.key_file} is not the key that this database was written with. "
        "Put the right one back; with another its secrets cannot be opened and its refusals are not known."
    )


def make_data_dir(env: Env) -> None:
    """Create the data directory, closed to others. As root the embedded server runs under an account of its
    own, which has to walk through (0711) but cannot list. Parents that already exist stay as they are."""
    mode = 0o711 if os.geteuid() == 0 and env.embedded else 0o700
    folder = env.data_dir
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    try:
        for parent in reversed(missing):
            parent.mkdir()
            parent.chmod(mode)
        # A folder that holds other things is not ours to close: the files in it are private by themselves.
        if not missing and _is_ours(env) and folder.stat().st_mode & 0o777 != mode:
            folder.chmod(mode)
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise SettingError(f"The data directory {folder} cannot be used: {error.strerror}.") from None


def write_private(path: Path, text: str) -> None:
    """Write a new file of mode 0600 so that it is either whole on the disk or not there."""
    draft = path.with_name(f"{path.name}.{os.getpid()}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)


def _parse_key(env: Env) -> bytes:
    text = env.key_file.read_text(errors="replace").strip()
    if not re.fullmatch(r"[0-9a-f]{64}", text):
        raise SettingError(f"{env.key_file} is damaged: it must hold 64 hex digits. Put the right one back.")
    return bytes.fromhex(text)


def _is_ours(env: Env) -> bool:
    names = {entry.name for entry in env.data_dir.iterdir()}
    return not names or not names.isdisjoint({env.key_file.name, env.lock_file.name})
