"""The filters of a question, said twice: inside the index, and for an entry that was read."""

from collections.abc import Sequence
from datetime import datetime

from conversations.models import SessionGone
from conversations.recall.asked import Asked, Filters
from conversations.recall.index import ACTIVE
from conversations.sessions.entries import Entry
from pawflow_web.lib.search import All, Any, AnyOf, Filter, HasPhrase, HasWordLike, Not, OfKey, Range, Term

_FIELDS = ("role", "tool", "ref", "provider", "action", "outcome")
# Of a longer piece of text its beginning names the candidates: an index takes time for each word.
_PHRASE_WORDS = 16
_PIECE_MOST = 100
# What a pattern of the index takes for more than itself.
_SPECIAL = frozenset(r"\.+*?()|[]{}^$#&-~")


def where_of(
    user_id: int, asked: Asked, sessions: Sequence[int] | None, *, without: Sequence[int], after: int
) -> Filter:
    """The question inside the index: the sessions (None: all), without chunks that are newer than it and without the
    sessions that were deleted since the number ``after``."""
    gone = SessionGone.objects.filter(user_id=user_id, seq__gt=after).values_list("session_number", flat=True)
    parts: list[Filter] = [Not(OfKey(str(chunk))) for chunk in without]
    parts += [Not(AnyOf("session", [str(pk) for pk in gone]))]
    if sessions is not None:
        parts.append(AnyOf("session", [str(pk) for pk in sessions]))
    if asked.branches == "active":
        parts.append(Term("branch", ACTIVE))
    return All(*parts, *_terms(asked.filters))


def _terms(filters: Filters) -> list[Filter]:
    parts: list[Filter] = [Term(name, value) for name in _FIELDS if (value := getattr(filters, name)) is not None]
    if filters.since or filters.until:
        # What has no time may be of any.
        within = Range("at", least=_millis(filters.since), most=_millis(filters.until))
        parts.append(Any(within, Not(Term("dated", "yes"))))
    return parts


def passes(entry: Entry, filters: Filters) -> bool:
    """The same for an entry."""
    if any(
        value is not None and getattr(entry, name) != value for name in _FIELDS if (value := getattr(filters, name))
    ):
        return False
    if entry.timestamp is None:
        return True
    since, until = _millis(filters.since), _millis(filters.until)
    return (since is None or entry.timestamp >= since) and (until is None or entry.timestamp <= until)


def beginning(text: str) -> str:
    """As much of a long piece as the index can be asked for, up to a letter: a pattern for all of it would be longer
    than one may be."""
    if len(text) <= _PIECE_MOST:
        return text
    end = _PIECE_MOST
    while end and not _is_word(text[end - 1]):
        end -= 1
    return text[:end]


def holds_text(text: str, words: Sequence[str]) -> Filter | None:
    """Inside the index: documents that may hold a piece of normal text, which may begin and end within a word. None:
    it has no word, so that any may. ``words`` are its tokens."""
    if not words:
        return None
    opens = "" if not _is_word(text[0]) else ".*"
    closes = "" if not _is_word(text[-1]) else ".*"
    if len(words) == 1:
        return HasWordLike(f"{opens}{_literally(words[0])}{closes}")
    inner = [_literally(word) for word in words]
    if len(inner) > _PHRASE_WORDS:
        return HasPhrase((f"{opens}{inner[0]}", *inner[1:_PHRASE_WORDS]))
    return HasPhrase((f"{opens}{inner[0]}", *inner[1:-1], f"{inner[-1]}{closes}"))


def _is_word(letter: str) -> bool:
    return letter.isalnum() or letter == "_"


def _literally(word: str) -> str:
    return "".join(f"\\{letter}" if letter in _SPECIAL else letter for letter in word)


def _millis(moment: datetime | None) -> int | None:
    return None if moment is None else round(moment.timestamp() * 1000)
