"""The answer of ``memory_recall``: one flat stream of hits, bounded, with a call to go on from each."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from conversations.models import Session
from conversations.recall import texts
from conversations.recall.asked import ENVELOPE, EXPAND, RECALL, Asked
from conversations.recall.browsing import browse
from conversations.recall.cold import candidates_of
from conversations.recall.coverage import CodedError, Coverage, of_nothing
from conversations.recall.finding import Corpus, Found
from conversations.recall.places import Located, Piece, locate, numbers_within, pieces_of
from conversations.recall.scopes import Scoped, hot, is_named, scoped, selector_of
from conversations.recall.snippets import snippet
from conversations.recall.words import normal, query_words, searchable, was_cut
from conversations.sessions.lineage import fingerprint
from pawflow_web.identity.call import Call
from pawflow_web.lib.periods import iso_of_millis
from pawflow_web.lib.search import Hit

# Of names and paths in a hit.
_NAME_LONGEST = 512
Answer = dict[str, Any]


def recall(call: Call, asked: Asked, scope: str) -> Answer:
    """``{total, hits, next, coverage}``, with ``error`` where that is the answer.

    Raises :class:`~pawflow_web.lib.errors.Invalid` for what cannot be asked.
    """
    try:
        asked = asked.checked(single=is_named(scope))
        where = scoped(call, scope)
        if where.single is not None:
            require_bound(where.single, asked.branches, asked.expected_hash, asked.expected_lineage)
        return recall_in(call, asked, where)
    except CodedError as error:
        return {"total": 0, "hits": [], "next": None, "coverage": of_nothing(error.code), "error": error.value}


def require_bound(session: Session, branches: str, expected_hash: str | None, expected_lineage: str | None) -> None:
    """Raises :class:`CodedError` ``stale_pointer``: the session is not as it was when the caller saw it."""
    lineage = lineage_of(session, branches)
    if expected_hash in {None, session.source_hash} and expected_lineage in {None, lineage}:
        return
    expected = {"expectedSourceHash": expected_hash, "expectedLineageFingerprint": expected_lineage}
    raise CodedError(
        "stale_pointer",
        "The session changed since. Ask again.",
        sessionFile=selector_of(session),
        **{name: value for name, value in expected.items() if value is not None},
        actualSourceHash=session.source_hash,
        actualLineageFingerprint=lineage,
    )


def lineage_of(session: Session, branches: str) -> str:
    """What the selection of these branches is now."""
    return session.lineage if branches == "active" else fingerprint("all", None, ())


def bindings(session: Session, branches: str) -> dict[str, Any]:
    """What a later call checks, so that it reads the same session."""
    return {
        "expectedSourceHash": session.source_hash,
        "expectedLineageFingerprint": lineage_of(session, branches),
        "branches": branches,
    }


def recall_in(call: Call, asked: Asked, where: Scoped) -> Answer:
    """The same about sessions that somebody else has chosen, of those that this caller may read."""
    coverage = where.coverage(asked.branches)
    within = None
    if asked.entry_range is not None and where.single is not None:
        within = numbers_within(where.single, asked.branches, *asked.entry_range)
    warm = None if where.single is not None else hot(Session.objects.visible_to(call.principal))
    if not asked.query and not asked.filters.any and warm is None:
        listed, total = browse(where, asked)
        return bounded(asked, [_hit(asked, one, 0.0) for one in listed], total, coverage, where.single)
    corpus = Corpus(call.principal.user_id, where, asked, coverage, whole=within is not None or warm is not None)
    found = _found(corpus)
    if within is not None:
        kept = [hit for hit in found.hits if hit.id in within]
        found = Found(kept, len(kept))
    if warm is not None:
        return _tiered(corpus, found, warm, where)
    hits = [_hit(asked, one, score) for one, score in _page(corpus, found)]
    return bounded(asked, hits, found.total, coverage, where.single)


def _found(corpus: Corpus) -> Found:
    if not corpus.asked.query or corpus.asked.mode == "literal":
        return corpus.by_words()
    return texts.by_phrase(corpus) if corpus.asked.mode == "phrase" else texts.by_regex(corpus)


def _tiered(corpus: Corpus, found: Found, warm: frozenset[int], where: Scoped) -> Answer:
    """Hits of new sessions as entries, of older ones as the sessions that hold them, in one stream."""
    stream = candidates_of(corpus, found, warm)
    asked = corpus.asked
    page = stream.page(asked.offset, asked.page_size)
    read = locate(stream.pieces, [one.id for one in page if isinstance(one, Hit)], asked.branches)
    hits = []
    for one in page:
        if not isinstance(one, Hit):
            hits.append(one.value(asked))
        elif one.id in read:
            hits.append(_hit(asked, read[one.id], one.score))
    return bounded(asked, hits, stream.total, corpus.coverage, where.single)


def _page(corpus: Corpus, found: Found) -> list[tuple[Located, float]]:
    """The hits of the page. Where scores are equal the newer session decides, then the place in it."""
    asked = corpus.asked
    begin, end = asked.offset, asked.offset + asked.page_size
    low, high = _ties(found.hits, begin, end)
    window = found.hits[low:high]
    pieces = pieces_of(corpus.user_id, (hit.id >> 16 for hit in window))
    ordered = in_order(window, pieces)[begin - low : end - low]
    read = locate(pieces, [hit.id for hit in ordered], asked.branches)
    return [(read[hit.id], hit.score) for hit in ordered if hit.id in read]


def _ties(hits: Sequence[Hit], begin: int, end: int) -> tuple[int, int]:
    """The window of a page, widened to all whose scores equal those at its ends."""
    end = min(end, len(hits))
    if begin >= end:
        return begin, begin
    low, high = begin, end
    while low > 0 and hits[low - 1].score == hits[begin].score:
        low -= 1
    while high < len(hits) and hits[high].score == hits[end - 1].score:
        high += 1
    return low, high


def in_order(hits: Iterable[Hit], pieces: Mapping[int, Piece]) -> list[Hit]:
    """By score, then the newer session, then the place in it, then the path. What was deleted is left out."""
    sessions = Session.objects.filter(pk__in={piece.session for piece in pieces.values()})
    stamps = {pk: (-mtime.timestamp(), path) for pk, mtime, path in sessions.values_list("pk", "mtime", "path")}

    def key(hit: Hit) -> tuple[float, float, int, str, int]:
        piece = pieces[hit.id >> 16]
        stamp, path = stamps[piece.session]
        return -hit.score, stamp, piece.before + (hit.id & 0xFFFF), path, hit.id

    there = {number for number, piece in pieces.items() if piece.session in stamps}
    return sorted((hit for hit in hits if hit.id >> 16 in there), key=key)


def _hit(asked: Asked, located: Located, score: float) -> Answer:
    entry, session = located.entry, located.session
    phrase = asked.mode == "phrase"
    wanted = [normal(asked.query.strip())] if phrase else query_words(asked.query)
    text, cut = snippet(
        searchable(entry), () if asked.mode == "regex" else wanted, chars=asked.snippet_chars, phrase=phrase
    )
    return {
        "kind": "entry",
        "sessionId": session.session_id,
        "tier": "hot",
        "index": located.index,
        "entryId": named(entry.entry_id),
        "parentId": named(entry.parent_id),
        "operationAddress": named(entry.operation_address),
        "type": entry.type,
        "role": named(entry.role),
        "tool": named(entry.tool),
        "ref": named(entry.ref),
        "provider": named(entry.provider),
        "action": named(entry.action),
        "outcome": entry.outcome,
        "timestamp": iso_of_millis(entry.timestamp),
        "isError": entry.is_error,
        "score": round(score, 6),
        "snippet": text,
        "truncated": cut or was_cut(entry),
        "follow": {
            "ref": EXPAND,
            "args": {
                "session": selector_of(session),
                **bindings(session, asked.branches),
                "indices": [located.index],
            },
        },
    }


def named(text: str | None) -> str | None:
    return text if text is None or len(text) <= _NAME_LONGEST else f"{text[:_NAME_LONGEST]}…"


def bounded(asked: Asked, hits: list[Answer], total: int, coverage: Coverage, single: Session | None) -> Answer:
    """The answer within its envelope: hits go from the end, one stays, and ``next`` goes on behind those that are
    there."""
    while True:
        upto = asked.offset + len(hits)
        more = upto < total and bool(hits)
        answer = {
            "total": total,
            "hits": hits,
            "next": {"ref": RECALL, "args": _carry_on(asked, upto, single)} if more else None,
            "coverage": coverage.value(),
        }
        if len(hits) <= 1 or size_of(answer) <= ENVELOPE:
            return answer
        hits = hits[:-1]


def size_of(answer: Answer) -> int:
    """Bytes of the answer as it is sent, which are no fewer than its characters."""
    return len(json.dumps(answer, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass"))


def _carry_on(asked: Asked, offset: int, single: Session | None) -> dict[str, Any]:
    if single is None:
        return asked.again(offset=offset)
    return asked.again(offset=offset, scope=f"session:{selector_of(single)}", **bindings(single, asked.branches))
