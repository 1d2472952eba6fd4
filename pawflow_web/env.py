"""What the process environment says, read once and typed.

Every ``PAWFLOW_*`` variable the product knows is a field of :class:`Env` and a row of :data:`SETTINGS`, from
which ``docs/settings.md`` is generated. An unknown ``PAWFLOW_*`` name stops the start: a misspelt setting
that silently does nothing is worse than a refusal.
"""

import getpass
import hashlib
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args
from urllib.parse import parse_qsl, unquote, urlsplit

from pawflow_web.identity.names import NAME_RULE, is_name

CHECKOUT = Path(__file__).resolve().parent.parent

SecretsPolicy = Literal["mark", "redact", "refuse"]
Process = Literal["web", "worker", "prepare", "command"]
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
    name: str
    default: str
    meaning: str


SETTINGS = (
    SettingHelp("PAWFLOW_DATA_DIR", "<checkout>/data", "where database, search indexes and key live"),
    SettingHelp("PAWFLOW_OWNER", "your user name", "the owner that the first start creates"),
    SettingHelp("DATABASE_URL", "embedded server", "postgresql://user:password@host:port/name"),
    SettingHelp("PAWFLOW_BASE_URL", "from host and port", "how links to this server begin"),
    SettingHelp("PAWFLOW_ALLOWED_HOSTS", "loopback and the host", "names it answers to, comma separated"),
    SettingHelp("PAWFLOW_SECRETS", "mark", "text that holds a secret: mark, redact or refuse"),
    SettingHelp("PAWFLOW_RATE_LIMIT", "6000", "calls a minute and token, 0 switches the limit off"),
    SettingHelp("PAWFLOW_DEBUG", "off", "development mode: /styleguide/, error pages with details"),
    SettingHelp("PAWFLOW_PROCESS", "command", "set by the supervisor: web, worker, prepare or command"),
    SettingHelp("PAWFLOW_HOST", "127.0.0.1", "set by the supervisor: the address that is served"),
    SettingHelp("PAWFLOW_PORT", "8000", "set by the supervisor: the port that is served"),
)

# Names that belong to parts which are not in this version. An environment that has them already still starts.
RESERVED = frozenset(
    {
        "PAWFLOW_CONTENT_KEYS",
        "PAWFLOW_EMBEDDINGS",
        "PAWFLOW_EMBEDDINGS_KEY",
        "PAWFLOW_EMBEDDINGS_MODEL",
        "PAWFLOW_EMBEDDINGS_URL",
        "PAWFLOW_PROJECT_GRAPH_AUTO",
        "PAWFLOW_RELAY_HOME",
    }
)


class SettingError(Exception):
    """A setting that cannot be used; the message is one line for a person."""


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
    rate_limit: int
    debug: bool
    process: Process

    @classmethod
    def load(cls, environ: Mapping[str, str] | None = None) -> "Env":
        """Read and check the environment. Raises :class:`SettingError`, one line naming the variable."""
        source = os.environ if environ is None else environ
        _refuse_unknown(source)
        host = source.get("PAWFLOW_HOST", "127.0.0.1")
        port = _whole(source, "PAWFLOW_PORT", 8000, 0, 65535)
        return cls(
            data_dir=Path(source.get("PAWFLOW_DATA_DIR") or CHECKOUT / "data").expanduser().absolute(),
            owner=_owner(source),
            database_url=source.get("DATABASE_URL") or None,
            host=host,
            port=port,
            base_url=(source.get("PAWFLOW_BASE_URL") or f"http://{_for_url(host)}:{port}").rstrip("/"),
            allowed_hosts=_hosts(source, host),
            secrets_policy=cast(
                "SecretsPolicy", _one_of(source, "PAWFLOW_SECRETS", "mark", ("mark", "redact", "refuse"))
            ),
            rate_limit=_whole(source, "PAWFLOW_RATE_LIMIT", 6000, 0, 10_000_000),
            debug=_switch(source, "PAWFLOW_DEBUG"),
            process=cast("Process", _one_of(source, "PAWFLOW_PROCESS", "command", get_args(Process))),
        )

    @property
    def embedded(self) -> bool:
        """Whether we run the database ourselves."""
        return self.database_url is None

    @property
    def search_dir(self) -> Path:
        return self.data_dir / "search"

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
            return _parse_database_url(self.database_url)
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


def _user_name() -> str:
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = ""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name)[:64] or "owner"


def _owner(source: Mapping[str, str]) -> str:
    name = source.get("PAWFLOW_OWNER") or _user_name()
    if not is_name(name):
        raise SettingError(f"PAWFLOW_OWNER is {name!a}; it must be {NAME_RULE}.")
    return name


def _for_url(host: str) -> str:
    shown = "127.0.0.1" if host in {"0.0.0.0", "::", ""} else host  # noqa: S104 - compared, not bound
    return f"[{shown}]" if ":" in shown else shown


def _hosts(source: Mapping[str, str], host: str) -> tuple[str, ...]:
    given = [name.strip() for name in source.get("PAWFLOW_ALLOWED_HOSTS", "").split(",") if name.strip()]
    own = [] if host in {"0.0.0.0", "::", ""} else [_for_url(host)]  # noqa: S104 - compared, not bound
    base = urlsplit(source.get("PAWFLOW_BASE_URL", "")).hostname
    return tuple(dict.fromkeys([*given, *own, *([base] if base else []), "127.0.0.1", "localhost", "[::1]"]))


def _one_of(source: Mapping[str, str], name: str, default: str, choices: tuple[str, ...]) -> str:
    value = source.get(name) or default
    if value not in choices:
        raise SettingError(f"{name} is {value!a}; it must be one of {', '.join(choices)}.")
    return value


def _whole(source: Mapping[str, str], name: str, default: int, least: int, most: int) -> int:
    text = source.get(name) or str(default)
    if not text.isascii() or not text.isdigit() or not least <= int(text) <= most:
        raise SettingError(f"{name} is {text!a}; it must be a whole number from {least} to {most}.")
    return int(text)


def _switch(source: Mapping[str, str], name: str) -> bool:
    value = (source.get(name) or "off").lower()
    if value in {"1", "true", "yes", "on"}:
        return True
    if value in {"0", "false", "no", "off"}:
        return False
    raise SettingError(f"{name} is {value!a}; it must be on or off.")


def _parse_database_url(url: str) -> dict[str, Any]:
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
