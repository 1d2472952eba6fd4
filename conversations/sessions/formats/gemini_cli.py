"""Session files of the Gemini CLI: one document in older versions, a record a line in newer ones."""

from collections.abc import Iterator, Sequence
from typing import Any

from conversations.sessions.entries import Bad, Entry, Node, Part, Policy, Read, Reader, Record, State
from conversations.sessions.formats.composing import (
    call_text,
    has_words,
    joined,
    list_of,
    milliseconds,
    name_of,
    object_of,
    paths_in,
    result_text,
    string_of,
    text_of_blocks,
)
from conversations.sessions.formats.documents import DocumentFormat, elements_of
from conversations.sessions.formats.jsonl import records_of_lines

_ROLES = {"user": "user", "gemini": "assistant", "info": "system", "warning": "system", "error": "system"}


class GeminiCliFormat(DocumentFormat):
    """The newer files grow, yet a record may change or take back what was said before, so both are read anew."""

    kind = "gemini-cli"
    messages = "messages"

    def claims(self, sample: Sequence[Any]) -> bool:
        first = object_of(sample[0]) if sample else {}
        if not isinstance(first.get("sessionId"), str) or "type" in first:
            return False
        return "projectHash" in first or ("startTime" in first and isinstance(first.get("messages"), list))

    def reader(self, policy: Policy, state: State | None = None) -> "GeminiCliReader":
        return GeminiCliReader(policy, state)

    def identity(self, conversation: dict[str, Any]) -> Any:
        return conversation.get("sessionId")

    def parts(self, source: bytes) -> Sequence[Part]:
        if _is_document(source):
            return super().parts(source)
        name = next((string_of(object_of(one.value).get("sessionId")) for one in elements_of(source)), "")
        return [Part(name, 0, len(source))]

    def records(self, source: bytes, *, begin: int = 0, ordinal: int = 0) -> Iterator[Record | Bad]:
        if _is_document(source):
            return super().records(source, begin=begin, ordinal=ordinal)
        return records_of_lines(source, begin=begin, ordinal=ordinal)


def _is_document(source: bytes) -> bool:
    """Whether the first session has its messages in it. A file of lines begins with a session that has none."""
    first = next(elements_of(source), None)
    return first is not None and bool(list_of(object_of(first.value).get("messages")))


class GeminiCliReader(Reader):
    """In ``state.own``: ``parents``, the message before each, by its id. A message that comes again takes the place of
    the first, so the last in the order of the conversation is ``state.previous``, and the leaf."""

    def read(self, record: Record) -> Read:
        value = object_of(record.value)
        if "$rewindTo" in value:
            self._go_back(string_of(value["$rewindTo"]))
            return Read()
        if "$set" in value:
            changed = object_of(value["$set"])
            self._describe(changed)
            return self._rewritten(record, list_of(changed.get("messages")))
        if "sessionId" in value and "type" not in value:
            self._describe(value)
            return Read()
        kind = string_of(value.get("type"))
        role = _ROLES.get(kind)
        if role is None:
            self.state.skip(f"type:{kind}")
            return Read()
        return Read(self._node(value), self._entries(record, value, role))

    def _describe(self, value: dict[str, Any]) -> None:
        state = self.state
        state.session_id = string_of(value.get("sessionId")) or state.session_id
        state.title = string_of(value.get("summary")) or state.title
        state.started = milliseconds(value.get("startTime")) or state.started
        folders = [string_of(folder) for folder in list_of(value.get("directories"))]
        state.cwd = state.cwd or next(filter(None, folders), "")
        if value.get("kind") == "subagent":
            state.agent = state.session_id

    def _rewritten(self, record: Record, messages: list[Any]) -> Read:
        """The context of the model written anew: what was told before is not told again. All messages that are new
        take one place in the tree, that of the last."""
        parents: dict[str, Any] = self.state.own.setdefault("parents", {})
        before, entries, child = self.state.previous, [], 0
        for message in map(object_of, messages):
            role, identity = _ROLES.get(string_of(message.get("type"))), name_of(message.get("id"))
            made = self._entries(record, message, role) if role else []
            for entry in made:
                entry.child, child = child, child + 1
            if identity and made and identity not in parents:
                parents[identity] = before
                self.state.previous = self.state.leaf = identity
                entries += made
        last = entries[-1].entry_id if entries else None
        return Read(Node(last, before) if last else None, entries)

    def _go_back(self, identity: str) -> None:
        """The message and all behind it are taken back; one that is not known takes back everything."""
        parents: dict[str, Any] = object_of(self.state.own.get("parents"))
        self.state.previous = self.state.leaf = parents.get(identity)

    def _node(self, value: dict[str, Any]) -> Node | None:
        identity = name_of(value.get("id"))
        if identity is None:
            return None
        parents: dict[str, Any] = self.state.own.setdefault("parents", {})
        if identity not in parents:
            parents[identity] = self.state.previous
            self.state.previous = self.state.leaf = identity
        return Node(identity, parents[identity])

    def _entries(self, record: Record, value: dict[str, Any], role: str) -> list[Entry]:
        calls = [object_of(call) for call in list_of(value.get("toolCalls"))]
        entries = [self._message(record, value, role, calls)]
        answered = [call for call in calls if call.get("result") is not None or call.get("status") == "error"]
        entries += [self._result(record, child, call) for child, call in enumerate(answered, 1)]
        for entry in entries:
            entry.entry_id = name_of(value.get("id"))
            entry.timestamp = milliseconds(value.get("timestamp"))
        return entries

    def _message(self, record: Record, value: dict[str, Any], role: str, calls: list[dict[str, Any]]) -> Entry:
        shown = text_of_blocks(value.get("displayContent")) if role == "user" else ""
        said = shown or text_of_blocks(value.get("content"))
        named = [(string_of(call.get("id")), string_of(call.get("name"))) for call in calls]
        texts = [call_text(name, call.get("args")) for (_, name), call in zip(named, calls, strict=True)]
        entry = Entry(record.ordinal, record.start, record.end, 0, "message", role, "")
        entry.text = joined([*self._thoughts(value), said, *texts])
        entry.tool = named[0][1] or None if named else None
        entry.calls = tuple((identity, name) for identity, name in named if identity)
        entry.paths = paths_in([call.get("args") for call in calls])
        entry.is_error = value.get("type") == "error"
        entry.prose = role != "system" and has_words(said)
        self.state.calls.update(entry.calls)
        return entry

    def _thoughts(self, value: dict[str, Any]) -> list[str]:
        thoughts = [object_of(thought) for thought in list_of(value.get("thoughts"))]
        told = [string_of(one.get(key)) for one in thoughts for key in ("subject", "description")]
        return told if self.policy.thinking else []

    def _result(self, record: Record, child: int, call: dict[str, Any]) -> Entry:
        identity, name = string_of(call.get("id")), string_of(call.get("name"))
        failed = call.get("status") == "error"
        body = joined(_responses(call.get("result"))) or string_of(call.get("resultDisplay"))
        text = result_text(name, body, is_error=failed, policy=self.policy)
        entry = Entry(record.ordinal, record.start, record.end, child, "message", "toolResult", text)
        entry.tool = name or None
        entry.is_error = failed
        entry.calls = ((identity, name),) if identity else ()
        return entry


def _responses(result: Any) -> list[str]:
    """What a tool answered: a text, or parts that hold a text or the response of a function."""
    texts: list[str] = []
    for part in result if isinstance(result, list) else [result]:
        response = object_of(object_of(object_of(part).get("functionResponse")).get("response"))
        texts += [text_of_blocks(part), *(text_of_blocks(response.get(key)) for key in ("output", "error"))]
    return texts
