from pathlib import Path

import pytest

from pawflow_web.data_dir import make_data_dir, read_key, write_private
from pawflow_web.env import SETTINGS, Env, SettingError
from pawflow_web.env_recall import RECALL_SETTINGS


def test_without_any_setting_the_defaults_hold() -> None:
    env = Env.load({})
    assert env.data_dir.name == "data"
    assert (env.data_dir.parent / "manage.py").exists()
    assert env.embedded
    assert (env.base_url, env.secrets_policy, env.rate_limit) == ("http://127.0.0.1:8000", "mark", 6000)
    assert set(env.allowed_hosts) == {"127.0.0.1", "localhost", "[::1]"}


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("PAWFLOW_SECRET", "mark", "PAWFLOW_SECRET is not a setting"),
        ("PAWFLOW_SECRETS", "Mark", "'Mark'; it must be one of mark, redact, refuse"),
        ("PAWFLOW_SECRETS", "\N{SNOWMAN}", r"'\u2603'"),
        ("PAWFLOW_RATE_LIMIT", "-1", "'-1'; it must be a whole number from 0"),
        ("PAWFLOW_RATE_LIMIT", "\N{ARABIC-INDIC DIGIT FIVE}", "whole number"),
        ("PAWFLOW_PORT", "65536", "whole number from 0 to 65535"),
        ("PAWFLOW_DEBUG", "maybe", "on or off"),
        ("PAWFLOW_OWNER", "a b", "'a b'"),
        ("PAWFLOW_PROCESS", "server", "must be one of web, worker, prepare, command"),
        ("PAWFLOW_EMBEDDINGS", "on", "'on'; it must be one of auto, local, none"),
        ("PAWFLOW_EMBEDDINGS_URL", "127.0.0.1:11434", "must look like http://host:port/v1"),
        ("PAWFLOW_EMBEDDINGS_URL", "http://ann:secret@host/v1", "without a user"),
        ("PAWFLOW_EMBEDDINGS_URL", "http://host/v1?key=secret", "without a user or a query"),
        ("PAWFLOW_EMBEDDINGS_URL", "http://host:port/v1", "must look like"),
        ("PAWFLOW_EMBEDDINGS_MODEL", "m", "says nothing without PAWFLOW_EMBEDDINGS_URL"),
        ("PAWFLOW_EMBEDDINGS_KEY", "secret", "says nothing without PAWFLOW_EMBEDDINGS_URL"),
        ("DATABASE_URL", "mysql://somewhere/db", "must look like postgresql://"),
        ("DATABASE_URL", "postgresql://somewhere", "must look like postgresql://"),
        ("DATABASE_URL", "postgresql://somewhere:x/db", "a port that is not a number"),
        ("DATABASE_URL", "postgresql://somewhere/db?sslmod=require", "'sslmod'"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named_in_one_line(name: str, value: str, said: str) -> None:
    with pytest.raises(SettingError) as refusal:
        Env.load({name: value}).database()
    message = str(refusal.value)
    assert said in message
    assert name in message
    assert message.isascii()
    assert "\n" not in message


def test_every_setting_of_the_table_is_accepted() -> None:
    values = {
        "PAWFLOW_SECRETS": "refuse",
        "PAWFLOW_RATE_LIMIT": "5",
        "PAWFLOW_DEBUG": "on",
        "PAWFLOW_PORT": "1",
    }
    values |= {"PAWFLOW_PROCESS": "web", "DATABASE_URL": "postgresql://u@h/d", "PAWFLOW_OWNER": "alice"}
    values |= {"PAWFLOW_CONTENT_KEYS": f"{'A' * 43}="}
    values |= {"PAWFLOW_EMBEDDINGS": "local", "PAWFLOW_EMBEDDINGS_URL": "http://[::1]:11434/v1/"}
    recall = {row.name: "on" if row.default in {"on", "off"} else "200" for row in RECALL_SETTINGS}
    values |= {name: "1200" if name == "RECALL_REGEX_MAX_HAYSTACK_BYTES" else value for name, value in recall.items()}
    env = Env.load({row.name: values.get(row.name, f"/{row.name.lower()}") for row in SETTINGS})
    assert (env.recall.max_sessions, env.recall.index_thinking, env.recall.hot_sessions) == (200, True, 200)
    assert (env.recall.max_entry_chars, env.recall.regex_haystack_bytes) == (200, 1200)
    assert (env.secrets_policy, env.rate_limit, env.debug, env.process) == ("refuse", 5, True, "web")


def test_recall_keeps_to_its_ranges_and_means_its_defaults_by_nothing() -> None:
    given = {"RECALL_REGEX_TIMEOUT_MS": "1", "RECALL_MAX_ENTRY_CHARS": "5", "RECALL_HOT_SESSIONS": "-3"}
    recall = Env.load({**given, "RECALL_INDEX_TOOL_OUTPUT": "", "RECALL_MAX_SESSIONS": ""}).recall
    assert (recall.regex_timeout_ms, recall.max_entry_chars, recall.hot_sessions) == (10, 100, 0)
    assert (recall.index_tool_output, recall.max_sessions) == (True, 500)
    assert Env.load({}).recall.hot_sessions is None
    with pytest.raises(SettingError, match="RECALL_HOT_SESSIONS"):
        Env.load({"RECALL_HOT_SESSIONS": "some"})


def test_an_endpoint_is_named_in_full_and_its_key_is_not_shown() -> None:
    url = {"PAWFLOW_EMBEDDINGS_URL": "http://[::1]:11434/v1/"}
    env = Env.load({**url, "PAWFLOW_EMBEDDINGS_KEY": "sk-not-shown"})
    assert (env.embeddings_url, env.embeddings_key) == ("http://[::1]:11434/v1", "sk-not-shown")
    assert "http://[::1]:11434/v1" in repr(env)
    assert "sk-not-shown" not in repr(env)
    assert Env.load({}).embeddings_url is None


def test_a_database_url_may_say_how_to_connect() -> None:
    url = "postgresql://ann%40work:p%2Fw@db.example:6432/memory?sslmode=require&application_name=pawflow"
    assert Env.load({"DATABASE_URL": url}).database() == {
        "NAME": "memory",
        "USER": "ann@work",
        "PASSWORD": "p/w",
        "HOST": "db.example",
        "PORT": "6432",
        "OPTIONS": {"sslmode": "require", "application_name": "pawflow"},
    }
    socket = Env.load({"DATABASE_URL": "postgresql:///memory?host=/run/PostgreSQL&user=ann"}).database()
    assert (socket["HOST"], socket["USER"], socket["NAME"]) == ("/run/PostgreSQL", "ann", "memory")


def test_a_wildcard_address_is_linked_to_as_loopback() -> None:
    assert Env.load({"PAWFLOW_HOST": "0.0.0.0"}).base_url == "http://127.0.0.1:8000"
    assert Env.load({"PAWFLOW_HOST": "::1", "PAWFLOW_PORT": "1"}).base_url == "http://[::1]:1"
    assert "memory.example" in Env.load({"PAWFLOW_BASE_URL": "https://memory.example/"}).allowed_hosts


def test_a_deep_data_directory_gets_a_short_socket_folder() -> None:
    near = Env.load({"PAWFLOW_DATA_DIR": "/srv/pawflow"})
    deep = Env.load({"PAWFLOW_DATA_DIR": f"/srv/{'pawflow/' * 12}"})
    assert near.socket_dir == Path("/srv/pawflow/run")
    assert deep.socket_dir.parent == Path("/tmp")
    assert len(str(deep.socket_dir / ".s.PGSQL.5432")) < 107
    assert deep.socket_dir != Env.load({"PAWFLOW_DATA_DIR": f"/srv/{'pawflow/' * 13}"}).socket_dir


def test_the_key_is_made_only_on_request_and_stays(tmp_path: Path) -> None:
    env = Env.load({"PAWFLOW_DATA_DIR": str(tmp_path / "data")})
    assert read_key(env) == b""
    assert not env.data_dir.exists()
    key = read_key(env, create=True)
    assert len(key) == 32
    assert read_key(env) == read_key(env, create=True) == key
    assert env.key_file.stat().st_mode & 0o777 == 0o600


def test_no_new_key_is_made_beside_a_database(tmp_path: Path) -> None:
    env = Env.load({"PAWFLOW_DATA_DIR": str(tmp_path)})
    env.cluster_dir.mkdir()
    with pytest.raises(SettingError, match=r"secret\.key is missing but .*postgres exists"):
        read_key(env, create=True)
    assert not env.key_file.exists()


def test_a_damaged_key_is_refused_and_kept(tmp_path: Path) -> None:
    env = Env.load({"PAWFLOW_DATA_DIR": str(tmp_path)})
    write_private(env.key_file, "abc\n")
    with pytest.raises(SettingError, match="damaged"):
        read_key(env, create=True)
    assert env.key_file.read_text() == "abc\n"


def test_a_folder_with_other_things_in_it_keeps_its_mode(tmp_path: Path) -> None:
    shared, own = tmp_path / "shared", tmp_path / "own"
    for folder in (shared, own):
        folder.mkdir()
        folder.chmod(0o755)
    (shared / "something").touch()
    for folder in (shared, own):
        make_data_dir(Env.load({"PAWFLOW_DATA_DIR": str(folder), "DATABASE_URL": "postgresql://h/d"}))
    assert shared.stat().st_mode & 0o777 == 0o755
    assert own.stat().st_mode & 0o777 == 0o700
