"""Older sessions, where the settings keep only the newest hot: they answer as a whole and must be followed."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conversations.models import Session
from conversations.recall.asked import RECALL, Asked
from conversations.recall.finding import Corpus, Found
from conversations.recall.places import Piece, pieces_of
from conversations.recall.scopes import selector_of
from conversations.recall.words import query_words
from conversations.sessions.lineage import fingerprint
from pawflow_web.lib.periods import iso
from pawflow_web.lib.search import Hit


@dataclass(slots=True)
class Candidate:
    """A cold session. ``entries``: how many of it match what persisted fields were asked for."""

    session: Session
    score: float
    entries: int
    words: tuple[str, ...]

    def value(self, asked: Asked) -> dict[str, Any]:
        """The hit: what is known of the session, and the call that looks into it."""
        lineage = self.session.lineage if asked.branches == "active" else fingerprint("all", None, ())
        return {
            "kind": "session",
            "sessionId": self.session.session_id,
            "tier": "cold",
            "cwd": self.session.cwd,
            "lastTimestamp": iso(self.session.mtime),
            "score": round(self.score, 6),
            "matchedTerms": list(self.words),
            "matchedStructuralEntries": self.entries if asked.filters.operations or asked.filters.role else 0,
            "follow": {
                "ref": RECALL,
                "args": asked.again(
                    offset=None,
                    entryRange=None,
                    scope=f"session:{selector_of(self.session)}",
                    branches=asked.branches,
                    expectedSourceHash=self.session.source_hash,
                    expectedLineageFingerprint=lineage,
                ),
            },
        }


@dataclass(slots=True)
class Stream:
    """Entries and cold sessions in one order."""

    items: list[Hit | Candidate] = field(default_factory=list)
    pieces: Mapping[int, Piece] = field(default_factory=dict)

    @property
    def total(self) -> int:
        return len(self.items)

    def page(self, offset: int, size: int) -> list[Hit | Candidate]:
        return self.items[offset : offset + size]


def candidates_of(corpus: Corpus, found: Found, warm: frozenset[int]) -> Stream:
    """What was found, with the hits of each session that is not ``warm`` as one candidate. Says in the coverage what
    only following one can prove."""
    pieces = pieces_of(corpus.user_id, (hit.id >> 16 for hit in found.hits))
    sessions = Session.objects.in_bulk({piece.session for piece in pieces.values()})
    cold: dict[int, Candidate] = {}
    keyed: list[tuple[tuple[float, float, int, int], Hit | Candidate]] = []
    words = query_words(corpus.asked.query)
    for hit in found.hits:
        piece = pieces.get(hit.id >> 16)
        session = None if piece is None else sessions.get(piece.session)
        if piece is None or session is None:
            continue
        if session.pk in warm:
            order = (-hit.score, -session.mtime.timestamp(), 0, piece.before + (hit.id & 0xFFFF))
            keyed.append((order, hit))
        elif session.pk in cold:
            cold[session.pk].entries += 1
        else:
            cold[session.pk] = Candidate(session, hit.score, 1, words)
    keyed += [((-one.score, -one.session.mtime.timestamp(), 1, 0), one) for one in cold.values()]
    keyed.sort(key=lambda pair: pair[0])
    if cold:
        corpus.coverage.because(*_unproved(corpus.asked))
    return Stream([one for _, one in keyed], pieces)


def _unproved(asked: Asked) -> list[str]:
    reasons = []
    if asked.query and asked.filters.any:
        reasons.append("cold_structural_filter_requires_hydration")
    if asked.match == "all" and len(query_words(asked.query)) > 1:
        reasons.append("cold_all_terms_requires_hydration")
    if asked.mode == "phrase" and asked.query:
        reasons.append("cold_phrase_requires_hydration")
    return reasons
