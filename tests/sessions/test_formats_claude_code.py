"""Session files of Claude Code."""

import json

import pytest

from conversations.sessions.entries import Policy
from tests.sessions.reading import ALL, fixture, only_session


def session(name: str, policy: Policy | None = None):
    return only_session("claude-code", fixture(f"claude-code/{name}.jsonl"), policy)


def of_lines(*values):
    return only_session("claude-code", "\n".join(map(json.dumps, values)).encode())


def user(content, **fields):
    return {"type": "user", "uuid": "u", "sessionId": "s", "message": {"role": "user", "content": content}, **fields}


def test_a_session_is_counted_exactly():
    read = session("session")
    assert (len(read.records), read.bad, len(read.entries), len(read.active)) == (36, [], 27, 23)
    assert read.turns == [
        "Why does the café total fail?",
        "Never mind, drop it",
        "Add the tax",
        "and round it",
        "Explain the tag <command-name> please",
    ]
    assert sum(len(one.calls) for one in read.of_role("assistant")) == 3
    assert [one.text for one in read.entries if one.is_error] == [
        "toolResult(Bash) [error]: 1 failed",
        "API Error: 529",
    ]


def test_a_session_says_who_it_is():
    state = session("session").state
    assert state.session_id == "5f0c1d2e-0000-4000-8000-000000000001"
    assert (state.cwd, state.own["branch"], state.started) == ("/home/ada/shop", "main", 1772704801000)
    assert (state.parent, state.agent) == ("", "")


def test_the_title_that_a_person_gave_goes_before_later_guesses():
    assert session("session").state.title == "Tax in the café total"
    assert of_lines({"type": "summary", "summary": "Guess", "leafUuid": "x"}).state.title == "Guess"


def test_the_active_branch_leaves_out_what_was_taken_back_and_sub_agents():
    read = session("session")
    aside = [one.entry_id for one in read.entries if one not in read.active]
    assert aside == ["old", "old2", "side1", "side2"]


def test_all_calls_of_one_reply_and_their_answers_are_on_its_branch():
    ids = [one.entry_id for one in session("session").active]
    assert ids[:7] == ["u1", "a1", "a2", "a3", "a4", "r2", "r1"]


def test_compaction_joins_what_was_before_it():
    read = session("session")
    (summary,) = read.of_role("compaction")
    assert (summary.type, summary.text, summary.prose) == (
        "compaction",
        "compaction: This session is being continued.",
        False,
    )
    assert "u1" in [one.entry_id for one in read.active]


def test_the_answers_of_tools_are_named_by_their_calls():
    results = session("session").of_role("toolResult")
    assert [(one.tool, one.is_error, one.calls) for one in results] == [
        ("Bash", True, (("t2", "Bash"),)),
        ("Read", False, (("t1", "Read"),)),
        ("Task", False, (("t3", "Task"),)),
    ]
    assert results[1].text == "toolResult(Read): def total():\n    return sum"


def test_several_answers_in_one_record_are_entries_of_their_own():
    results = [{"type": "tool_result", "tool_use_id": name, "content": name} for name in ("one", "two")]
    entries = of_lines(user([*results, {"type": "text", "text": "and me"}])).entries
    assert [(one.child, one.role, one.text) for one in entries] == [
        (0, "toolResult", "toolResult: one"),
        (1, "toolResult", "toolResult: two"),
        (2, "user", "and me"),
    ]


def test_paths_come_from_keys_that_name_files():
    (call,) = [one for one in session("session").entries if one.entry_id == "a3"]
    assert call.paths == ("/home/ada/shop/total.py",)
    assert call.text == 'Tool: Read({"file_path":"/home/ada/shop/total.py","profile":"fast"})'


def test_a_policy_changes_words_and_no_number():
    plain, full, bare = session("session"), session("session", ALL), session("session", Policy(tool_output=False))
    assert len(plain.entries) == len(full.entries) == len(bare.entries)
    assert [one.text for one in full.entries if one.entry_id == "a1"] == ["Look at the sum first."]
    assert [one.text for one in plain.entries if one.entry_id == "a1"] == [""]
    assert bare.of_role("toolResult")[0].text == "toolResult(Bash) [error]"


@pytest.mark.parametrize(
    "machine",
    [
        user("Continue.", isMeta=True),
        user("Continue.", isSidechain=True),
        user("Continue.", origin={"kind": "task-notification"}),
        user("Continue.", toolUseResult={"ok": True}),
        user("<command-name>/cost</command-name>\n<command-args></command-args>"),
        user("<local-command-stdout>12</local-command-stdout>"),
        user([{"type": "text", "text": "<system-reminder>Be brief</system-reminder>"}]),
        user('<teammate-message teammate_id="w">done</teammate-message>'),
        user("[Request interrupted by user for tool use]"),
    ],
)
def test_what_a_machine_wrote_is_no_turn_of_the_person(machine):
    (entry,) = of_lines(machine).entries
    assert (entry.role, entry.prose) == ("user", False)
    assert entry.text


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("Continue.", "Continue."),
        ("What does <command-name>/cost</command-name> mean?", "What does <command-name>/cost</command-name> mean?"),
        ("<command-name> is a tag", "<command-name> is a tag"),
        ("[Request interrupted by user] is what it said", "[Request interrupted by user] is what it said"),
        ("<system-reminder>a</system-reminder>Go<system-reminder>b</system-reminder> on", "Go on"),
        ("Go <system-reminder> on", "Go <system-reminder> on"),
        ([{"type": "text", "text": "<ide_selection>x</ide_selection>"}, {"type": "text", "text": "Go"}], "Go"),
    ],
)
def test_the_own_words_of_a_person_stay(content, words):
    (entry,) = of_lines(user(content, isMeta=False, origin={"kind": "human"})).entries
    assert (entry.text, entry.prose) == (words, True)


def test_a_command_of_the_shell_is_told_as_one():
    (entry,) = session("session").of_role("bashExecution")
    assert (entry.text, entry.tool, entry.prose) == ("bash$ git status", "bash", False)


def test_a_sub_agent_names_the_session_that_began_it():
    read = session("agent")
    assert (read.state.session_id, read.state.agent) == ("a77", "a77")
    assert read.state.parent == "5f0c1d2e-0000-4000-8000-000000000001"
    assert read.turns == []
    assert read.active == read.entries


def test_a_damaged_file_gives_all_that_is_whole():
    read = session("damaged")
    assert read.bad == ["bad_json", "not_an_object", "bad_json"]
    assert [one.text for one in read.entries] == ["Héllo", "One", "bad \ufffd byte", "over lines"]
    assert [one.timestamp for one in read.entries] == [1705315200000, None, None, None]
    assert (read.state.title, read.state.skipped) == ("Glued", {"user": 1})
    assert read.active == read.entries


def test_a_file_whose_answers_name_no_parent_is_linear():
    read = session("unchained")
    assert [one.text for one in read.active] == ["One", "Two", "Three", "Four"]


def test_a_second_beginning_is_a_branch_where_answers_name_their_parents():
    said = [user("One", uuid="1", parentUuid=None), user("Two", uuid="2", parentUuid=None)]
    assert [one.text for one in of_lines(*said).active] == ["Two"]


def test_what_gives_nothing_is_counted():
    assert session("session").state.skipped == {
        "file-history-snapshot": 1,
        "progress:hook_progress": 1,
        "system:compact_boundary": 1,
        "last-prompt": 1,
        "progress:bash_progress": 1,
    }
