"""A place of its own for a run: a database on the same server and a data directory, gone afterwards."""

import contextlib
import secrets
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote, urlencode

import psycopg
from psycopg import sql

from pawflow_web.env import Env
from pawflow_web.lib.errors import Unavailable

PREFIX = "pawflow_bench_"


@dataclass(frozen=True, slots=True)
class Scratch:
    database_url: str
    folder: Path


@contextlib.contextmanager
def scratch(env: Env) -> Iterator[Scratch]:
    """A fresh database beside the one of ``env``; both are dropped however the block ends.

    Raises :class:`Unavailable` where the role may not create a database.
    """
    name = f"{PREFIX}{secrets.token_hex(6)}"
    with contextlib.ExitStack() as stack:
        administrator = stack.enter_context(psycopg.connect(**env.connection_parameters(), autocommit=True))
        create = sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(name))
        try:
            administrator.execute(create)
        except psycopg.errors.InsufficientPrivilege:
            raise Unavailable("The role of DATABASE_URL may not create a database, which a benchmark needs.") from None
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        stack.callback(administrator.execute, drop)
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="pawflow-bench-"))
        yield Scratch(_url(env, name), Path(folder) / "data")


def _url(env: Env, name: str) -> str:
    """The same server as a ``DATABASE_URL``. Host and port stand behind the question mark, where the folder of
    a socket can stand too."""
    where = env.database()
    account = quote(where["USER"], safe="")
    if where["PASSWORD"]:
        account += f":{quote(where['PASSWORD'], safe='')}"
    place = {key: where[key.upper()] for key in ("host", "port") if where[key.upper()]}
    query = urlencode({**place, **where["OPTIONS"]}, quote_via=quote)
    return f"postgresql://{account}@/{name}" + (f"?{query}" if query else "")
