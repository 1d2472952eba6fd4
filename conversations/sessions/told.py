"""What was told turn by turn, as a session: its steps are the source, one record each."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from django.db.models import Prefetch

from conversations.models import TOLD, Chunk, Conversation, Session, SourceOrigin, Step, Turn
from conversations.sessions.entries import Entry, Node, Policy, Read, Reader, Record, State
from conversations.sessions.heads import Heads
from conversations.sessions.lineage import fingerprint
from conversations.sessions.log import next_numbers
from pawflow_web.identity.clock import Clock, user_clock
from pawflow_web.lib.text import whole

# The last chunk takes steps until it has so many.
_FULL = 200
# The source of conversations that are told.
_TOLD_BY_API = "api"
# Roles of the steps that are no messages.
_ROLES = {"tool_call": "assistant", "tool_result": "toolResult", "thinking": "assistant"}


class ToldReader(Reader):
    """Reads steps. The value of a record is what :func:`record_of` makes of one."""

    def read(self, record: Record) -> Read:
        value = record.value
        said: dict[str, Any] = value["said"]
        kind, tool, call = value["kind"], _text(said.get("tool")), _text(said.get("call_id"))
        if kind == "tool_call" and call:
            self.state.calls[call] = tool
        tool = tool or (self.state.calls.get(call, "") if kind == "tool_result" else "")
        entry = Entry(
            ordinal=record.ordinal,
            start=record.start,
            end=record.end,
            child=0,
            type="message",
            role=_ROLES.get(kind) or _text(said.get("role")) or value["role"],
            text=self._told(kind, tool, _text(said.get("content", ""))),
            entry_id=value["id"],
            parent_id=value["parent"],
            tool=tool or None,
            timestamp=value["at"],
            prose=kind == "message" and (_text(said.get("role")) or value["role"]) in {"user", "assistant"},
            calls=((call, tool),) if call and tool else (),
        )
        self.state.previous = value["id"]
        return Read(None, (entry,))

    def _told(self, kind: str, tool: str, content: str) -> str:
        if kind == "thinking":
            return content if self.policy.thinking else ""
        if kind == "tool_call":
            return f"Tool: {tool}({content})"
        if kind == "tool_result":
            named = f"toolResult({tool})" if tool else "toolResult"
            return f"{named}: {content}" if content and self.policy.tool_output else named
        return content


def name_of(turn: Turn, step: Step) -> str:
    """The entry of a turn's first step has the name of the turn."""
    return str(turn) if step.number == 1 else f"{turn}/{step.number}"


def record_of(turn: Turn, step: Step, ordinal: int, parent: str | None) -> Record:
    """A step as a record, said after ``parent``. Its place is its number in the database."""
    value = {
        "said": json.loads(step.raw),
        "kind": step.kind,
        "role": turn.role,
        "id": name_of(turn, step),
        "parent": parent,
        "at": round(turn.at.timestamp() * 1000),
    }
    return Record(ordinal, step.pk, step.pk + 1, value)


def follow_telling(clock: Clock, conversation: Conversation, told: Sequence[tuple[Turn, Sequence[Step]]]) -> None:
    """Append what was just told to the session of its conversation, which begins with it. The owner's clock is held.

    Nothing of an encrypted or a temporary conversation becomes an entry.
    """
    if conversation.encrypted or conversation.temporary:
        return
    session = Session.objects.filter(conversation=conversation).first() or _begun(conversation, clock.at)
    reader = ToldReader(Policy(), State.from_json(session.state))
    digest = hashlib.sha256(session.source_hash.encode())
    heads = Heads()
    for turn, steps in told:
        for step in steps:
            node = Node(name_of(turn, step), reader.state.previous)
            record = record_of(turn, step, session.records, node.parent)
            heads.add(record.ordinal, record.start, record.end, node, reader.read(record).entries)
            digest.update(step.raw.encode("utf-8", "surrogatepass"))
            session.records += 1
            session.size += len(step.raw)
    session.source_hash = digest.hexdigest()
    session.state = reader.state.as_json()
    session.mtime = clock.at
    session.entries += len(heads.entries)
    session.active_entries = session.entries
    session.changed_seq = next_numbers(clock)[0]
    session.save()
    _append(session, heads)


def adopt(user_id: int) -> int:
    """Make the sessions of what was told before there were any. Returns how many."""
    waiting = Conversation.objects.filter(
        user_id=user_id, session__isnull=True, turns__gt=0, encrypted=False, temporary=False
    )
    made = 0
    for conversation in waiting.filter(source=_TOLD_BY_API):
        with user_clock(user_id) as clock:
            if Session.objects.filter(conversation=conversation).exists():
                continue
            turns = Turn.objects.filter(conversation=conversation).order_by("pk").select_related("run")
            steps = Prefetch("steps", queryset=Step.objects.order_by("number"))
            told = [(turn, list(turn.steps.all())) for turn in turns.prefetch_related(steps)]
            for begin in range(0, len(told), _FULL):
                follow_telling(clock, conversation, told[begin : begin + _FULL])
            made += 1
    return made


def _begun(conversation: Conversation, at: datetime) -> Session:
    return Session(
        user_id=conversation.user_id,
        conversation=conversation,
        kind=TOLD,
        origin=SourceOrigin.TOLD,
        session_id=conversation.external_id or conversation.ref,
        mtime=at,
        source_hash=hashlib.sha256(conversation.ref.encode()).hexdigest(),
        lineage=fingerprint("active", None, ()),
        changed_seq=0,
        state=State().as_json(),
    )


def _append(session: Session, heads: Heads) -> None:
    last = Chunk.objects.filter(session=session).order_by("-number").first()
    if last is not None and last.entries < _FULL:
        grown = Heads.unpack(last.heads)
        grown.extend(heads)
        heads, chunk = grown, last
    else:
        number = 0 if last is None else last.number + 1
        chunk = Chunk(user_id=session.user_id, session=session, number=number, start=heads.records[0].start)
    chunk.size = heads.records[-1].end - chunk.start
    chunk.heads = heads.pack()
    chunk.entries = chunk.active_entries = len(heads.entries)
    chunk.seq = session.changed_seq
    chunk.save()


def steps_of(wanted: Iterable[tuple[Heads, Iterable[int]]]) -> dict[int, Step]:
    """The steps behind records at some places of chunks, by their numbers: one statement for all."""
    numbers = [heads.records[place].start for heads, places in wanted for place in places]
    if not numbers:
        return {}
    return Step.objects.select_related("turn__run").in_bulk(numbers)


def records_of(
    session: Session, heads: Heads, places: Iterable[int], steps: Mapping[int, Step]
) -> Iterator[tuple[int, Record]]:
    """The records at these places of a chunk, made of their steps; what is gone is left out."""
    for place in places:
        head = heads.records[place]
        step = steps.get(head.start)
        if step is not None and step.turn.conversation_id == session.conversation_id:
            yield place, record_of(step.turn, step, head.ordinal, head.parent)


def _text(content: Any) -> str:
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    return "" if content is None else whole(text).replace("\0", "\N{REPLACEMENT CHARACTER}")
