"""Session files of the Gemini CLI, in both of their generations."""

import json

from conversations.sessions.entries import Policy
from tests.sessions.reading import ALL, fixture, only_session

HEADER = {"sessionId": "s", "projectHash": "p", "startTime": "2026-04-01T08:00:00Z"}


def document(policy: Policy | None = None):
    return only_session("gemini-cli", fixture("gemini-cli/session.json"), policy)


def of_lines(*values):
    return only_session("gemini-cli", "\n".join(map(json.dumps, [HEADER, *values])).encode())


def said(identity, text, kind="user"):
    return {"id": identity, "type": kind, "content": text, "timestamp": "2026-04-01T08:00:01Z"}


def test_a_document_is_counted_exactly():
    read = document()
    assert (len(read.records), read.bad, len(read.entries), len(read.active)) == (5, [], 6, 6)
    assert read.turns == ["Read a.py"]
    assert read.of_role("assistant")[0].calls == (("g1", "read_file"), ("g2", "shell"), ("g3", "shell"))
    assert [one.text for one in read.entries if one.is_error] == ["toolResult(shell) [error]: not found", "Quota"]


def test_a_document_says_who_it_is():
    state = document().state
    assert (state.session_id, state.title, state.started) == ("gem-1", "Reading", 1775030400000)


def test_the_answers_of_tools_are_entries_behind_the_message():
    assert [(one.child, one.text) for one in document().of_role("toolResult")] == [
        (1, "toolResult(read_file): print(1)"),
        (2, "toolResult(shell) [error]: not found"),
    ]


def test_lines_are_counted_exactly():
    read = only_session("gemini-cli", fixture("gemini-cli/session.jsonl"))
    assert (len(read.records), read.bad, len(read.entries)) == (11, [], 9)
    assert [one.text for one in read.active] == [
        "Two\nTool: shell({})",
        "toolResult(shell): done",
        "Three",
        "Kept here alone",
        "One, again",
    ]
    assert (read.state.session_id, read.state.title, read.state.leaf) == ("gem-2", "Counting", "m6")


def test_a_message_that_comes_again_takes_the_place_of_the_first():
    read = of_lines(said("a", "One"), said("b", "Two"), said("a", "One, better"))
    assert [one.text for one in read.active] == ["Two", "One, better"]


def test_what_was_taken_back_is_off_the_active_branch():
    lines = [said("a", "One"), said("b", "Two"), {"$rewindTo": "b"}, said("c", "Three")]
    assert [one.text for one in of_lines(*lines).active] == ["One", "Three"]
    assert [one.text for one in of_lines(*lines[:2], *lines[3:]).active] == ["One", "Two", "Three"]


def test_messages_that_only_a_context_holds_are_told_once():
    context = {"$set": {"messages": [said("a", "One"), said("b", "Two", "gemini")]}}
    read = of_lines(context, context, said("c", "Three"))
    assert [(one.ordinal, one.child, one.text) for one in read.entries] == [
        (1, 0, "One"),
        (1, 1, "Two"),
        (3, 0, "Three"),
    ]
    assert read.active == read.entries


def test_a_policy_changes_words_and_no_number():
    plain, full, bare = document(), document(ALL), document(Policy(tool_output=False))
    assert len(plain.entries) == len(full.entries) == len(bare.entries)
    assert full.of_role("assistant")[0].text.startswith("Plan\nRead it\nReading — já.")
    assert bare.of_role("toolResult")[0].text == "toolResult(read_file)"
