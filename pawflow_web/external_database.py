"""Whether the server behind ``DATABASE_URL`` is one that the product can use."""

import psycopg

from pawflow_web.data_dir import key_missing, read_key
from pawflow_web.env import Env, SettingError

OLDEST_SERVER = 15
# The first version whose index scans go on until enough rows pass a filter.
OLDEST_VECTOR = (0, 8)


def check(env: Env) -> bool:
    """Make sure of the server, its extension and our key, which is made for a database without our tables.
    Returns whether it was. Raises :class:`SettingError` with one line."""
    try:
        with psycopg.connect(**env.connection_parameters(), autocommit=True) as connection:
            _check_server(connection)
            _check_vector(connection)
            used = connection.execute("SELECT to_regclass('django_migrations') IS NOT NULL").fetchone() == (True,)
    except psycopg.Error as error:
        reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise SettingError(f"DATABASE_URL cannot be used: {reason}") from None
    if read_key(env):
        return False
    if used:
        raise key_missing(env)
    read_key(env, create=True)
    return True


def _check_server(connection: psycopg.Connection) -> None:
    version = connection.info.server_version // 10000
    if version < OLDEST_SERVER:
        raise SettingError(f"DATABASE_URL leads to PostgreSQL {version}; it must be {OLDEST_SERVER} or newer.")
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise SettingError(f"DATABASE_URL leads to a database in {encoding}; it must be in UTF8.")


def _check_vector(connection: psycopg.Connection) -> None:
    row = connection.execute(
        "SELECT coalesce(installed_version, default_version), installed_version IS NOT NULL"
        " FROM pg_available_extensions WHERE name = 'vector'"
    ).fetchone()
    if row is None:
        raise SettingError("DATABASE_URL leads to a server without the extension vector. Install pgvector there.")
    version, installed = row
    if tuple(int(part) for part in version.split(".")[:2]) < OLDEST_VECTOR:
        raise SettingError(f"DATABASE_URL leads to pgvector {version}; it must be 0.8 or newer.")
    if installed:
        return
    try:
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
    except psycopg.errors.InsufficientPrivilege:
        raise SettingError(
            "DATABASE_URL names a role that may not add the extension. As an administrator run there: "
            "CREATE EXTENSION vector;"
        ) from None
