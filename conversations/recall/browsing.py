"""Everything that was said, without a question: the newest session first, each from its beginning."""

from collections.abc import Iterator

from conversations.recall.asked import Asked
from conversations.recall.index import number_of
from conversations.recall.places import Located, by_chunk
from conversations.recall.scopes import Scoped
from conversations.sessions.reading import entries_of


def browse(where: Scoped, asked: Asked) -> tuple[list[Located], int]:
    """The entries of the page, and how many there are. No index is asked, and nothing is left out."""
    counted = "active_entries" if asked.branches == "active" else "entries"
    listed = list(where.sessions.order_by("-mtime", "path").values_list("pk", counted))
    if asked.entry_range is not None:
        first, last = asked.entry_range
        begin, total = first + asked.offset, last - first + 1
        end = min(begin + asked.page_size, last + 1)
    else:
        begin, total = asked.offset, sum(count for _, count in listed)
        end = begin + asked.page_size
    found: list[Located] = []
    before = 0
    for pk, count in listed:
        if before < end and before + count > begin:
            found += _of_one(where, pk, asked.branches, range(max(begin - before, 0), min(end - before, count)))
        before += count
    return found, total


def _of_one(where: Scoped, pk: int, branches: str, indices: range) -> Iterator[Located]:
    session = where.sessions.filter(pk=pk).first()
    if session is None:
        return
    for chunk, heads, numbers in by_chunk(session, branches, frozenset(indices)):
        for placed in entries_of(chunk.session, chunk, heads, numbers):
            number = number_of(chunk.pk, placed.place)
            yield Located(number, chunk.session, numbers[placed.place], placed.place, placed.entry)
