"""What the process environment says, read once and typed.

Every ``PAWFLOW_*`` variable the product knows is a field of :class:`Env` and a row of :data:`SETTINGS`, from
which ``docs/settings.md`` is generated. An unknown ``PAWFLOW_*`` name stops the start: a misspelt setting
that silently does nothing is worse than a refusal.
"""

import hashlib
import os
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, cast, get_args

from pawflow_web.env_recall import RECALL_SETTINGS, RecallEnv
from pawflow_web.env_values import SettingError as SettingError
from pawflow_web.env_values import SettingHelp as SettingHelp
from pawflow_web.env_values import (
    content_keys,
    endpoint,
    folders,
    for_url,
    hosts,
    one_of,
    owner_name,
    parse_database_url,
    switch,
    whole,
)

CHECKOUT = Path(__file__).resolve().parent.parent

SecretsPolicy = Literal["mark", "redact", "refuse"]
Embeddings = Literal["auto", "local", "none"]
Process = Literal["web", "worker", "prepare", "command"]

# What most servers call their usual model, or ignore.
EMBEDDING_MODEL = "text-embedding-3-small"


SETTINGS = (
    SettingHelp("PAWFLOW_DATA_DIR", "<checkout>/data", "where database, search indexes and key live"),
    SettingHelp("PAWFLOW_OWNER", "your user name", "the owner that the first start creates"),
    SettingHelp("DATABASE_URL", "embedded server", "postgresql://user:password@host:port/name"),
    SettingHelp("PAWFLOW_BASE_URL", "from host and port", "how links to this server begin"),
    SettingHelp("PAWFLOW_ALLOWED_HOSTS", "loopback and the host", "names it answers to, comma separated"),
    SettingHelp("PAWFLOW_SECRETS", "mark", "text that holds a secret: mark, redact or refuse"),
    SettingHelp(
        "PAWFLOW_CONTENT_KEYS",
        "from secret.key",
        "Fernet keys that seal secret words, the newest first, comma separated; see operations.md",
    ),
    SettingHelp("PAWFLOW_EMBEDDINGS", "auto", "search by meaning: auto (endpoint, else local model), local or none"),
    SettingHelp("PAWFLOW_EMBEDDINGS_URL", "no endpoint", "an OpenAI-compatible server: http://127.0.0.1:11434/v1"),
    SettingHelp("PAWFLOW_EMBEDDINGS_MODEL", EMBEDDING_MODEL, "the model to ask of that server"),
    SettingHelp("PAWFLOW_EMBEDDINGS_KEY", "none", "the key that server wants; never shown or logged"),
    SettingHelp("PAWFLOW_RATE_LIMIT", "6000", "calls a minute and token, 0 switches the limit off"),
    SettingHelp("PAWFLOW_SESSIONS_DIR", "none", "folders of session files that the worker reads, separated by :"),
    *RECALL_SETTINGS,
    SettingHelp("PAWFLOW_DEBUG", "off", "development mode: /styleguide/, error pages with details"),
    SettingHelp("PAWFLOW_PROCESS", "command", "set by the supervisor: web, worker, prepare or command"),
    SettingHelp("PAWFLOW_HOST", "127.0.0.1", "set by the supervisor: the address that is served"),
    SettingHelp("PAWFLOW_PORT", "8000", "set by the supervisor: the port that is served"),
)

# Names that belong to parts which are not in this version. An environment that has them already still starts.
RESERVED = frozenset(
    {
        "PAWFLOW_PROJECT_GRAPH_AUTO",
        "PAWFLOW_RELAY_HOME",
    }
)


@dataclass(frozen=True, slots=True)
class Env:
    data_dir: Path
    owner: str
    database_url: str | None
    host: str
    port: int
    base_url: str
    allowed_hosts: tuple[str, ...]
    secrets_policy: SecretsPolicy
    content_keys: tuple[bytes, ...] = field(repr=False)
    embeddings: Embeddings
    embeddings_url: str | None
    embeddings_model: str
    embeddings_key: str | None = field(repr=False)
    rate_limit: int
    sessions_dirs: tuple[Path, ...]
    recall: RecallEnv
    debug: bool
    process: Process

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None) -> "Env":
        """Read and check the environment. Raises :class:`SettingError`, one line naming the variable."""
        source = os.environ if environ is None else environ
        _refuse_unknown(source)
        host = source.get("PAWFLOW_HOST", "127.0.0.1")
        port = whole(source, "PAWFLOW_PORT", 8000, 0, 65535)
        return cls(
            data_dir=Path(source.get("PAWFLOW_DATA_DIR") or CHECKOUT / "data").expanduser().absolute(),
            owner=owner_name(source),
            database_url=source.get("DATABASE_URL") or None,
            host=host,
            port=port,
            base_url=(source.get("PAWFLOW_BASE_URL") or f"http://{for_url(host)}:{port}").rstrip("/"),
            allowed_hosts=hosts(source, host),
            secrets_policy=cast(
                "SecretsPolicy", one_of(source, "PAWFLOW_SECRETS", "mark", ("mark", "redact", "refuse"))
            ),
            content_keys=content_keys(source),
            embeddings=cast("Embeddings", one_of(source, "PAWFLOW_EMBEDDINGS", "auto", get_args(Embeddings))),
            embeddings_url=endpoint(source),
            embeddings_model=source.get("PAWFLOW_EMBEDDINGS_MODEL") or EMBEDDING_MODEL,
            embeddings_key=source.get("PAWFLOW_EMBEDDINGS_KEY") or None,
            rate_limit=whole(source, "PAWFLOW_RATE_LIMIT", 6000, 0, 10_000_000),
            sessions_dirs=folders(source, "PAWFLOW_SESSIONS_DIR"),
            recall=RecallEnv.load(source),
            debug=switch(source, "PAWFLOW_DEBUG"),
            process=cast("Process", one_of(source, "PAWFLOW_PROCESS", "command", get_args(Process))),
        )

    @property
    def embedded(self) -> bool:
        """Whether we run the database ourselves."""
        return self.database_url is None

    @property
    def search_dir(self) -> Path:
        return self.data_dir / "search"

    @property
    def node(self) -> str:
        """This machine and the folder of its indexes; nodes of one installation differ in it."""
        return f"{socket.gethostname()}:{self.search_dir}"[:300]

    @property
    def key_file(self) -> Path:
        return self.data_dir / "secret.key"

    @property
    def password_file(self) -> Path:
        return self.data_dir / "postgres.password"

    @property
    def lock_file(self) -> Path:
        """Held while the server or a command that runs the database itself is at work."""
        return self.data_dir / "up.lock"

    @property
    def location_file(self) -> Path:
        """Names the folder of the database where it does not lie in the data directory."""
        return self.data_dir / "postgres.location"

    @property
    def server_home(self) -> Path:
        """The folder that holds ``postgres/`` and ``run/`` of the embedded server: the data directory, unless
        the server's account cannot reach that one."""
        try:
            return Path(self.location_file.read_text().strip())
        except FileNotFoundError:
            return self.data_dir
        except OSError as error:
            raise SettingError(f"{self.location_file} cannot be read: {error.strerror}.") from None

    @property
    def cluster_dir(self) -> Path:
        """The embedded server's own files."""
        return self.server_home / "postgres"

    @property
    def socket_dir(self) -> Path:
        """The folder of the embedded server's socket. A socket path may have 107 bytes; a data directory that
        lies deeper than that gets a private folder in ``/tmp``: not in ``TMPDIR``, since a command may run
        with another one than the server did."""
        folder = self.server_home / "run"
        if len(os.fsencode(folder / ".s.PGSQL.5432")) <= 100:
            return folder
        digest = hashlib.sha256(os.fsencode(self.data_dir)).hexdigest()[:12]
        return Path(f"/tmp/pawflow-{os.getuid()}-{digest}")  # noqa: S108 - its owner and mode are checked

    def database(self) -> dict[str, Any]:
        """``NAME USER PASSWORD HOST PORT OPTIONS`` as in Django's ``DATABASES["default"]``."""
        if self.database_url is not None:
            return parse_database_url(self.database_url)
        try:
            password = self.password_file.read_text().strip()
        except FileNotFoundError:
            password = ""
        except OSError as error:
            raise SettingError(f"{self.password_file} cannot be read: {error.strerror}.") from None
        # The port is said although it is the usual one: PGPORT in the environment must not move it.
        return {
            "NAME": "pawflow",
            "USER": "pawflow",
            "PASSWORD": password,
            "HOST": str(self.socket_dir),
            "PORT": "5432",
            "OPTIONS": {},
        }

    def connection_parameters(self) -> dict[str, Any]:
        """The same as :func:`psycopg.connect` takes it."""
        where = self.database()
        names = {"dbname": "NAME", "user": "USER", "password": "PASSWORD", "host": "HOST", "port": "PORT"}
        given = {name: where[key] for name, key in names.items() if where[key]}
        return {"connect_timeout": 5, **given, **where["OPTIONS"]}


def _refuse_unknown(source: Mapping[str, str]) -> None:
    known = RESERVED | {row.name for row in SETTINGS}
    for name in sorted(source):
        if name.startswith("PAWFLOW_") and name not in known:
            raise SettingError(f"{name} is not a setting of PawFlow Web. docs/settings.md lists them all.")
