"""Whether the key in the data directory is the one that the database was written with."""

import psycopg

from pawflow_web.data_dir import key_differs, read_key
from pawflow_web.env import Env
from pawflow_web.lib.crypto import fingerprint

_PRINT = "SELECT fingerprint FROM pawflow_web_keyprint WHERE id = 1"


def require_own_key(env: Env) -> None:
    """Raises :class:`~pawflow_web.env.SettingError`, one line, when the database knows another key.

    A database that cannot be asked or was not migrated says nothing: whoever works with it next says why.
    """
    try:
        with psycopg.connect(**env.connection_parameters(), autocommit=True) as connection:
            row = connection.execute(_PRINT).fetchone()
    except psycopg.Error:
        return
    if row is not None and row[0] != fingerprint(read_key(env)):
        raise key_differs(env)
