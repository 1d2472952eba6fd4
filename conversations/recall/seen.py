"""Operations that were seen in an owner's sessions: exact names to ask recall for."""

from dataclasses import dataclass

from conversations.models import SessionGone
from conversations.recall.index import index_of
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.ranking import Query, Stats, score
from pawflow_web.lib.search import AnyOf, CorruptIndexError, Not
from pawflow_web.lib.text import analyse

# Names that are looked through.
_MOST = 2000


@dataclass(frozen=True, slots=True)
class Seen:
    """An operation, and how many entries are of it."""

    ref: str
    times: int

    @property
    def provider(self) -> str:
        return self.ref.partition(".")[0]

    @property
    def told(self) -> str:
        return f"Seen {self.times:,} times in your sessions." if self.times > 1 else "Seen once in your sessions."


def operations_seen(principal: Principal, query: str, *, limit: int) -> list[Seen]:
    """Those whose names hold words of the query, the best first, as far as the index knows them."""
    index = index_of(principal.user_id)
    snapshot = index.snapshot()
    if snapshot is None or limit < 1:
        return []
    gone = SessionGone.objects.filter(user_id=principal.user_id, seq__gt=snapshot.watermark)
    where = Not(AnyOf("session", [str(pk) for pk in gone.values_list("session_number", flat=True)]))
    try:
        known = [Seen(ref, times) for ref, times in snapshot.values("ref", where=where, limit=_MOST)]
    except CorruptIndexError as error:
        index.report(error)
        return []
    words = [analyse(f"{one.ref} {one.ref.replace('.', ' ').replace('_', ' ')}") for one in known]
    asked = Query(analyse(query))
    return [known[hit.id] for hit in score(asked, list(enumerate(words)), Stats().plus(asked, words))[:limit]]
