"""What happens between ``manage.py`` and Django: which command needs a database, and who runs it.

A command finds the server of a running ``up``. Without one it runs the embedded server for its own duration.
Commands that need no database start nothing and can be used in a fresh checkout.
"""

import contextlib
import json
import os
import sys
import time
from collections.abc import Iterator, Sequence

from pawflow_web import supervisor
from pawflow_web.data_dir import key_missing, read_key
from pawflow_web.env import Env, SettingError
from pawflow_web.instance import Holder, acquire
from pawflow_web.postgres import Server

# An `up` that starts for the first time is waited for; so is another command.
LOCK_SECONDS = 60.0

WITHOUT_DATABASE = {
    "check",
    "collectstatic",
    "compilemessages",
    "diffsettings",
    "docs",
    "findstatic",
    "help",
    "makemessages",
    "makemigrations",
    "startapp",
    "version",
    "--version",
}
MAKES_KEY = {"migrate", "owner", "prepare"}


def main(argv: Sequence[str]) -> int:
    """Run one command. A refusal is one line on standard error and, with ``--json``, an error object."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "pawflow_web.settings")
    try:
        return _run(list(argv))
    except SettingError as error:
        sys.stderr.write(f"{error}\n")
        if "--json" in argv:
            body = {"error": {"code": "unavailable", "message": str(error), "fields": {}}}
            sys.stdout.write(json.dumps(body) + "\n")
        return 1


def _run(argv: list[str]) -> int:
    name = argv[1] if len(argv) > 1 else "help"
    if name == "up":
        return supervisor.main(argv[2:])
    if name == "collectstatic":
        # As with `prepare`: only then does the storage write the hashed names that web looks up.
        os.environ.setdefault("PAWFLOW_PROCESS", "prepare")
    env = Env.load()
    if name in WITHOUT_DATABASE or {"--help", "-h"} & set(argv):
        _execute(argv)
        return 0
    os.umask(0o077)
    with _database(env, name) as fresh:
        _require_own_key(env)
        if name == "prepare":
            os.environ["PAWFLOW_PROCESS"] = "prepare"
        if fresh and name == "owner":
            _execute([argv[0], "migrate", "--verbosity", "0"])
        _execute(argv)
    return 0


@contextlib.contextmanager
def _database(env: Env, name: str) -> Iterator[bool]:
    """A database for the duration; yields whether the installation is new."""
    if env.process != "command":
        # A child of the supervisor, which runs the embedded server.
        yield name == "prepare" and not env.embedded and _ready_external(env)
        return
    if name not in MAKES_KEY and not read_key(env):
        if env.embedded and env.cluster_dir.exists():
            raise key_missing(env)
        raise SettingError(f"There is no installation in {env.data_dir} yet. `make up` makes one.")
    if not env.embedded:
        yield name in MAKES_KEY and _ready_external(env)
        return
    found = acquire(env, "command", yield_to=_serves, seconds=LOCK_SECONDS, pause=time.sleep)
    if isinstance(found, Holder):
        # Links that the command makes must lead to where the server really listens.
        os.environ.setdefault("PAWFLOW_HOST", found.host)
        os.environ.setdefault("PAWFLOW_PORT", str(found.port))
        yield False
        return
    server = Server(env)
    try:
        server.locate()
        fresh = not env.cluster_dir.exists()
        read_key(env, create=name in MAKES_KEY)
        server.start()
        found.tell(state="running")
        yield fresh
    finally:
        server.stop()
        found.release()


def _serves(holder: Holder) -> bool:
    return holder.role == "up" and holder.state == "running"


def _ready_external(env: Env) -> bool:
    from pawflow_web.external_database import check  # noqa: PLC0415 - a driver that the embedded start spares

    return check(env)


def _require_own_key(env: Env) -> None:
    from pawflow_web.key_check import require_own_key  # noqa: PLC0415 - a driver that other commands spare

    require_own_key(env)


def _execute(argv: list[str]) -> None:
    from django.core.management import execute_from_command_line  # noqa: PLC0415 - only now is a database there
    from django.db import OperationalError, ProgrammingError  # noqa: PLC0415 - as above

    try:
        execute_from_command_line(argv)
    except OperationalError as error:
        raise SettingError(f"The database is away: {str(error).strip().splitlines()[0]}") from None
    except ProgrammingError as error:
        if getattr(error.__cause__, "sqlstate", None) not in {"42P01", "42703"}:  # undefined table, column
            raise
        raise SettingError("The database is older than this version. `manage.py migrate` updates it.") from None
