"""Whatever stands in the lines of a Pi session, reading them goes on and stays the same."""

import json
import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conversations.sessions.entries import Policy, Record, State
from conversations.sessions.lineage import fingerprint
from tests.sessions.pi import (
    HEADER,
    PI,
    SAMPLES,
    Session,
    call,
    envelope,
    executed,
    left,
    line,
    message,
    only,
    operation,
    session,
    source,
    trace,
    words,
)

LINES = [text for file in sorted(SAMPLES.glob("*.jsonl")) for text in file.read_bytes().splitlines()]
ODD = [None, True, 0, -1, 7, 1.5, 1e400, float("nan"), 10**400, "", "x", "\ud800", "a\0b", [], [None], {}, {"": []}]

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=4), inner, max_size=4),
    max_leaves=12,
)
# The keys that mean something, so that what is random gets past the first look.
names = ("type", "id", "parentId", "timestamp", "name", "targetId", "summary", "message", "role", "content", "text")
keys = st.sampled_from((*names, "details", "trace", "toolCallId", "toolName"))
line_types = ("session", "message", "compaction", "branch_summary", "custom_message", "leaf", "session_info")
kinds = st.sampled_from((*line_types, "user", "assistant", "toolResult"))
objects = st.dictionaries(keys, kinds | json_values | st.dictionaries(keys, kinds | json_values), max_size=8)


def read_everything(values: list[Any], policy: Policy) -> State:
    """Read values one after another, and check of each entry what must hold for all."""
    reader = PI.reader(policy)
    for ordinal, value in enumerate(values):
        record = Record(ordinal, ordinal, ordinal + 1, value)
        read = reader.read(record)
        known = State(calls={call: tool for entry in read.entries for call, tool in entry.calls})
        alone = {entry.child: entry for entry in PI.reader(policy, known).read(record).entries}
        for entry in read.entries:
            assert entry == alone[entry.child]
            entry.text.encode()
            json.dumps(entry.operation or entry.branch_fact, ensure_ascii=False).encode()
        assert len({entry.child for entry in read.entries}) == len(read.entries)
    kept = json.dumps(reader.state.as_json())
    assert "\\u0000" not in kept
    assert "\\ud800" not in kept
    return reader.state


@settings(deadline=None)
@given(st.lists(objects | json_values, max_size=6), st.booleans(), st.booleans())
def test_no_value_stops_the_reading(values: list[Any], thinking: bool, tool_output: bool) -> None:
    state = read_everything(values, Policy(thinking=thinking, tool_output=tool_output))
    assert isinstance(state.skipped, dict)


def changed_at(value: Any, chance: random.Random) -> Any:
    """The value with something odd in one place, at some depth."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        return {**value, key: changed_at(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        at = chance.randrange(len(value))
        return [*value[:at], changed_at(value[at], chance), *value[at + 1 :]]
    return chance.choice(ODD)


def test_no_wrong_type_anywhere_stops_the_reading() -> None:
    chance = random.Random(7)
    values = [json.loads(text) for text in LINES] + [message("user", content=[words("x")], timestamp=1)]
    mangled = [changed_at(chance.choice(values), chance) for _ in range(6000)]
    state = read_everything(mangled, Policy(thinking=True))
    assert state.skipped["no type"] > 0


def test_no_mangled_byte_stops_the_reading() -> None:
    chance = random.Random(11)
    lines = []
    for _ in range(3000):
        text = bytearray(chance.choice(LINES))
        for _ in range(chance.randrange(1, 4)):
            at = chance.randrange(len(text))
            text[at : at + chance.randrange(3)] = chance.randbytes(chance.randrange(3))
        lines.append(bytes(text))
    # what is appended is found whatever came before it
    read = Session(b"\n".join(lines) + b"\n" + source([message("user", "last", None, content="at the end")]))
    assert read.texts[-1] == "at the end"
    assert read.bad
    assert len(read.entries) > 500
    assert read.lineage.ids == ("last",)


def test_a_record_of_any_kind_read_alone_gives_the_same_entries() -> None:
    read = session(
        message("assistant", "1", None, content=[call("c1", "fabric_exec"), call("c2", "ls"), {"type": "toolCall"}]),
        {**executed(trace(operation(0, "pi.ls"), operation(4, "pi.bash"))), "parentId": "1"},
        message("toolResult", "3", "e2", toolCallId="c2", content=[words("a.py")]),
        left(envelope(), "4", "3"),
        line("compaction", "5", "4", summary="s"),
        line("custom_message", "6", "5", customType="k", content="c"),
        message("bashExecution", "7", "6", command="ls"),
        message("unknown", "8", "7"),
    )
    assert len(read.entries) == 10
    assert [entry for record in read.records for entry in read.alone(record)] == read.entries


@pytest.mark.parametrize("broken", [b"null", b"7", b'"text"', b"[1]", b'{"type": "message", "id"', b"\xff\xfe"])
def test_one_bad_line_costs_that_line_alone(broken: bytes) -> None:
    lines = source([message("user", "1", None, content="one")]) + broken + b"\n"
    read = Session(lines + source([message("user", "2", "1", content="two")], header=None))
    assert read.texts == ["one", "two"]
    assert len(read.bad) == 1
    assert read.lineage.ids == ("1", "2")


def test_a_line_that_is_still_being_written_waits() -> None:
    whole = source([message("user", "1", None, content="one"), message("user", "2", "1", content="two")])
    assert Session(whole[:-10]).texts == ["one"]
    assert Session(whole[:-10]).bad == []
    assert Session(whole).texts == ["one", "two"]


def test_what_is_nested_too_deeply_for_text_is_shown_as_left_out() -> None:
    deep: Any = "end"
    for _ in range(100_000):
        deep = [deep]
    reader = PI.reader(Policy())
    record = Record(0, 0, 1, message("assistant", content=[{"type": "toolCall", "id": "c", "arguments": deep}]))
    read = reader.read(record)
    assert [entry.text for entry in read.entries] == ["Tool: (…)"]
    # the objects are taken apart one by one: freeing them at once would be as deep
    while isinstance(deep, list):
        deep = deep.pop()


def test_half_characters_and_nul_do_not_get_into_what_is_kept() -> None:
    entry = only(message("user", content="half \ud800 and \0 nul 🚲"))
    assert entry.text == "half \ufffd and \ufffd nul 🚲"
    read = session(line("session_info", "i\0", "p\ud800", name="t\0"), {**HEADER, "cwd": "/c\0"})
    assert (read.state.title, read.state.cwd) == ("t\ufffd", "/c\ufffd")
    assert read.lineage.ids == ("i\ufffd",)
    assert len(fingerprint("active", read.lineage.leaf, read.lineage.ids)) == 64
    traced = only_operation(trace(operation(0, "pi.ls", result="\ud800")))
    assert "\ufffd" in traced


def only_operation(traced: Any) -> str:
    (entry,) = (one for one in session(executed(traced)).entries if one.child)
    assert entry.operation is not None
    assert entry.operation["result"] == "\ufffd"
    return entry.text
