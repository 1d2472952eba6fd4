"""Rollouts of the Codex CLI, in each of their generations."""

import json

import pytest

from conversations.sessions.entries import Policy
from conversations.sessions.formats.registry import detect, format_of
from tests.sessions.reading import ALL, fixture, only_session


def session(name: str, policy: Policy | None = None):
    return only_session("codex", fixture(f"codex/{name}.jsonl"), policy)


def of_items(*payloads):
    lines = [{"timestamp": "2026-02-01T09:00:00Z", "type": "response_item", "payload": one} for one in payloads]
    return only_session("codex", "\n".join(map(json.dumps, lines)).encode())


def said(text, role="user"):
    return {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}


def output_of(output):
    call = {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"}
    return of_items(call, {"type": "function_call_output", "call_id": "c", "output": output}).entries[1]


def test_a_session_is_counted_exactly():
    read = session("wrapped")
    assert (len(read.records), read.bad, len(read.entries), len(read.active)) == (22, [], 14, 14)
    assert read.turns == ["Why does `total` fail?", "Thanks"]
    assert [one.tool for one in read.of_role("assistant") if one.calls] == ["shell", "apply_patch", "shell"]
    assert [one.text for one in read.entries if one.is_error] == ["toolResult(shell) [error]: no such file"]
    assert [one.text for one in read.of_role("assistant") if one.prose] == ["The tax is missing."]


def test_the_first_session_that_is_named_is_this_one():
    state = session("wrapped").state
    assert (state.session_id, state.cwd, state.title) == ("th-1", "/home/ada/shop", "Tax")
    assert (state.started, state.own["branch"], state.skipped["session_meta"]) == (1769936400000, "tax", 1)


def test_a_sub_agent_names_its_parent_and_itself():
    read = session("agent")
    assert (read.state.parent, read.state.agent, read.turns) == ("th-1", "Euclid", [])
    assert [(one.role, one.prose) for one in read.entries] == [("custom", False), ("assistant", False)]


def test_the_oldest_files_have_no_wrapper_and_one_time():
    read = session("bare")
    assert (read.state.session_id, read.state.started) == ("old-1", 1748764800000)
    assert [(one.role, one.text, one.timestamp) for one in read.entries if one.text] == [
        ("user", "List files", None),
        ("assistant", 'Tool: shell({"command":["ls"]})', None),
        ("toolResult", "toolResult(shell): a.txt", None),
        ("assistant", "One file.", None),
    ]


def test_events_are_read_where_no_message_came_as_an_item():
    read = session("events")
    assert [(one.role, one.text, one.prose) for one in read.entries] == [
        ("user", "Hello", True),
        ("assistant", "Hi.", True),
        ("user", "Hello", True),
    ]


def test_what_is_written_twice_is_one_entry():
    read = session("doubled")
    assert [one.text for one in read.entries] == [
        "Hello",
        "Hi.",
        "<skill>what is this?</skill>",
        "<skill>of the client</skill>",
    ]
    # the event says that the person typed the first of these two, which look alike
    assert [one.prose for one in read.entries] == [True, True, True, False]


@pytest.mark.parametrize(
    "text",
    [
        "<environment_context>\n<cwd>/w</cwd>\n</environment_context>",
        "<user_instructions>Be kind.</user_instructions>",
        "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nBe kind.\n</INSTRUCTIONS>",
        "<turn_aborted>\nThe user interrupted.\n</turn_aborted>",
    ],
)
def test_what_the_client_put_in_is_no_turn_of_the_person(text):
    (entry,) = of_items(said(text)).entries
    assert (entry.role, entry.text, entry.prose) == ("user", text, False)
    (quoted,) = of_items(said(f"What is this? {text}")).entries
    assert quoted.prose


def test_the_request_is_what_stands_behind_the_last_heading_of_the_editor():
    wrapped = (
        "# Context from my IDE setup:\n\n## My request for Codex:\nOld\n\n## My request for Codex:\nNew one\nplease"
    )
    assert of_items(said(wrapped)).turns == ["New one\nplease"]
    own = "Explain:\n## My request for Codex:\nwhat is it?"
    assert of_items(said(own)).turns == [own]


def test_what_the_client_put_beside_the_words_of_a_person_is_left_out():
    blocks = ["<environment_context>x</environment_context>", "<image name=[Image #1]>", "</image>", "What is <image>?"]
    content = [{"type": "input_text", "text": text} for text in blocks]
    assert of_items({"type": "message", "role": "user", "content": content}).turns == ["What is <image>?"]
    (picture,) = of_items({"type": "message", "role": "user", "content": content[1:3]}).entries
    assert not picture.prose


def test_a_developer_is_the_system():
    (entry,) = of_items(said("Ask first.", "developer")).entries
    assert (entry.role, entry.prose) == ("system", False)


@pytest.mark.parametrize(
    ("output", "body", "is_error"),
    [
        ("plain", "plain", False),
        ('{"output":"read","metadata":{"exit_code":0}}', "read", False),
        ('{"output":"read","metadata":{"exit_code":2}}', "read", True),
        ({"content": "object", "success": False}, "object", True),
        ({"content": "object", "success": True}, "object", False),
        ([{"type": "input_text", "text": "one"}, {"type": "input_text", "text": "two"}], "one\ntwo", False),
        ({"type": "input_text", "text": "single"}, "single", False),
        ({"other": 1}, '{"other":1}', False),
    ],
)
def test_every_shape_of_an_output_is_read(output, body, is_error):
    entry = output_of(output)
    assert entry.text == f"toolResult(shell){' [error]' if is_error else ''}: {body}"
    assert (entry.is_error, entry.calls) == (is_error, (("c", "shell"),))


def test_arguments_are_whole_and_a_text_that_is_no_json_stays_one():
    calls = [one.text for one in session("wrapped").entries if one.calls and one.role == "assistant"]
    assert calls == [
        'Tool: shell({"command":["cat"],"file_path":"total.py"})',
        "Tool: apply_patch(*** Begin Patch\n+tax)",
        "Tool: shell({not json)",
    ]


def test_a_policy_changes_words_and_no_number():
    plain, full, bare = session("wrapped"), session("wrapped", ALL), session("wrapped", Policy(tool_output=False))
    assert len(plain.entries) == len(full.entries) == len(bare.entries)
    assert [one.text for one in full.entries if one.entry_id == "rs"] == ["Read it first"]
    assert [one.text for one in plain.entries if one.entry_id == "rs"] == [""]
    assert [one.text for one in bare.of_role("toolResult")] == ["toolResult(shell) [error]", "toolResult(apply_patch)"]


def test_a_summary_of_what_was_compacted_is_no_prose():
    (entry,) = session("wrapped").of_role("compaction")
    assert (entry.type, entry.text, entry.prose) == ("compaction", "compaction: The tax was added.", False)


PLAIN = [
    {"timestamp": "2025-09-10T12:00:00Z", "role": "user", "content": "How is hello in Spanish?", "model": "m"},
    {
        "type": "tool_call",
        "timestamp": "2025-09-10T12:00:01Z",
        "function": {"name": "translate"},
        "arguments": '{"to":"es"}',
    },
    {"timestamp": "2025-09-10T12:00:01Z", "type": "tool_result", "name": "translate", "result": "hola"},
    {"timestamp": "2025-09-10T12:00:02Z", "role": "assistant", "content": "hola"},
]


def test_logs_without_a_wrapper_or_a_header_are_read():
    data = "\n".join(map(json.dumps, PLAIN)).encode()
    assert detect(data) is format_of("codex")
    read = only_session("codex", data)
    assert [(one.role, one.tool, one.prose) for one in read.entries] == [
        ("user", None, True),
        ("assistant", "translate", False),
        ("toolResult", "translate", False),
        ("assistant", None, True),
    ]
    assert [one.text for one in read.entries[1:3]] == ['Tool: translate({"to":"es"})', "toolResult(translate): hola"]
    assert read.turns == ["How is hello in Spanish?"]
    messages = "\n".join(json.dumps(one) for one in PLAIN if "role" in one).encode()
    assert detect(messages) is None
