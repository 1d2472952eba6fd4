"""Exports of ChatGPT: conversations, each a tree of messages by their ids."""

import re
from collections.abc import Sequence
from typing import Any

from conversations.sessions.entries import Entry, Node, Policy, Read, Reader, Record, State
from conversations.sessions.formats.composing import (
    arguments_of,
    call_text,
    first_string,
    has_words,
    joined,
    list_of,
    milliseconds,
    name_of,
    object_of,
    paths_in,
    result_text,
    string_of,
)
from conversations.sessions.formats.documents import DocumentFormat

# Marks of citations: between private characters, and in older texts in lenticular brackets.
_CITATIONS = re.compile("\ue200[^\ue200\ue201]*\ue201|【[^【】\n]{0,200}†[^【】\n]{0,200}】|[\ue200-\ue202]")
_THOUGHTS = {"thoughts", "reasoning_recap"}
_ABOUT_THE_PERSON = "user_editable_context"


class ChatGptFormat(DocumentFormat):
    kind = "chatgpt"
    messages = "mapping"

    def claims(self, sample: Sequence[Any]) -> bool:
        return any(_is_tree(object_of(value).get("mapping")) for value in sample)

    def reader(self, policy: Policy, state: State | None = None) -> "ChatGptReader":
        return ChatGptReader(policy, state)

    def identity(self, conversation: dict[str, Any]) -> Any:
        return first_string(conversation.get("conversation_id"), conversation.get("id"))

    def message(self, name: str, value: dict[str, Any]) -> dict[str, Any]:
        return value if name_of(value.get("id")) else {**value, "id": name}


def _is_tree(value: Any) -> bool:
    nodes = list(object_of(value).values())
    return bool(nodes) and all("message" in object_of(node) or "parent" in object_of(node) for node in nodes[:5])


class ChatGptReader(Reader):
    """In ``state.own``: ``current``, the node that the source calls the end of the conversation, until it was read;
    ``latest``, the time of the leaf that stands in for it."""

    def read(self, record: Record) -> Read:
        value = object_of(record.value)
        if not {"message", "parent", "children"} & value.keys():
            self._conversation(value)
            return Read()
        message = object_of(value.get("message"))
        identity = name_of(value.get("id"))
        node = Node(identity, name_of(value.get("parent"))) if identity else None
        if node:
            self._leaf(node, milliseconds(message.get("create_time")))
        entry = self._entry(record, message, node) if message else None
        return Read(node, [entry] if entry else [])

    def _conversation(self, value: dict[str, Any]) -> None:
        self.state.session_id = first_string(value.get("conversation_id"), value.get("id"))
        self.state.title = string_of(value.get("title"))
        self.state.started = milliseconds(value.get("create_time"))
        self.state.own["current"] = string_of(value.get("current_node"))

    def _leaf(self, node: Node, time: int | None) -> None:
        """The node that the source names, once it is there; until then the one with the latest time, or what follows
        on it. Few nodes without a time are ends, so one counts only there."""
        current, latest = self.state.own.get("current"), self.state.own.get("latest", -1)
        if current and self.state.leaf == current:
            return
        later = time is not None and time >= latest
        if later or node.id == current or node.parent == self.state.leaf:
            self.state.leaf = node.id
            self.state.own["latest"] = time if later else latest

    def _entry(self, record: Record, message: dict[str, Any], node: Node | None) -> Entry | None:
        role = string_of(object_of(message.get("author")).get("role"))
        content = object_of(message.get("content"))
        words = _words(content)
        if not has_words(words):
            self.state.skip(f"empty:{role}")
            return None
        entry = Entry(record.ordinal, record.start, record.end, 0, "message", role or None, words)
        entry.entry_id = node.id if node else None
        entry.parent_id = node.parent if node else None
        entry.timestamp = milliseconds(message.get("create_time"))
        match role:
            case "user":
                self._of_user(entry, message, content)
            case "assistant":
                self._of_assistant(entry, message, content)
            case "tool":
                self._of_tool(entry, message, content)
            case "system":
                pass
            case _:
                self.state.skip(f"role:{role}")
                return None
        return entry

    def _of_user(self, entry: Entry, message: dict[str, Any], content: dict[str, Any]) -> None:
        metadata = object_of(message.get("metadata"))
        if content.get("content_type") == _ABOUT_THE_PERSON:
            entry.role = "custom"
            entry.text = f"[{_ABOUT_THE_PERSON}] {entry.text}"
        hidden = metadata.get("is_visually_hidden_from_conversation") is True
        entry.prose = entry.role == "user" and not hidden

    def _of_assistant(self, entry: Entry, message: dict[str, Any], content: dict[str, Any]) -> None:
        recipient = string_of(message.get("recipient")) or "all"
        if string_of(content.get("content_type")) in _THOUGHTS:
            entry.text = entry.text if self.policy.thinking else ""
        elif recipient != "all":
            arguments = arguments_of(entry.text)
            entry.text = call_text(recipient, arguments)
            entry.tool = recipient
            entry.paths = paths_in(arguments)
            self._call(entry, entry.entry_id, recipient)
        else:
            entry.text = _CITATIONS.sub("", entry.text)
            entry.prose = True

    def _of_tool(self, entry: Entry, message: dict[str, Any], content: dict[str, Any]) -> None:
        called = self.state.calls.get(entry.parent_id or "", "")
        name = string_of(object_of(message.get("author")).get("name")) or called
        entry.role = "toolResult"
        entry.tool = name or None
        entry.is_error = content.get("content_type") == "system_error"
        entry.text = result_text(name, entry.text, is_error=entry.is_error, policy=self.policy)
        if called:
            self._call(entry, entry.parent_id, called)

    def _call(self, entry: Entry, identity: str | None, name: str) -> None:
        if identity:
            self.state.calls[identity] = name
            entry.calls = ((identity, name),)


def _words(content: dict[str, Any]) -> str:
    """The words of a message's content, whatever its type."""
    if content.get("content_type") == _ABOUT_THE_PERSON:
        return joined([string_of(content.get(key)) for key in ("user_profile", "user_instructions")])
    keys = ("content", "title", "text", "result", "model_set_context", "url")
    texts = [string_of(content.get(key)) for key in keys]
    parts = [_part(part) for part in list_of(content.get("parts"))]
    thoughts = [object_of(thought) for thought in list_of(content.get("thoughts"))]
    return joined([*parts, *texts, *(string_of(one.get(key)) for one in thoughts for key in ("summary", "content"))])


def _part(part: Any) -> str:
    return string_of(part) or string_of(object_of(part).get("text"))
