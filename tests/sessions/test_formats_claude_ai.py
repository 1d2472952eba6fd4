"""Exports of claude.ai."""

from conversations.sessions.entries import Policy
from tests.sessions.reading import ALL, fixture, sessions


def exported(policy: Policy | None = None):
    return sessions("claude-ai", fixture("claude-ai/export.json"), policy)


def test_conversations_are_counted_exactly():
    counts = [(len(one.records), one.bad, len(one.entries), len(one.active)) for one in exported()]
    assert counts == [(6, [], 4, 3), (1, [], 0, 0), (3, [], 2, 2)]
    first, _, shared = exported()
    assert (first.turns, shared.turns) == (["How does await work?"], ["First"])
    assert first.state.skipped == {"block:voice_note": 1, "sender:robot": 1, "empty:human": 1}


def test_a_conversation_says_who_it_is():
    states = [one.state for one in exported()]
    assert [(one.session_id, one.title) for one in states] == [("w-1", "Async — naïve"), ("w-2", ""), ("w-3", "Shared")]
    assert [one.started for one in states] == [1768473000000, None, 1767225600000]


def test_an_answer_that_was_replaced_is_off_the_active_branch():
    first = exported()[0]
    assert [one.entry_id for one in first.entries if one not in first.active] == ["o1"]
    assert first.entries[0].parent_id is None


def test_blocks_that_the_export_cannot_show_are_no_words():
    answer = exported()[0].entries[2]
    assert answer.text == 'Like this.\nTool: create({"title":"Async","file_path":"a.js"})'
    assert (answer.prose, answer.tool, answer.paths) == (True, "create", ("a.js",))


def test_an_answer_of_a_tool_is_an_entry_of_its_own():
    result = exported()[0].entries[3]
    assert (result.role, result.child, result.text) == ("toolResult", 1, "toolResult(create) [error]: OK")
    assert (result.is_error, result.calls) == (True, (("t1", "create"),))


def test_a_snapshot_has_its_words_in_the_text_and_its_order_in_the_index():
    shared = exported()[2]
    assert [one.text for one in shared.entries] == ["First", "Second"]
    assert [one.ordinal for one in shared.records] == [0, 1, 2]
    assert shared.records[1].start > shared.records[2].start


def test_a_policy_changes_words_and_no_number():
    plain, full, bare = exported()[0], exported(ALL)[0], exported(Policy(tool_output=False))[0]
    assert len(plain.entries) == len(full.entries) == len(bare.entries)
    assert full.entries[2].text.startswith("An example\nLike this.")
    assert bare.entries[3].text == "toolResult(create) [error]"
