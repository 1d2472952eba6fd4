"""The search index of one owner's beliefs: derived, on this node only, without a word of text.

Every item has one document as it is now. Where it was believed otherwise before, each such period has one more,
for questions about an earlier state of knowledge.
"""

import shutil
import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db import transaction
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models import BigIntegerField, F, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce

from pawflow_web.identity.clock import Clock
from pawflow_web.identity.models import UserClock
from pawflow_web.lib.search import Document, Index, Schema
from pawflow_web.lib.search.tail import WITHOUT_INDEX_LIMIT
from pawflow_web.lib.text import Tokens, analyse
from review.kinds import kind_of, kinds
from review.models import ERASING, Believed, EventKind, Evidence, GovernanceItem, JournalEntry, Privacy
from review.models.choices import READABLE
from review.querysets import SCOPES, first_reason
from review.search.filters import ANYWHERE, BEGINNING, END, NOBODY, Hold, micros, place, shelf

SCHEMA = Schema(
    "beliefs",
    5,
    terms=(
        "doc",
        "shelf",
        "kind",
        "status",
        "reason",
        "scope",
        "agent",
        "agent_id",
        "conversation_id",
        "said_in",
        "privacy",
        "origin",
        "pinned",
        "category",
        "tag",
    ),
    numbers=("valid_from", "valid_to", "expires_at", "known_from", "known_to"),
)
BATCH = 2000
_BESIDE = "beliefs.next"


def index_of(user_id: int) -> Index:
    """The owner's index on this node, which need not exist."""
    return Index.open(_folder(user_id), SCHEMA)


def _folder(user_id: int, name: str = "beliefs") -> Path:
    return Path(settings.ENV.search_dir) / str(user_id) / name


def found_by_tokens(text: str, extra: tuple[str, ...]) -> Tokens:
    """The tokens by which a belief is found; the same for the index and for a row read from the database."""
    return analyse("\n".join((text, *extra)))


def catch_up(user_id: int) -> bool:
    """Bring the owner's index one batch forward. Returns whether there is more to do.

    Raises what :meth:`Index.write` raises; the caller tries again later.
    """
    index = index_of(user_id)
    if index.watermark is None:
        index = Index.open(index.folder, SCHEMA, epoch=_erased_up_to(user_id))
    return _advance(index, user_id)


def erased_by_owner() -> dict[int, int]:
    """For each owner the journal's number of the last time that words of theirs were erased. It is the epoch of their
    index: a folder built before holds such words in its files, although no search finds them any more."""
    erasing = JournalEntry.objects.filter(event__in=ERASING).order_by()
    return dict(erasing.values_list("user_id").annotate(Max("seq")))


def _erased_up_to(user_id: int) -> int:
    newest = JournalEntry.objects.filter(user_id=user_id, event__in=ERASING).order_by("-seq")
    return newest.values_list("seq", flat=True).first() or 0


def renew(user_id: int, deadline: float) -> bool:
    """Build the owner's index anew beside the one that is there, which goes on answering, and put it in its place.
    Returns whether it was not done by ``deadline``, a moment of ``time.monotonic()``; the next call goes on.

    Raises what :meth:`Index.write` raises.
    """
    beside = Index.open(_folder(user_id, _BESIDE), SCHEMA, epoch=_erased_up_to(user_id))
    while _advance(beside, user_id):
        if time.monotonic() > deadline:
            return True
    index_of(user_id).replace_by(beside)
    return False


def let_go_of_words(clock: Clock) -> None:
    """Words of this owner are being erased. A small memory is searched without an index just as well, so that its
    files go with the commit; a larger one is built anew by the indexer, which hears of it. Other nodes do the same
    at their next look."""
    if clock.number <= WITHOUT_INDEX_LIMIT:
        user_id = clock.user_id
        transaction.on_commit(lambda: _drop(user_id), robust=True)


def drop_strangers() -> None:
    """Take away the folders on this node of owners who were erased, or are being."""
    search_dir = Path(settings.ENV.search_dir)
    # Before the owners are asked for: one who came in between has no folder here.
    found = [folder for folder in search_dir.iterdir() if folder.name.isdecimal()] if search_dir.is_dir() else []
    gone = {int(folder.name) for folder in found} - set(
        UserClock.objects.filter(closed=False).values_list("user_id", flat=True)
    )
    for folder in found:
        if int(folder.name) in gone:
            shutil.rmtree(folder, ignore_errors=True)


def _drop(user_id: int) -> None:
    for name in ("beliefs", _BESIDE):
        Index.open(_folder(user_id, name), SCHEMA).drop()


def _advance(index: Index, user_id: int) -> bool:
    after = index.watermark
    # Numbers follow the order of commits: everything up to this one is there to be read. What changes while
    # we read gets a higher one and comes with the next batch.
    seq, moment = UserClock.objects.values_list("seq", "at").get(pk=user_id)
    if after is not None and after >= seq:
        return False
    items = list(_changed(user_id, after or 0, seq)[: BATCH + 1])
    more = len(items) > BATCH
    del items[BATCH:]
    watermark = items[-1].changed_seq if more else seq
    gone = {item.pk for item in items if item.privacy == Privacy.SECRET}
    if after is not None:
        gone |= _purged(user_id, after, watermark)
    index.write(_documents(items, moment), after=after, watermark=watermark, delete=map(str, sorted(gone)))
    return more


def _purged(user_id: int, after: int, upto: int) -> set[int]:
    """Items that had a row when the index stood at ``after`` and have none any more."""
    entries = JournalEntry.objects.filter(user_id=user_id, event__in=ERASING, seq__gt=after, seq__lte=upto)
    return set(entries.filter(event=EventKind.PURGE).values_list("item_id", flat=True))


def _changed(user_id: int, after: int, upto: int) -> QuerySet[GovernanceItem]:
    related = [kind.relation for kind in kinds.all()]
    first = Evidence.objects.filter(item_id=OuterRef("pk")).order_by("pk").values("conversation_id")[:1]
    return (
        GovernanceItem.objects.owned_by(user_id)
        .filter(changed_seq__gt=after, changed_seq__lte=upto)
        .select_related("scope_agent", *related)
        .annotate(said_in=Coalesce(F("scope_conversation_id"), Subquery(first), output_field=BigIntegerField()))
        .order_by("changed_seq")
    )


def _documents(items: list[GovernanceItem], moment: datetime) -> Iterator[Document]:
    """``moment`` is past already: what is over by then stays so."""
    believed: dict[int, list[Believed]] = {}
    for row in Believed.objects.filter(item_id__in=[item.pk for item in items]).order_by("pk"):
        believed.setdefault(row.item_id, []).append(row)
    for item in items:
        if item.privacy != Privacy.SECRET:
            yield from _documents_of(item, believed.get(item.pk, []), moment)


def _documents_of(item: GovernanceItem, believed: list[Believed], moment: datetime) -> Iterator[Document]:
    """The item as it is, which also stands for the last period in which it was believed like this, and one
    document for each other period. Nobody may ask for earlier periods of what is no longer readable."""
    kind = kind_of(item)
    tokens = found_by_tokens(item.text, kind.found_by(item))
    terms = {**_terms(item), **kind.index_terms(item)}
    expires = micros(item.expires_at) if item.expires_at else END
    current = next((row for row in reversed(believed) if row.valid == item.valid), None)
    known = _bounds("known", current.known) if current else {"known_from": END, "known_to": BEGINNING}
    now = {**_bounds("valid", item.valid), **known, "expires_at": expires}
    readable = item.status in READABLE
    stands = {"doc": "item", **({"shelf": _shelves(item, _hold(now, micros(moment)))} if readable else {})}
    yield Document(item.pk, tokens, str(item.pk), {**terms, **stands}, now)
    for row in believed if readable else ():
        if row is not current:
            then = {**_bounds("valid", row.valid), **_bounds("known", row.known), "expires_at": expires}
            stands = {"doc": "then", "shelf": _shelves(item, "then")}
            yield Document(item.pk, tokens, str(item.pk), {**terms, **stands}, then)


def _terms(item: GovernanceItem) -> dict[str, str | list[str]]:
    return {
        "kind": item.kind,
        "status": item.status,
        "reason": first_reason(item.reason, contradicts=item.contradicts_id is not None),
        "scope": item.scope,
        "agent": item.scope_agent.name if item.scope_agent else NOBODY,
        "agent_id": str(item.scope_agent_id or NOBODY),
        "conversation_id": str(item.scope_conversation_id or NOBODY),
        "said_in": str(getattr(item, "said_in", None) or NOBODY),
        "privacy": item.privacy,
        "origin": item.origin,
        "pinned": "yes" if item.pinned else "no",
    }


def _shelves(item: GovernanceItem, hold: Hold) -> list[str]:
    """One for those who read everywhere, one for those who read in the scope of the item."""
    named = {name: getattr(item, f"scope_{name}_id") for name in SCOPES[item.scope]}
    return [shelf(hold, item.kind, item.privacy, where) for where in (ANYWHERE, place(item.scope, named))]


def _hold(bounds: Mapping[str, int], moment: int) -> Hold:
    """What time does to a document with these bounds after ``moment``."""
    if bounds["valid_to"] <= moment or bounds["expires_at"] <= moment:
        return "past"
    endless = bounds["valid_to"] == bounds["expires_at"] == END
    return "open" if endless and bounds["valid_from"] <= moment else "bounded"


def _bounds(name: str, value: DateTimeTZRange) -> dict[str, int]:
    """A half-open range as two numbers; an empty one lies where no moment is."""
    if value.isempty:
        return {f"{name}_from": END, f"{name}_to": BEGINNING}
    return {
        f"{name}_from": micros(value.lower) if value.lower else BEGINNING,
        f"{name}_to": micros(value.upper) if value.upper else END,
    }
