"""No record makes a reader raise, and each record alone gives what it gave among the others."""

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations.sessions.entries import Bad, Entry, Record, State
from conversations.sessions.formats.registry import FORMATS
from conversations.sessions.lineage import lineage_of
from tests.sessions.reading import ALL, FIXTURES, fixture, sessions

KINDS = ["chatgpt", "claude-ai", "claude-code", "codex", "gemini-cli"]
FILES = {kind: sorted(path.name for path in (FIXTURES / kind).iterdir()) for kind in KINDS}
CHANGED_VALUES, CHANGED_LINES = 16_000, 4_000
HOSTILE = [
    None,
    True,
    0,
    -1,
    10**400,
    1e400,
    float("nan"),
    "",
    "yesterday",
    "9999-99-99T99:99:99Z",
    "0001-01-01T00:00:00+23:59",
    "half \ud83d",
    "zero \0",
    "<system-reminder>" * 3,
    [],
    [None],
    [[]],
    ["text"],
    {},
    {"type": []},
    {"type": "text", "text": 5},
    {"text": None},
]


def records_of(kind: str) -> list[Any]:
    """The values of all records of the fixtures of a kind."""
    read = [one for name in FILES[kind] for one in sessions(kind, fixture(f"{kind}/{name}"))]
    return [record.value for one in read for record in one.records]


def changed(value: Any, chance: random.Random) -> Any:
    """The value with one of its inner values replaced, taken out or put under another key."""
    inner = value
    while inner and isinstance(inner, dict | list):
        keys = list(inner) if isinstance(inner, dict) else range(len(inner))
        key = chance.choice(keys)
        if isinstance(inner[key], dict | list) and inner[key] and chance.random() < 0.8:
            inner = inner[key]
            continue
        if isinstance(inner, dict) and chance.random() < 0.2:
            inner[chance.choice(["type", "role", "content", "id", "text"])] = inner.pop(key)
        else:
            inner[key] = chance.choice(HOSTILE)
        break
    return value


def mangled(line: bytes, chance: random.Random) -> bytes:
    """The bytes with a few of them replaced, taken out, or doubled."""
    at, length = chance.randrange(len(line) + 1), chance.randrange(1, 6)
    into = chance.choice([b"", b"\xff", b'"', b"{", b"}", b"\n", b"\\", b"\0", line[at : at + 2 * length]])
    return line[:at] + into + line[at + length :]


def check(entries: list[Entry], nodes: list[Any], state: State) -> None:
    """What was read can be kept and searched."""
    json.dumps(state.as_json(), ensure_ascii=False).encode()
    lineage_of(nodes, state.leaf)
    for entry in entries:
        entry.text.encode()
        assert all(isinstance(path, str) for path in entry.paths)
        assert all(call and isinstance(name, str) for call, name in entry.calls)
        assert entry.timestamp is None or type(entry.timestamp) is int
        assert not (entry.prose and entry.role not in ("user", "assistant"))


def read_all(kind: str, records: Iterator[Record | Bad]) -> int:
    """Read and check them; how many there were."""
    reader = FORMATS[kind].reader(ALL)
    entries: list[Entry] = []
    nodes: list[Any] = []
    count = 0
    for record in records:
        count += 1
        if isinstance(record, Record):
            read = reader.read(record)
            entries += read.entries
            nodes.append((record.ordinal, read.node))
    check(entries, nodes, reader.state)
    return count


@pytest.mark.parametrize("kind", KINDS)
def test_no_changed_value_makes_a_reader_raise(kind):
    chance = random.Random(kind)
    texts = [json.dumps(value) for value in records_of(kind)]
    for _ in range(CHANGED_VALUES // 200):
        values = [changed(json.loads(chance.choice(texts)), chance) for _ in range(200)]
        assert read_all(kind, (Record(number, 0, 1, value) for number, value in enumerate(values))) == 200
        assert all(known.claims([value]) in (True, False) for known in FORMATS.values() for value in values)


@pytest.mark.parametrize("kind", KINDS)
def test_no_changed_bytes_make_a_format_raise(kind):
    chance = random.Random(kind)
    known = FORMATS[kind]
    files = [fixture(f"{kind}/{name}") for name in FILES[kind]]
    lines = 0
    while lines < CHANGED_LINES:
        source = mangled(chance.choice(files), chance)
        for _ in range(chance.randrange(4)):
            source = mangled(source, chance)
        for part in known.parts(source):
            read_all(kind, known.records(source[part.start : part.end]))
        lines += source.count(b"\n") + 20


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(HOSTILE[7:14]),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["type", "message", "content", "payload", "role", "id", "uuid", "text", "parts", "$set"]),
            inner,
            max_size=5,
        )
    ),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(st.sampled_from(KINDS), st.lists(json_values, max_size=5))
def test_no_value_at_all_makes_a_reader_raise(kind, values):
    records = (Record(number, 0, 1, value) for number, value in enumerate(values))
    assert read_all(kind, records) == len(values)
    assert FORMATS[kind].claims(values) in (True, False)


@pytest.mark.parametrize("name", [f"{kind}/{name}" for kind in KINDS for name in FILES[kind]])
def test_a_record_alone_gives_the_same_words(name):
    kind = name.partition("/")[0]
    for session in sessions(kind, fixture(name), ALL):
        for record in session.records:
            expected = {one.child: one.text for one in session.entries if one.ordinal == record.ordinal}
            alone = {one.child: one.text for one in session.alone(record)}
            assert {child: alone[child] for child in expected} == expected


@pytest.mark.parametrize("name", [f"{kind}/{name}" for kind in KINDS for name in FILES[kind]])
def test_a_reader_goes_on_from_what_was_kept(name):
    known = FORMATS[name.partition("/")[0]]
    for session in sessions(known.kind, fixture(name)):
        reader, entries = known.reader(session.policy), []
        for record in session.records:
            kept = json.loads(json.dumps(reader.state.as_json()))
            reader = known.reader(session.policy, State.from_json(kept))
            entries += reader.read(record).entries
        assert entries == session.entries
        assert reader.state == session.state
