"""Which format a source is of, told from its structure alone."""

import json

import pytest

from conversations.sessions.formats.registry import FORMATS, detect, format_of
from tests.sessions.reading import FIXTURES, fixture

FILES = sorted(path.relative_to(FIXTURES).as_posix() for path in FIXTURES.glob("*/*.json*"))


def kind(source: bytes) -> str | None:
    known = detect(source)
    return known.kind if known else None


@pytest.mark.parametrize("name", FILES)
def test_a_fixture_is_of_the_kind_of_its_folder(name):
    assert kind(fixture(name)) == name.partition("/")[0]


def test_there_is_one_format_of_each_kind():
    assert sorted(FORMATS) == ["chatgpt", "claude-ai", "claude-code", "codex", "gemini-cli", "pi"]
    assert all(format_of(name).kind == name for name in FORMATS)


def test_lists_and_single_conversations_are_told_by_their_messages():
    tree = {"id": "c", "mapping": {"n": {"message": None, "parent": None}}}
    chat = {"uuid": "c", "chat_messages": []}
    assert kind(json.dumps(tree).encode()) == kind(json.dumps([tree]).encode()) == "chatgpt"
    assert kind(json.dumps(chat).encode()) == kind(json.dumps([chat]).encode()) == "claude-ai"


def test_an_object_over_many_lines_is_told_like_one_on_a_line():
    value = json.loads(fixture("gemini-cli/session.json"))
    assert kind(json.dumps(value).encode()) == kind(json.dumps(value, indent=4).encode()) == "gemini-cli"
    assert kind(b"\xef\xbb\xbf" + json.dumps(value, indent=4).encode()) == "gemini-cli"


def test_a_line_that_is_broken_does_not_hide_those_behind_it():
    assert kind(b"{broken\nnull\n" + fixture("claude-code/session.jsonl")) == "claude-code"


@pytest.mark.parametrize(
    "source",
    [
        b"",
        b"\n",
        b"hello",
        b"\xff\xfe\x00",
        b"{}",
        b"[]",
        b"[1, 2]",
        b'{"mapping": {}}',
        b'{"mapping": {"a": 1}}',
        b'[{"id": 1, "messages": []}]',
        b'{"type": "user", "content": "x"}',
        b'{"type":"entity","name":"Ada","observations":[]}',
        b'{"type":"thread.started","thread_id":"x"}',
        b'{"header":"Gemini Apps","title":"Prompted x"}',
        b'[{"type":"user","uuid":"u","sessionId":"s","message":{"content":"x"}}]',
        b"{" * 10_000,
        b"[" * 10_000,
    ],
)
def test_what_is_of_no_known_format_is_told_as_none(source):
    assert kind(source) is None


def test_a_beginning_that_is_cut_is_enough_for_lines():
    source = fixture("codex/wrapped.jsonl")
    assert kind(source[: len(source) // 2]) == "codex"
