"""Loaded before everything else (``-p`` in pyproject.toml): a data directory and a database for the tests.

Without ``DATABASE_URL`` our own embedded server runs for the duration, under the code that the product uses,
only without waiting for the disk.
"""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import pytest

from pawflow_web.data_dir import read_key
from pawflow_web.env import Env
from pawflow_web.postgres import Server

# The journal refuses TRUNCATE; emptying the tables between transactional tests is the one exception.
LET_TESTS_TRUNCATE = "-c pawflow.truncate=on"
_MORE_TIMES = 3


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> None:
    """Runs before Django's settings are read, which hold the key and the password."""
    if early_config.known_args_namespace.help:
        return
    # Beside the system's temporary files and short: a socket path may have no more than 107 bytes.
    folder = Path(tempfile.mkdtemp(prefix="pawflow-tests-"))
    early_config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    folder.chmod(0o711)
    for name in [name for name in os.environ if name.startswith("PAWFLOW_")]:
        del os.environ[name]
    os.environ["PAWFLOW_DATA_DIR"] = str(folder / "data")
    # A model on this machine must not change what the tests of everything else see.
    os.environ["PAWFLOW_EMBEDDINGS"] = "none"
    env = Env.load()
    read_key(env, create=True)
    # Where the tests are spread over processes, each of them comes here too, and the one that only hands them out
    # needs no database.
    spread = getattr(early_config.known_args_namespace, "numprocesses", None)
    hands_out = spread and "PYTEST_XDIST_WORKER" not in os.environ
    if env.embedded and not hands_out:
        server = Server(env, durable=False)
        early_config.add_cleanup(server.stop)
        server.start()


def pytest_configure() -> None:
    from django.conf import settings

    options = settings.DATABASES["default"]["OPTIONS"]
    options["options"] = f"{options.get('options', '')} {LET_TESTS_TRUNCATE}".strip()
    _empty_again_when_in_the_way()


def _empty_again_when_in_the_way() -> None:
    """A server of the tests may still be reading for a page that was closed: emptying the tables under it can end
    as a deadlock, and what was not emptied would fail the tests that follow."""
    from django.db import OperationalError
    from django.db.backends.postgresql.operations import DatabaseOperations

    empty = DatabaseOperations.execute_sql_flush

    def empty_again(self: DatabaseOperations, sql_list: list[str]) -> None:
        for _ in range(_MORE_TIMES):
            with suppress(OperationalError):
                return empty(self, sql_list)
        return empty(self, sql_list)

    DatabaseOperations.execute_sql_flush = empty_again
