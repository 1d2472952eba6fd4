"""Exports of ChatGPT."""

import json

from conversations.sessions.entries import Policy
from tests.sessions.reading import ALL, fixture, only_session, sessions


def first(policy: Policy | None = None):
    return sessions("chatgpt", fixture("chatgpt/export.json"), policy)[0]


def of_nodes(*nodes, **conversation):
    mapping = {node["id"]: node for node in nodes}
    return only_session("chatgpt", json.dumps({"id": "c", "mapping": mapping, **conversation}).encode())


def node(identity, parent, role="user", time=None, **message):
    content = {"content_type": "text", "parts": [identity]}
    said = {"author": {"role": role}, "create_time": time, "content": content, **message}
    return {"id": identity, "parent": parent, "message": said}


def test_a_conversation_is_counted_exactly():
    read = first()
    assert (len(read.records), read.bad, len(read.entries), len(read.active)) == (13, [], 9, 8)
    assert read.turns == ["What is the tax in 東京?"]
    assert [one.tool for one in read.of_role("assistant") if one.calls] == ["web.search", "python"]
    assert [one.text for one in read.entries if one.is_error] == ["toolResult(python) [error]: invalid syntax"]
    assert read.state.skipped == {"empty:system": 1, "empty:assistant": 1}


def test_a_conversation_says_who_it_is():
    state = first().state
    assert (state.session_id, state.title, state.started, state.leaf) == ("c-1", "Tax — café", 1767225600500, "a1")


def test_what_the_product_knows_of_the_person_is_no_turn():
    (about,) = first().of_role("custom")
    assert (about.text, about.prose) == ("[user_editable_context] I run a café\nBe brief", False)


def test_a_message_to_a_tool_is_a_call_and_its_answer_names_it():
    read = first()
    call, answer = [one for one in read.entries if one.tool == "web.search"]
    assert (call.role, call.text, call.prose) == (
        "assistant",
        'Tool: web.search({"query":"tax","path":"rates.csv"})',
        False,
    )
    assert call.paths == ("rates.csv",)
    assert (answer.role, answer.text) == ("toolResult", "toolResult(web.search): ten percent")
    assert call.calls == answer.calls == (("call", "web.search"),)


def test_marks_of_citations_are_no_words_of_an_answer():
    assert [one.text for one in first().entries if one.entry_id == "a1"] == ["Ten percent, see."]
    quoted = "Who wrote 【3†source】?"
    content = {"content_type": "text", "parts": [quoted]}
    assert of_nodes(node("q", None, content=content)).turns == [quoted]


def test_a_policy_changes_words_and_no_number():
    plain, full, bare = first(), first(ALL), first(Policy(tool_output=False))
    assert len(plain.entries) == len(full.entries) == len(bare.entries)
    assert [one.text for one in full.entries if one.entry_id == "think"] == ["Rates\nLook them up"]
    assert [one.text for one in plain.entries if one.entry_id == "think"] == [""]
    assert bare.of_role("toolResult")[0].text == "toolResult(web.search)"


def test_where_no_end_is_named_the_latest_leaf_is_it():
    read = sessions("chatgpt", fixture("chatgpt/export.json"))[1]
    assert [one.text for one in read.active] == ["Explain", "New answer"]
    nodes = [node("b", "a", time=5), node("c", "b"), node("a", None, time=1), node("d", "a", time=2)]
    assert of_nodes(*nodes).state.leaf == "c"
    assert of_nodes(*nodes, current_node="nowhere").state.leaf == "c"
    assert of_nodes(*nodes, current_node="d").state.leaf == "d"


def test_a_node_without_an_id_is_named_by_its_key():
    read = only_session("chatgpt", fixture("chatgpt/single.json"))
    assert [(one.entry_id, one.text, one.timestamp) for one in read.entries] == [("n1", "First\nSecond", 1701000100000)]


def test_a_hidden_message_is_no_turn():
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    shown, aside = of_nodes(node("a", None), node("b", "a", **hidden)).entries
    assert (shown.prose, aside.prose) == (True, False)
