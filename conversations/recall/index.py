"""The index of an owner's entries: derived, on this node only, without a word of text.

A document an entry, which names its chunk and its place there. The index follows the chunks in the order of the owner's
clock; a chunk that changed is replaced as a whole.
"""

import hashlib
import time
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby, pairwise
from operator import itemgetter
from pathlib import Path

from django.conf import settings
from django.db.models import Max

from conversations.models import TOLD, Chunk, SessionGone
from conversations.recall.words import (
    author_weight,
    exact_words,
    searchable,
    stemmed_words,
    was_cut,
    weight_number,
    weight_of,
)
from conversations.sessions.entries import Entry
from conversations.sessions.reading import Placed, read_many
from conversations.sessions.told import adopt
from pawflow_web.identity.models import UserClock
from pawflow_web.lib.search import Document, Index, Schema, Term
from pawflow_web.lib.text import Tokens

ACTIVE = "active"
# A chunk has fewer entries than this, so that a number names an entry.
PLACES = 16
_BATCH_ENTRIES = 20_000
_BATCH_CHUNKS = 2000
_BESIDE = "entries.next"
_NAME = "entries"


def schema() -> Schema:
    """Another policy of what is searched is another version of it."""
    policy = settings.ENV.recall.policy
    return Schema(
        "entries",
        int(hashlib.sha256(f"4;{policy}".encode()).hexdigest()[:7], 16),
        terms=(
            "session",
            "branch",
            "role",
            "tool",
            "ref",
            "provider",
            "action",
            "outcome",
            "dated",
            "cut",
            "said",
            "run",
        ),
        numbers=("at", "weight", "author"),
        words=("previous", "next"),
        phrases=True,
    )


def index_of(user_id: int) -> Index:
    """The owner's index on this node, which need not exist."""
    return Index.open(_folder(user_id), schema())


def number_of(chunk: int, place: int) -> int:
    """What names an entry in the index."""
    return chunk << PLACES | place


def place_of(number: int) -> tuple[int, int]:
    """The chunk and the place in it."""
    return number >> PLACES, number & (1 << PLACES) - 1


def catch_up(user_id: int) -> bool:
    """Bring the owner's index one batch forward. Returns whether there is more to do.

    Raises what :meth:`Index.write` raises; the caller tries again later.
    """
    index = index_of(user_id)
    if index.watermark is None:
        adopt(user_id)
        index = Index.open(index.folder, index.schema, epoch=gone_up_to(user_id))
    return _advance(index, user_id)


def gone_up_to(user_id: int) -> int:
    """The number of the last deletion of a session: files of an index that are older hold words of it."""
    return SessionGone.objects.filter(user_id=user_id).aggregate(Max("seq"))["seq__max"] or 0


def gone_by_owner() -> dict[int, int]:
    """The same of every owner who deleted any."""
    return dict(SessionGone.objects.order_by().values_list("user_id").annotate(Max("seq")))


def renew(user_id: int, deadline: float) -> bool:
    """Build the owner's index anew beside the one that is there, which goes on answering, and put it in its place.
    Returns whether it was not done by ``deadline``, a moment of ``time.monotonic()``; the next call goes on.

    Raises what :meth:`Index.write` raises.
    """
    beside = Index.open(_folder(user_id, _BESIDE), schema(), epoch=gone_up_to(user_id))
    while _advance(beside, user_id):
        if time.monotonic() > deadline:
            return True
    index_of(user_id).replace_by(beside)
    return False


def _folder(user_id: int, name: str = _NAME) -> Path:
    return Path(settings.ENV.search_dir) / str(user_id) / name


def _advance(index: Index, user_id: int) -> bool:
    after = index.watermark
    # Numbers follow the order of commits: everything up to this one is there to be read.
    seq = UserClock.objects.values_list("session_seq", flat=True).get(pk=user_id)
    if after is not None and after >= seq:
        return False
    numbers, more = _next(user_id, after, seq)
    watermark = numbers[-1][1] if more else seq
    gone = SessionGone.objects.filter(user_id=user_id, seq__gt=after or 0, seq__lte=watermark)
    deleted = (
        [] if after is None else [Term("session", str(pk)) for pk in gone.values_list("session_number", flat=True)]
    )
    keys = [str(pk) for pk, _ in numbers]
    index.write(
        _documents(user_id, [pk for pk, _ in numbers]),
        after=after,
        watermark=watermark,
        delete=keys,
        delete_terms=deleted,
    )
    return more


def _next(user_id: int, after: int | None, seq: int) -> tuple[list[tuple[int, int]], bool]:
    """The chunks of the next batch with their numbers in the clock, and whether others follow."""
    changed = Chunk.objects.filter(user_id=user_id, seq__gt=-1 if after is None else after, seq__lte=seq)
    found: list[tuple[int, int]] = []
    entries = 0
    for pk, number, size in changed.order_by("seq").values_list("pk", "seq", "entries")[:_BATCH_CHUNKS]:
        if entries >= _BATCH_ENTRIES:
            return found, True
        found.append((pk, number))
        entries += size
    return found, len(found) == _BATCH_CHUNKS


def _documents(user_id: int, numbers: Sequence[int]) -> Iterator[Document]:
    for begin in range(0, len(numbers), 20):
        chunks = Chunk.objects.filter(user_id=user_id, pk__in=numbers[begin : begin + 20]).select_related("session")
        read = read_many((chunk, None) for chunk in chunks.order_by("seq"))
        for chunk, found in groupby(read, key=itemgetter(0)):
            yield from _documents_of(chunk, [placed for _, _, placed in found])


def _documents_of(chunk: Chunk, found: Sequence[Placed]) -> Iterator[Document]:
    """The documents of the entries of a chunk. Neighbours across its edges are not looked at."""
    texts = [searchable(placed.entry) for placed in found]
    said = [n for n, placed in enumerate(found) if placed.entry.prose]
    stems = {n: stemmed_words(texts[n]) for n in said}
    before = {later: stems[earlier] for earlier, later in pairwise(said)}
    after = {earlier: stems[later] for earlier, later in pairwise(said)}
    for n, placed in enumerate(found):
        around = {"previous": before.get(n, ()), "next": after.get(n, ())}
        yield _document(chunk, placed, Tokens(tuple(exact_words(texts[n])), tuple(stems.get(n, ()))), around)


def run_of(entry: Entry) -> str | None:
    """The run that something told belongs to."""
    return entry.entry_id.rpartition(":")[0] if entry.entry_id else None


def _document(chunk: Chunk, placed: Placed, tokens: Tokens, around: Mapping[str, Sequence[str]]) -> Document:
    entry = placed.entry
    named = {
        "role": entry.role,
        "tool": entry.tool,
        "ref": entry.ref,
        "provider": entry.provider,
        "action": entry.action,
        "outcome": entry.outcome,
        "branch": ACTIVE if placed.active else None,
        "dated": None if entry.timestamp is None else "yes",
        "cut": "yes" if was_cut(entry) else None,
        "said": entry.role if entry.prose else None,
        "run": run_of(entry) if chunk.session.kind == TOLD else None,
    }
    return Document(
        id=number_of(chunk.pk, placed.place),
        tokens=tokens,
        key=str(chunk.pk),
        terms={"session": str(chunk.session_id), **{name: value for name, value in named.items() if value}},
        numbers={
            "weight": weight_number(weight_of(entry)),
            "author": weight_number(author_weight(entry)),
            **({} if entry.timestamp is None else {"at": entry.timestamp}),
        },
        words=around,
    )
