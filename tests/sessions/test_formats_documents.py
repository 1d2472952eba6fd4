"""Documents cut into conversations and messages by their bytes."""

import json
import time

import pytest

from conversations.sessions.entries import Bad, Record
from conversations.sessions.formats.chatgpt import ChatGptFormat
from conversations.sessions.formats.claude_ai import ClaudeAiFormat
from conversations.sessions.formats.documents import elements_of
from tests.sessions.reading import fixture

CHATGPT, CLAUDE_AI = ChatGptFormat(), ClaudeAiFormat()


def parts(source: bytes, known=CHATGPT) -> list[tuple[str, bytes]]:
    return [(part.name, source[part.start : part.end]) for part in known.parts(source)]


def conversation(name: str) -> bytes:
    node = {"id": "n", "parent": None, "message": {"author": {"role": "user"}, "content": {"parts": ["naïve 日本"]}}}
    return json.dumps({"id": name, "mapping": {"n": node}}, ensure_ascii=False, indent=1).encode()


def test_a_part_is_the_bytes_of_one_conversation():
    source = fixture("chatgpt/export.json")
    assert [(name, json.loads(cut)) for name, cut in parts(source)] == [
        (value["id"], value) for value in json.loads(source)
    ]
    assert [name for name, _ in parts(fixture("chatgpt/single.json"))] == ["c-3"]


def test_a_record_is_the_bytes_of_one_message():
    source = fixture("claude-ai/export.json")
    (_, cut), *_ = parts(source, CLAUDE_AI)
    first, *messages = CLAUDE_AI.records(cut)
    assert (first.start, first.end) == (0, len(cut))
    assert first.value == {key: value for key, value in json.loads(cut).items() if key != "chat_messages"}
    assert [one.value for one in messages] == json.loads(cut)["chat_messages"]
    assert [json.loads(cut[one.start : one.end]) for one in messages] == [one.value for one in messages]


def test_records_are_read_from_any_of_them_on_and_each_alone():
    source = fixture("chatgpt/export.json")
    cut = parts(source)[0][1]
    records = list(CHATGPT.records(cut))
    assert len(records) == 13
    for one in records[1:]:
        assert list(CHATGPT.records(cut, begin=one.start, ordinal=one.ordinal)) == records[one.ordinal :]
        (alone,) = CHATGPT.records(cut[one.start : one.end], ordinal=one.ordinal)
        assert (alone.ordinal, alone.value) == (one.ordinal, one.value)


def test_what_is_whole_is_given_where_the_rest_is_cut():
    whole, cut = conversation("one"), conversation("two")[:-30]
    given = parts(b"[" + whole + b", " + cut)
    assert given == [("one", whole), ("#1", cut)]
    assert [one.code for one in CHATGPT.records(cut)] == ["bad_json"]


@pytest.mark.parametrize("broken", [b'{"id": x, "mapping": {"}": [1]}}', b'{"a" 1, "b": {}}', b"[{]}"])
def test_a_broken_conversation_takes_none_of_its_neighbours_along(broken):
    given = parts(b"[" + conversation("one") + b"," + broken + b"," + conversation("three") + b"]")
    assert [given[0][0], given[-1][0]] == ["one", "three"]
    assert all(isinstance(one, Bad) for one in CHATGPT.records(given[1][1]))


def test_what_is_no_conversation_has_no_record():
    given = parts(b'[null, 1, "x", ' + conversation("one") + b"]")
    assert [name for name, _ in given] == ["#0", "#1", "#2", "one"]
    kinds = [[type(one) for one in CHATGPT.records(cut)] for _, cut in given]
    assert kinds == [[Bad], [Bad], [Bad], [Record, Record]]


def test_names_of_parts_differ():
    names = [name for name, _ in parts(b"[" + b",".join([conversation("same")] * 3) + b', {"mapping": {}}]')]
    assert names == ["same", "same#1", "same#2", "#3"]


def test_conversations_one_behind_another_are_parts_too():
    source = conversation("one") + b"\n" + conversation("two") + b"\n"
    assert parts(source) == [("one", conversation("one")), ("two", conversation("two"))]


def test_a_message_that_is_no_object_is_bad_and_the_next_is_read():
    source = b'{"mapping": {"a": null, "b": {"id": "b", "parent": "a"}}}'
    assert [one.code if isinstance(one, Bad) else one.ordinal for one in CHATGPT.records(source)] == [
        0,
        "not_an_object",
        1,
    ]


@pytest.mark.parametrize(
    "source",
    [b"", b" ", b"[", b"[]", b"[,,,]", b"\xff", b"{", b"[" * 100_000, b'{"mapping":' * 50_000, b'[{"a":"\\' * 1000],
)
def test_any_bytes_are_cut_into_parts_and_records(source):
    for _, cut in parts(source):
        assert all(isinstance(one, Bad | Record) for one in CHATGPT.records(cut))


@pytest.mark.parametrize("piece", [b"{]", b'{"a":', b'"\\"', b"[", b'{"a":1},'])
def test_a_hostile_list_is_cut_in_linear_time(piece):
    begun = time.process_time()
    assert sum(1 for _ in elements_of(b"[" + piece * 50_000)) <= 50_001
    assert time.process_time() - begun < 5
