"""Taking in session files: new bytes are read on, a rewritten file is read anew, and what was read stays as it came."""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from conversations.models import Chunk, Conversation, Project, Session, SessionGone, SourceOrigin
from conversations.models.session import PATH_LONGEST
from conversations.sessions.chunks import OPEN_BYTES, Cut, Reading, read_all
from conversations.sessions.entries import Format, Policy, State
from conversations.sessions.formats.registry import detect, format_of
from conversations.sessions.heads import Heads, compressed
from conversations.sessions.lineage import fingerprint, lineage_of
from conversations.sessions.log import next_numbers
from pawflow_web.identity.clock import Clock, now, user_clock
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, Invalid
from pawflow_web.lib.scanner import scan
from pawflow_web.lib.text import whole

AUTO = "auto"
TITLE_LONGEST = 120
# A part of a file is named behind the path of the file.
_PART_LONGEST = 300
FILE_PATH_LONGEST = PATH_LONGEST - 400
# Calls of tools whose answers may stand in what comes next.
_CALLS = 1000


@dataclass(slots=True)
class _Stored:
    """A session as it will be written: its chunks from number ``first`` on, and those before whose heads changed."""

    session: Session
    title: str
    first: int
    chunks: list[Chunk]
    marked: list[Chunk] = field(default_factory=list)
    # what the session looked like when it was read
    seen: str = ""


@dataclass(frozen=True, slots=True)
class Source:
    """A file of sessions as it came. ``path`` tells it from others; ``mtime`` is when it changed, None for now."""

    path: str
    data: bytes
    kind: str = AUTO
    mtime: datetime | None = None
    origin: SourceOrigin = SourceOrigin.SENT


def store_source(
    *, principal: Principal, source: Source, project: Project | None = None, again: bool = False
) -> list[Session]:
    """Keep what a file holds, each of its sessions as a conversation of its own. What is there already stays; a file
    that grew is read on, one that was rewritten is read anew. ``again``: read anew what did not change either, here one
    session under the path that it has. What was deleted comes from a watched folder no more.

    Raises:
        Invalid: it is of no known kind, or of another one than is said, or its path is too long.
        Conflict: another process took in the same file at the same moment, or its path is that of a part of another.
    """
    if len(source.path) > FILE_PATH_LONGEST and not again:
        message = f"must have at most {FILE_PATH_LONGEST} characters"
        raise Invalid(f"The path of the file {message}.", fields={"path": message})
    form = _format(source)
    at = source.mtime or now()
    away = _kept_away(principal) if source.origin == SourceOrigin.WATCHED else frozenset()
    stored, passed = [], False
    for part in form.parts(source.data):
        whole_file = part.start == 0 and part.end == len(source.data)
        piece = source.data if whole_file else source.data[part.start : part.end]
        path = f"{source.path}#{_short(part.name)}" if part.name and not again else source.path
        if away and digest_of(path) in away:
            passed = True
            continue
        found = _read(principal, form, replace(source, path=path, data=piece, mtime=at), again=again)
        if isinstance(found, Session):
            stored.append(found)
        elif found.session.pk is not None or found.session.entries or (form.appends and found.session.records):
            stored.append(_write(principal, found, project))
    if not stored and not passed:
        raise Invalid("There is no session in this file.", fields={"kind": "holds no session"})
    return stored


def digest_of(path: str) -> str:
    """What stands for a path where nothing of it is to be left."""
    return hashlib.sha256(path.encode()).hexdigest()


def _kept_away(principal: Principal) -> frozenset[str]:
    gone = SessionGone.objects.filter(user_id=principal.user_id).exclude(path_digest="")
    return frozenset(gone.values_list("path_digest", flat=True))


def _short(name: str) -> str:
    """The name of a part, with a digest in the place of an end that a path has no room for."""
    if len(name) <= _PART_LONGEST:
        return name
    return f"{name[:_PART_LONGEST]}~{hashlib.sha256(name.encode()).hexdigest()[:16]}"


def _format(source: Source) -> Format:
    form = detect(source.data) if source.kind == AUTO else format_of(source.kind)
    if form is None:
        raise Invalid("This file is of no kind that is known here.", fields={"kind": "cannot be told from the file"})
    return form


def _read(principal: Principal, form: Format, source: Source, *, again: bool) -> Session | _Stored:
    """What one session says, read outside of any transaction; the session as it is where nothing is new."""
    path, data = source.path, source.data
    digest = hashlib.sha256(data).hexdigest()
    known = Session.objects.visible_to(principal).select_related("conversation").filter(path=path).first()
    same = known is not None and known.source_hash == digest and known.kind == form.kind
    if known is not None and same and not again:
        return known
    if known is not None and known.kind != form.kind and "#" in path:
        raise Conflict(f"{ascii(path)[:200]} is a part of another file.", fields={"path": "names something else"})
    if known is None or same or known.kind != form.kind or not form.appends or not _continues(known, data):
        session = known or Session(user_id=principal.user_id, path=path)
        seen = session.source_hash
        session.records = session.bad_lines = 0
        state, old, begin = State(), [], 0
    else:
        session, seen = known, known.source_hash
        state, old, begin = State.from_json(known.state), list(known.chunks.order_by("number")), known.consumed
    reader = form.reader(Policy(), state)
    reading = read_all(form.records(data, begin=begin, ordinal=session.records), reader, begin=begin, size=len(data))
    session.kind, session.source_hash, session.size = form.kind, digest, len(data)
    session.mtime, session.origin = source.mtime or now(), source.origin
    session.consumed = reading.consumed
    session.records += reading.records
    session.bad_lines += reading.bad
    _describe(session, reader.state, path)
    stored = _chunked(session, data, reading, old, begin)
    stored.seen = seen
    stored.title = reader.state.title or reading.opening
    return stored


def _continues(known: Session, data: bytes) -> bool:
    return len(data) > known.size and hashlib.sha256(data[: known.size]).hexdigest() == known.source_hash


def _name(text: str, longest: int) -> str:
    """What a column can hold of a name."""
    return whole(text).replace("\0", "")[:longest]


def _storable(state: State) -> dict[str, Any]:
    """The state as JSON that PostgreSQL takes; of the calls those that may still be answered."""
    kept = replace(state, calls=dict(list(state.calls.items())[-_CALLS:])).as_json()
    text = whole(json.dumps(kept, ensure_ascii=False)).replace("\\u0000", "\\ufffd")
    value: dict[str, Any] = json.loads(text)
    return value


def _titled(text: str) -> tuple[str, bool]:
    """A title and whether it must stay out of prompts. Words that are a secret make none."""
    words = _name(" ".join(text.split()), 2000)
    # Looked at before it is cut: half a secret is one too, and is not known for it.
    kinds = {finding.kind for finding in scan(words) if finding.start < TITLE_LONGEST}
    title = words if len(words) <= TITLE_LONGEST else words[: TITLE_LONGEST - 1].rstrip() + "…"
    return ("", False) if "secret" in kinds else (title, "injection" in kinds)


def _describe(session: Session, state: State, path: str) -> None:
    session.session_id = _name(state.session_id or path.rsplit("/", 1)[-1].removesuffix(".jsonl"), 300)
    session.cwd, session.parent = _name(state.cwd, 2000), _name(state.parent, 2000)
    session.state = _storable(state)


def _chunked(session: Session, data: bytes, reading: Reading, old: Sequence[Chunk], begin: int) -> _Stored:
    """The new chunks, the last of the old ones among them where it is still open, and the branch they are on."""
    kept = list(old)
    cuts = list(reading.cuts)
    heads = [Heads.unpack(chunk.heads) for chunk in kept]
    if kept and cuts and (kept[-1].size < OPEN_BYTES or kept[-1].start + kept[-1].size > begin):
        last = kept.pop()
        grown = heads.pop()
        grown.extend(cuts[0].heads)
        cuts[0] = Cut(last.start, cuts[0].end, grown)
    first = len(kept)
    chunks = [_chunk(session, first + number, data, cut) for number, cut in enumerate(cuts)]
    heads += [cut.heads for cut in cuts]
    changed = _mark(session, heads)
    for number, chunk in enumerate([*kept, *chunks]):
        if number >= first or number in changed:
            _refresh(chunk, heads[number])
    session.entries = sum(len(one.entries) for one in heads)
    session.active_entries = sum(one.active_entries for one in heads)
    return _Stored(session, "", first, chunks, [kept[number] for number in sorted(changed) if number < first])


def _chunk(session: Session, number: int, data: bytes, cut: Cut) -> Chunk:
    return Chunk(
        user_id=session.user_id,
        session=session,
        number=number,
        start=cut.start,
        size=cut.end - cut.start,
        body=compressed(data[cut.start : cut.end]),
    )


def _refresh(chunk: Chunk, heads: Heads) -> None:
    chunk.heads = heads.pack()
    chunk.entries, chunk.active_entries = len(heads.entries), heads.active_entries


def _mark(session: Session, heads: Sequence[Heads]) -> set[int]:
    """Follow the tree of the whole session. Returns the numbers of the chunks in which it changed something."""
    found = lineage_of([node for one in heads for node in one.nodes()], session.state.get("leaf"))
    session.leaf = found.leaf or ""
    session.lineage = fingerprint("active", found.leaf, found.ids)
    session.reasons = sorted({*session.state["reasons"], *found.reasons, *_repeated(heads)})
    return {number for number, one in enumerate(heads) if one.mark(found.active)}


def _repeated(heads: Sequence[Heads]) -> Iterator[str]:
    """Names that more than one entry has."""
    names = [entry.entry_id for one in heads for entry in one.entries if entry.entry_id is not None]
    if len(set(names)) < len(names):
        yield "duplicate_entry_id"
    addresses = [entry.operation_address for one in heads for entry in one.entries if entry.operation_address]
    if len(set(addresses)) < len(addresses):
        yield "duplicate_operation_address"


def _write(principal: Principal, stored: _Stored, project: Project | None) -> Session:
    session = stored.session
    title, flagged = _titled(stored.title)
    with user_clock(principal.user_id) as clock:
        _require_unchanged(stored)
        if session.pk is None:
            session.conversation = Conversation.objects.create(
                user_id=principal.user_id,
                title=title,
                flagged=flagged,
                project=project,
                source=session.kind,
            )
        elif project is not None:
            Conversation.objects.filter(pk=session.conversation_id).update(project=project)
        session.changed_seq = next_numbers(clock)[0]
        session.save()
        _write_chunks(clock, stored)
        changes = {"turns": session.active_entries, "updated_at": session.mtime}
        Conversation.objects.filter(pk=session.conversation_id).update(**changes)
    return session


def _require_unchanged(stored: _Stored) -> None:
    """Whoever read the same file at the same moment and was first has won; its chunks are not overwritten."""
    now_there = Session.objects.filter(user_id=stored.session.user_id, path=stored.session.path)
    hashes = list(now_there.values_list("source_hash", flat=True))
    if (hashes[0] if hashes else "") != stored.seen:
        raise Conflict("This file was taken in by somebody else at the same moment. Send it again.")


def _write_chunks(clock: Clock, stored: _Stored) -> None:
    session = stored.session
    numbered = {chunk.number: chunk.pk for chunk in Chunk.objects.filter(session=session).only("number")}
    changed = [*stored.marked, *stored.chunks]
    for chunk, seq in zip(changed, next_numbers(clock, len(changed)), strict=True):
        chunk.session, chunk.seq = session, seq
        # The same number keeps its row, by which the index knows what to replace.
        chunk.pk = numbered.get(chunk.number)
    again = [chunk for chunk in changed if chunk.pk is not None]
    Chunk.objects.bulk_create([chunk for chunk in changed if chunk.pk is None], batch_size=20)
    fields = ["start", "size", "body", "heads", "entries", "active_entries", "seq"]
    Chunk.objects.bulk_update(again, fields, batch_size=20)
    last = stored.first + len(stored.chunks)
    for chunk in Chunk.objects.filter(session=session, number__gte=last, entries__gt=0):
        # Rewritten shorter: an empty chunk takes its words out of the index.
        chunk.body, chunk.size, chunk.start = compressed(b""), 0, session.size
        _refresh(chunk, Heads())
        chunk.seq = next_numbers(clock)[0]
        chunk.save()
