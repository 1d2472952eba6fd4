"""Finding the entries that a question is about: from the index, and from what is newer than it."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.conf import settings

from conversations.models import Chunk
from conversations.recall.asked import Asked
from conversations.recall.coverage import Coverage
from conversations.recall.index import index_of, place_of
from conversations.recall.narrowing import passes, where_of
from conversations.recall.scopes import Scoped
from conversations.recall.scoring import Scorer, weighed
from conversations.recall.tail import Tail, read_tail
from conversations.recall.words import WEIGHT_SCALE, query_words, was_cut
from conversations.sessions.entries import Entry
from pawflow_web.lib.search import All, Best, CorruptIndexError, Filter, HasWord, Hit, Snapshot, Term, Word

# Results that are ranked.
RESULTS_MOST = 10_000
# Hits behind the page that are looked at, to see whether scores are equal at its end.
_BEYOND = 100
BEHIND, BUILDING, RESULTS_BUDGET, CUT = (
    "index_behind",
    "index_building",
    "candidate_item_budget",
    "max_entry_chars",
)


@dataclass(frozen=True, slots=True)
class Found:
    """Hits, the best first as far as scores decide; ``total`` of them before the budget cut them."""

    hits: Sequence[Hit]
    total: int


class Corpus:
    """The entries of some sessions at one moment, for one question. What is missing goes into ``coverage``."""

    def __init__(self, user_id: int, scoped: Scoped, asked: Asked, coverage: Coverage, *, whole: bool = False) -> None:
        """``whole``: every hit that is ranked is looked at, not only those of the page."""
        self.user_id, self.asked, self.coverage, self.whole = user_id, asked, coverage, whole
        self.sessions = None if scoped.everything else scoped.ids()
        self._index = index_of(user_id)
        self._read(self._index.snapshot())

    def _read(self, snapshot: Snapshot | None) -> None:
        self.snapshot = snapshot
        watermark = self.snapshot.watermark if self.snapshot else None
        self.tail: Tail = read_tail(self.user_id, watermark, self.sessions)
        self.fresh = {
            number: entry
            for number, (entry, active) in self.tail.entries.items()
            if (active or self.asked.branches == "all") and passes(entry, self.asked.filters)
        }
        if self.tail.behind:
            self.coverage.stale = len(self.tail.behind)
            self.coverage.because(BEHIND if self.snapshot else BUILDING)
        if settings.ENV.recall.max_entry_chars is not None and self._cut():
            self.coverage.because(CUT)

    def _cut(self) -> bool:
        """Whether of any entry only a part is searched."""
        cut = self.best((), self.where(Term("cut", "yes")), limit=1, weighed_by="at")
        return bool(cut.total) or any(was_cut(entry) for entry in self.fresh.values())

    def where(self, *parts: Filter) -> Filter:
        """The question's filters inside the index, without what the tail replaces."""
        after = self.snapshot.watermark if self.snapshot else 0
        filters = where_of(self.user_id, self.asked, self.sessions, without=self.tail.chunks, after=after)
        return All(filters, *parts)

    def best(self, words: Sequence[Word], where: Filter, *, limit: int, weighed_by: str | None = None) -> Best:
        """From the index, if there is one that can be read. Raises :class:`TooBroad`."""
        if self.snapshot is None:
            return Best((), 0)
        try:
            return self.snapshot.best(words, where=where, limit=limit, weighed_by=weighed_by)
        except CorruptIndexError as error:
            # As if there were none: the next writer builds another.
            self._index.report(error)
            self._read(None)
            return Best((), 0)

    def unchanged(self, hits: Sequence[Hit]) -> list[Hit]:
        """Those of the index without the entries of chunks that changed since and are too many to be read: what stands
        in their places now may be something else."""
        if not self.tail.behind or self.snapshot is None:
            return list(hits)
        wanted = {place_of(hit.id)[0] for hit in hits}
        changed = Chunk.objects.filter(user_id=self.user_id, pk__in=wanted, seq__gt=self.snapshot.watermark)
        gone = set(changed.values_list("pk", flat=True))
        return [hit for hit in hits if place_of(hit.id)[0] not in gone]

    def by_words(self) -> Found:
        """Ranked by the words of the question; without any, everything that passes the filters."""
        words = query_words(self.asked.query)
        if self.asked.query and not words:
            return Found((), 0)
        operations, all_of = self.asked.filters.operations, self.asked.match == "all"
        weighed_by = "at" if not words else None if operations else "weight"
        known = self._known(words, self.where(*[HasWord(word) for word in words if all_of]), weighed_by)
        scale = 1.0 if operations else 1 / WEIGHT_SCALE
        level = 1.0 if self.asked.filters.any else 0.0
        hits = [Hit(hit.id, hit.score * scale if words else level) for hit in self.unchanged(known.hits)]
        scorer = Scorer(words, list(self.fresh.values()), self.snapshot)
        for place, (number, entry) in enumerate(self.fresh.items()):
            score = weighed(scorer.score(place, all_of=all_of), entry, operations=operations) if words else level
            if score > 0 or not words:
                hits.append(Hit(number, score))
        return self.together(hits, known.total - len(known.hits))

    def _known(self, words: Sequence[str], where: Filter, weighed_by: str | None) -> Best:
        """The hits of the index: as many as the page needs, and all of them where scores are equal at its end."""
        wanted = [Word(word) for word in words]
        end = self.asked.offset + self.asked.page_size
        if words and not self.whole:
            few = self.best(wanted, where, limit=end + _BEYOND, weighed_by=weighed_by)
            if len(few.hits) == few.total or few.hits[-1].score < few.hits[end - 1].score:
                return few
        return self.best(wanted, where, limit=RESULTS_MOST, weighed_by=weighed_by)

    def together(self, hits: list[Hit], left: int = 0) -> Found:
        """In order, and no more than are ranked; ``left``: how many the index left out."""
        hits.sort(key=lambda hit: -hit.score)
        total = len(hits) + left
        if total > RESULTS_MOST:
            self.coverage.because(RESULTS_BUDGET)
        return Found(hits[:RESULTS_MOST], min(total, RESULTS_MOST))

    def provenance(self, entry: Entry) -> float:
        """The score of what was found by its text."""
        return weighed(1.0, entry, operations=self.asked.filters.operations)
