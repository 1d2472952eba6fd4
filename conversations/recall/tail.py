"""What an index does not hold yet: the chunks that changed since, read as they are now."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from conversations.models import Chunk
from conversations.recall.index import number_of
from conversations.sessions.entries import Entry
from conversations.sessions.reading import read_many

# Entries past the index that one answer reads, and where there is no index at all.
TAIL_ENTRIES, WITHOUT_INDEX_ENTRIES = 4000, 20_000
_CHUNKS = 1000


@dataclass(slots=True)
class Tail:
    """Entries by their numbers, with whether they are on the active branch. ``chunks``: those that the index holds as
    they were. ``behind``: sessions of which more is new than could be read."""

    entries: dict[int, tuple[Entry, bool]] = field(default_factory=dict)
    chunks: list[int] = field(default_factory=list)
    behind: set[int] = field(default_factory=set)


def read_tail(user_id: int, watermark: int | None, sessions: Sequence[int] | None) -> Tail:
    """What is newer than ``watermark``, the newest first as far as there is room; None: there is no index."""
    most = WITHOUT_INDEX_ENTRIES if watermark is None else TAIL_ENTRIES
    changed = Chunk.objects.filter(user_id=user_id, seq__gt=-1 if watermark is None else watermark)
    if sessions is not None:
        changed = changed.filter(session_id__in=sessions)
    tail = Tail()
    wanted: list[int] = []
    newest = list(changed.order_by("-seq").values_list("pk", "entries")[:_CHUNKS])
    for pk, entries in newest:
        if entries > most:
            break
        most -= entries
        wanted.append(pk)
    if len(wanted) < len(newest) or len(newest) == _CHUNKS:
        left = changed.exclude(pk__in=wanted).order_by()
        tail.behind = set(left.values_list("session_id", flat=True).distinct())
    tail.chunks = wanted
    chunks = Chunk.objects.filter(pk__in=wanted).select_related("session")
    for chunk, _, placed in read_many((chunk, None) for chunk in chunks):
        tail.entries[number_of(chunk.pk, placed.place)] = (placed.entry, placed.active)
    return tail
