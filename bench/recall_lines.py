"""What is asked of recall, and how an answer is known to be right."""

import itertools
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from bench.clients import Request
from bench.lines import tool_request
from bench.recall_corpus import LARGE, WORDS, Known, SessionWriter, growing, needle, session_id

Answer = dict[str, Any]
Right = Callable[[Answer], bool]

# What an answer ranks at the most.
RANKED_MOST = 10_000
# The needles of the ten oldest sessions, and those of all without a letter that must be there as it is.
WITH_LITERAL = "needle_0000[0-9]"
WITHOUT_LITERAL = r"[n-o][e-f][e-f][c-d][k-l][e-f]\W?\w[0-9]{5}"


@dataclass(frozen=True, slots=True)
class FileRequest(Request):
    """With the bytes of a file as its body."""

    content: bytes = b""

    @property
    def raw(self) -> bytes:
        return self.content


@dataclass(frozen=True, slots=True)
class Asked:
    """One run: what is done before it, what is timed, and whether the answer is right."""

    request: Request
    right: Right
    before: Request | None = None


@dataclass(frozen=True, slots=True)
class RecallLine:
    """``budget_ms``: for 95 of 100, None where there is none. ``bounded``: the bounds of a search may end it early, and
    then its answer, which says so, is not wrong."""

    name: str
    asked: Callable[[], Iterator[Asked]]
    budget_ms: float | None = None
    bounded: bool = False


def recall_lines(known: Known, places: "Places") -> list[RecallLine]:
    """Over the sessions of one length."""
    sessions = len(known.paths)
    ends = _ends(range(sessions))
    refs = {ref: known.operations[ref] for ref in ("pi.grep", "pi.read")}
    oldest = f"session:{session_id(0)}"
    first = _recall(scope=oldest, query=needle(0))
    return [
        RecallLine("health", _same(Request("GET", "/health"), lambda _: True)),
        RecallLine("rare", _each([_rare(number) for number in ends]), 20),
        RecallLine("common", _same(_recall(query=f"{WORDS[0]} {WORDS[1]}"), _has_hits), 80),
        RecallLine(
            "structural", _each([Asked(_recall(ref=ref), _counts(count, ref)) for ref, count in refs.items()]), 20
        ),
        RecallLine("phrase", _each([_phrase(*phrase) for phrase in known.phrases]), 150),
        *([RecallLine("everyday", _each([_everyday(number) for number in _ends(known.said)]))] if known.said else []),
        RecallLine("regex_literal", _same(_regex(WITH_LITERAL), _counts(min(10, sessions))), None),
        RecallLine("regex_bare", _same(_regex(WITHOUT_LITERAL), _counts(sessions)), None, bounded=True),
        RecallLine("browse", _same(_recall(), lambda answer: _first_of(answer, sessions - 1)), None),
        RecallLine("in_oldest", _same(first, lambda answer: _first_of(answer, 0)), 20),
        RecallLine("sessions", _same(_sessions(), lambda answer: _listed(answer, sessions)), None),
        RecallLine("expand_index", _each([_expand(places.path(number), *places.at(number)) for number in ends]), 5),
        RecallLine("expand_id", _each([_expand(session_id(number), *places.at(number)) for number in ends]), 5),
    ]


def large_lines(writer: SessionWriter, path: str, places: "Places") -> list[RecallLine]:
    """Over one session that is much longer."""
    return [
        RecallLine("rare_large", _each([_rare(LARGE)]), 20),
        RecallLine("expand_index_large", _each([_expand(path, *places.at(LARGE))]), 5),
        RecallLine("rare_after_append", lambda: _appended(writer, path), 20),
    ]


class Places:
    """Where the needles stand. ``ask`` sends a request and gives its answer."""

    def __init__(self, known: Known, ask: Callable[[Request], Answer]) -> None:
        self._known, self._ask = known, ask

    def path(self, number: int) -> str:
        return str(self._known.paths[number])

    def at(self, number: int) -> tuple[int, str]:
        """The number of the entry that has the needle of this session, and the needle. Raises ``LookupError``."""
        hits = self._ask(_rare(number).request)["hits"]
        if not hits:
            raise LookupError(f"{needle(number)} was not found")
        return hits[0]["index"], needle(number)


def _rare(number: int) -> Asked:
    word = needle(number)
    return Asked(
        _recall(query=word),
        lambda answer: answer["total"] == 1 and _first_of(answer, number) and word in answer["hits"][0]["snippet"],
    )


def _ends(numbers: Sequence[int]) -> list[int]:
    """The oldest and the newest."""
    return [numbers[0], numbers[-1]]


def _everyday(number: int) -> Asked:
    """The search that agents use without a thought of sessions; it is about what was said, not what tools answered."""
    word = needle(number)
    return Asked(
        tool_request("conversation_search", query=word),
        lambda answer: bool(answer["items"]) and word in answer["items"][0]["snippet"],
    )


def _phrase(words: str, session: str) -> Asked:
    return Asked(
        _recall(query=words, queryMode="phrase"),
        lambda answer: session in [hit["sessionId"] for hit in answer["hits"]],
    )


def _expand(session: str, index: int, word: str) -> Asked:
    return Asked(
        tool_request("memory_expand", session=session, indices=[index]),
        lambda answer: (
            [entry["index"] for entry in answer["entries"]] == [index] and word in answer["entries"][0]["text"]
        ),
    )


def _appended(writer: SessionWriter, path: str) -> Iterator[Asked]:
    """A word of its own in one more line, sent with the whole file as a client does, then asked for."""
    words = [f"appended_{len(writer.lines) + number}" for number in range(10_000)]
    for word, content in zip(words, growing(writer, words), strict=True):
        send = FileRequest("POST", f"/api/v1/sessions?path={quote(path, safe='')}", content=content)
        yield Asked(_recall(query=word), lambda answer: answer["total"] == 1 and _first_of(answer, LARGE), before=send)


def _recall(**arguments: Any) -> Request:
    return tool_request("memory_recall", **{"scope": "global", **arguments})


def _regex(pattern: str) -> Request:
    return _recall(query=pattern, queryMode="regex")


def _sessions() -> Request:
    return tool_request("memory_sessions", scope="global")


def _same(request: Request, right: Right) -> Callable[[], Iterator[Asked]]:
    return _each([Asked(request, right)])


def _each(cases: list[Asked]) -> Callable[[], Iterator[Asked]]:
    """These one after the other, again and again."""
    return lambda: itertools.cycle(cases)


def _has_hits(answer: Answer) -> bool:
    return len(answer["hits"]) == 10


def _counts(count: int, ref: str | None = None) -> Right:
    """So many hits, each with that ref if one was asked for."""
    return lambda answer: (
        answer["total"] == min(count, RANKED_MOST) and all(ref is None or hit["ref"] == ref for hit in answer["hits"])
    )


def _first_of(answer: Answer, number: int) -> bool:
    return bool(answer["hits"]) and answer["hits"][0]["sessionId"] == session_id(number)


def _listed(answer: Answer, sessions: int) -> bool:
    """The newest first."""
    newest = [session_id(number) for number in range(sessions - 1, max(sessions - 51, -1), -1)]
    return [row["id"] for row in answer["sessions"]] == newest


def answer_of(body: str) -> Answer:
    """The JSON object of a reply."""
    found: Answer = json.loads(body)
    return found
