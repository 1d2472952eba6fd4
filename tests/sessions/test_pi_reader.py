"""What the lines of a Pi session say, and what of it is kept."""

import pytest

from conversations.sessions.entries import Policy
from tests.sessions.pi import HEADER, PI, Session, call, line, message, only, session, source, words

QUIET = Policy(tool_output=False)
LOUD = Policy(thinking=True)


def test_a_conversation_with_tools_gives_one_entry_for_each_line() -> None:
    read = session(
        message("user", "1", None, content="Run the tests"),
        message("assistant", "2", "1", content=[words("I begin.")]),
        message("assistant", "3", "2", content=[call("c1", "read", path="src/a.ts")]),
        message("toolResult", "4", "3", toolCallId="c1", toolName="read", content=[words("code")], isError=False),
        message("bashExecution", "5", "4", command="pnpm test", output="2 passed", exitCode=0),
        message("toolResult", "6", "5", toolCallId="c2", toolName="bash", content=[words("no")], isError=True),
    )
    roles = ["user", "assistant", "assistant", "toolResult", "bashExecution", "toolResult"]
    assert [entry.role for entry in read.entries] == roles
    assert read.texts[2:] == [
        'Tool: read({"path":"src/a.ts"})',
        "toolResult(read): code",
        "bash$ pnpm test [exit 0]\n2 passed",
        "toolResult(bash) [error]: no",
    ]
    assert [entry.is_error for entry in read.entries] == [False] * 5 + [True]
    assert [entry.prose for entry in read.entries] == [True, True, False, False, False, False]


def test_nothing_long_is_cut() -> None:
    told = only(message("user", content="x" * 3000))
    called = only(message("assistant", content=[call("c1", "bash", command="y" * 3000)]))
    assert told.text == "x" * 3000
    assert "y" * 3000 in called.text


def test_lines_about_settings_are_no_entries_but_places_in_the_tree() -> None:
    read = session(
        message("user", "1", None, content="one"),
        line("model_change", "2", "1", provider="p", modelId="m"),
        line("label", "3", "2", targetId="1", label="begin"),
        line("custom", "4", "3", customType="x", data={}),
        line("of_tomorrow", "5", "4"),
        message("user", "6", "5", content="two"),
    )
    assert read.texts == ["one", "two"]
    assert read.lineage.ids == ("1", "2", "3", "4", "5", "6")
    assert read.state.skipped == {"model_change": 1, "label": 1, "custom": 1, "of_tomorrow": 1}


def test_thinking_is_read_only_where_it_is_wanted() -> None:
    said = message("assistant", content=[{"type": "thinking", "thinking": "a plan"}, words("Done.")])
    assert only(said).text == "Done."
    assert only(said, policy=LOUD).text == "a plan\nDone."
    alone = message("assistant", content=[{"type": "thinking", "thinking": "a plan"}])
    assert not only(alone, policy=LOUD).prose


def test_the_output_of_tools_is_left_out_where_it_is_not_wanted() -> None:
    result = message("toolResult", toolCallId="c", toolName="read", content=[words("secret")], isError=True)
    shell = message("bashExecution", command="cat f", output="secret", exitCode=2)
    assert only(result, policy=QUIET).text == "toolResult(read) [error]"
    assert only(shell, policy=QUIET).text == "bash$ cat f [exit 2]"
    assert "secret" in only(result).text
    assert "secret" in only(shell).text


def test_words_thoughts_calls_and_the_error_stand_in_the_order_of_the_message() -> None:
    blocks = [call("c1", "ls"), words("then"), {"type": "image", "data": "AAAA"}, call("c2", "read", path="日本.md")]
    entry = only(message("assistant", content=blocks, stopReason="error", errorMessage="overloaded"))
    assert entry.text == 'Tool: ls({})\nthen\nTool: read({"path":"日本.md"})\nError: overloaded'
    assert (entry.tool, entry.calls) == ("ls", (("c1", "ls"), ("c2", "read")))


@pytest.mark.parametrize(
    ("value", "role", "text"),
    [
        (message("user", content=[words("a"), {"type": "image", "data": "AA"}, words("b")]), "user", "a\nb"),
        (message("custom", customType="note", content="hello", display=True), "custom", "[note] hello"),
        (message("hookMessage", customType="note", content="hello"), "custom", "[note] hello"),
        (line("custom_message", customType="note", content=[words("hello")]), "custom", "[note] hello"),
        (line("custom_message", customType="", content="hello"), "custom", "hello"),
        (line("compaction", summary="so far", retainedTail=[]), "compaction", "compaction: so far"),
        (message("compactionSummary", summary="so far"), "compactionSummary", "compaction: so far"),
        (message("branchSummary", summary="prose", fromId="x"), "branchSummary", ""),
        (line("branch_summary", summary="prose", fromId="x"), "branchSummary", ""),
        (message("of_tomorrow", content="unread"), "of_tomorrow", ""),
    ],
)
def test_the_text_of_each_kind_of_line(value: dict[str, object], role: str, text: str) -> None:
    entry = only(value)
    assert (entry.role, entry.text) == (role, text)
    assert entry.prose == (role == "user")


def test_a_message_without_a_role_is_passed_by() -> None:
    read = session(
        line("message", message={"content": "lost"}), line("message", "b"), message("user", "c", content="x")
    )
    assert read.texts == ["x"]
    assert read.state.skipped == {"message": 2}


def test_the_time_is_that_of_the_line_and_otherwise_that_of_the_message() -> None:
    said = message("user", content="x", timestamp=1772359201000)
    assert only(said).timestamp == 1772359201000
    assert only({**said, "timestamp": "2026-03-01T11:00:01.500+01:00"}).timestamp == 1772359201500
    assert only({**said, "timestamp": 1772359209}).timestamp == 1772359209000
    assert only({**said, "timestamp": "yesterday"}).timestamp == 1772359201000
    assert only({**message("user", content="x"), "timestamp": None}).timestamp is None


@pytest.mark.parametrize(
    ("key", "counts"),
    [
        *((key, True) for key in ("file", "files", "Path", "PATHS", "file_path", "test_files", "FILE_PATH", "_file")),
        *((key, True) for key in ("filePath", "targetFile", "absolutePaths", "changedFiles", "filename")),
        *((key, False) for key in ("profile", "PROFILE", "logfile", "dir", "cwd", "path_hint", "paths2")),
    ],
)
def test_a_file_is_told_by_the_name_of_its_argument(key: str, counts: bool) -> None:
    entry = only(message("assistant", content=[call("c", "edit", **{key: " a.py "})]))
    assert entry.paths == (("a.py",) if counts else ())


def test_files_are_found_at_every_depth_once_and_in_their_order() -> None:
    first = call("c1", "edit", edits=[{"path": "b.py"}, {"path": "a.py", "note": "x"}], files=["c.py", "", [" b.py"]])
    second = call("c2", "read", path={"name": "no"}, file="d.py")
    assert only(message("assistant", content=[first, second])).paths == ("b.py", "a.py", "c.py", "d.py")


def test_a_result_is_named_by_the_call_that_it_answers() -> None:
    read = session(
        message("assistant", "1", None, content=[call("c1", "grep")]),
        message("toolResult", "2", "1", toolCallId="c1", content="as a string"),
        message("toolResult", "3", "2", toolCallId="c9", content="of nothing"),
    )
    assert read.texts[1:] == ["toolResult(grep): as a string", "toolResult: of nothing"]
    assert read.entries[1].calls == (("c1", "grep"),)
    assert list(read.alone(read.records[2])) == [read.entries[1]]


def test_the_header_names_the_session() -> None:
    header = {**HEADER, "parentSession": "/sessions/old.jsonl"}
    state = Session(
        source([line("session_info", name="First"), line("session_info", name="Second")], header=header)
    ).state
    assert (state.session_id, state.cwd, state.started) == ("s", "/home/ada/demo", 1772359200000)
    assert (state.title, state.parent) == ("Second", "/sessions/old.jsonl")
    branched = Session(source([], header={**HEADER, "branchedFrom": "old"})).state
    assert branched.parent == "old"


def test_the_last_header_wins_and_is_no_place_in_the_tree() -> None:
    read = session(message("user", "1", None, content="x"), {**HEADER, "id": "s2", "cwd": "/elsewhere"})
    assert (read.state.session_id, read.state.cwd) == ("s2", "/elsewhere")
    assert read.lineage.ids == ("1",)
    assert [node for _, node in read.nodes][::2] == [None, None]


def test_a_session_of_version_1_is_linear() -> None:
    lines = [message("user", content="one"), message("assistant", content="two"), line("compaction", summary="three")]
    for value in lines:
        del value["id"], value["parentId"]
    header = {key: value for key, value in HEADER.items() if key != "version"}
    read = Session(source(lines, header=header))
    assert [entry.text for entry in read.active] == ["one", "two", "compaction: three"]
    assert [node for _, node in read.nodes] == [None] * 4
    assert PI.claims([header])


def test_what_openclaw_does_otherwise_is_understood() -> None:
    read = session(
        message("system", "1", "s", content="You are a helper."),
        message("assistant", "2", "1", content=[call("c1", "read", path="a.md")]),
        message("toolResult", "3", "c1", toolCallId="c1", toolName="read", content="words"),
        line("compact", "4", "3", summary="so far"),
    )
    assert read.texts[0] == "You are a helper."
    assert read.lineage.ids == ("1", "2", "3", "4")
    assert read.lineage.reasons == ()
    assert read.entries[-1].type == "compaction"


def test_the_id_of_an_entry_is_not_taken_for_that_of_a_call() -> None:
    read = session(
        message("assistant", "1", None, content=[call("3", "read")]),
        message("toolResult", "2", "3", toolCallId="3", content="words"),
        message("user", "3", "2", content="thanks"),
        message("assistant", "4", "3", content=[words("welcome")]),
    )
    assert read.lineage.ids == ("1", "2", "3", "4")


def test_a_tree_that_was_walked_ends_where_it_was_gone_to_until_more_is_said() -> None:
    lines = [
        message("user", "1", None, content="one"),
        message("user", "2", "1", content="two"),
        line("leaf", "3", "2", targetId="1"),
    ]
    assert session(*lines).lineage.ids == ("1",)
    assert session(*lines, message("user", "4", "1", content="three")).lineage.ids == ("1", "4")
    assert session(*lines[:2]).lineage.ids == ("1", "2")


def test_reading_goes_on_where_it_stopped() -> None:
    lines = [
        message("assistant", "1", None, content=[call("c1", "grep")]),
        message("toolResult", "2", "c1", toolCallId="c1", content="found"),
    ]
    whole = session(*lines)
    first = Session(source(lines[:1]))
    kept = type(first.state).from_json(first.state.as_json())
    second = Session(source(lines[1:], header=None), state=kept)
    assert second.texts == whole.texts[1:]
    assert second.nodes[0][1] == whole.nodes[2][1]
    assert second.state == whole.state


@pytest.mark.parametrize(
    ("changed", "claimed"),
    [
        ({}, True),
        ({"version": 1}, True),
        ({"version": 2, "provider": "p"}, True),
        ({"version": 4}, False),
        ({"version": True}, False),
        ({"version": "3"}, False),
        ({"type": "message"}, False),
        ({"id": None}, False),
        ({"cwd": 7}, False),
    ],
)
def test_a_file_is_claimed_by_its_header(changed: dict[str, object], claimed: bool) -> None:
    assert PI.claims([{**HEADER, **changed}]) == claimed


@pytest.mark.parametrize("sample", [[], [None], [[HEADER]], ["session"]])
def test_what_begins_with_no_header_is_not_claimed(sample: list[object]) -> None:
    assert not PI.claims(sample)
