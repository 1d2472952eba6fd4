"""The search index of one owner's beliefs: derived, on this node only, without a word of text.

Every item has one document as it is now. Where it was believed otherwise before, each such period has one more,
for questions about an earlier state of knowledge.
"""

from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path

from django.conf import settings
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models import QuerySet

from pawflow_web.identity.models import UserClock
from pawflow_web.lib.search import Document, Index, Schema
from pawflow_web.lib.text import Tokens, analyse
from review.filters import ANYWHERE, BEGINNING, END, NOBODY, Hold, micros, place, shelf
from review.kinds import kind_of, kinds
from review.models import Believed, GovernanceItem, Privacy
from review.models.choices import READABLE
from review.querysets import SCOPES, first_reason

SCHEMA = Schema(
    "beliefs",
    4,
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
        "project",
        "privacy",
        "origin",
        "pinned",
        "category",
        "tag",
    ),
    numbers=("valid_from", "valid_to", "expires_at", "known_from", "known_to"),
)
BATCH = 2000


def index_of(user_id: int) -> Index:
    """The owner's index on this node, which need not exist."""
    return Index.open(Path(settings.ENV.search_dir) / str(user_id) / "beliefs", SCHEMA)


def found_by_tokens(text: str, extra: tuple[str, ...]) -> Tokens:
    """The tokens by which a belief is found; the same for the index and for a row read from the database."""
    return analyse("\n".join((text, *extra)))


def catch_up(user_id: int) -> bool:
    """Bring the owner's index one batch forward. Returns whether there is more to do.

    Raises what :meth:`Index.write` raises; the caller tries again later.
    """
    index = index_of(user_id)
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
    secret = [str(item.pk) for item in items if item.privacy == Privacy.SECRET]
    index.write(_documents(items, moment), after=after, watermark=watermark, delete=secret)
    return more


def _changed(user_id: int, after: int, upto: int) -> QuerySet[GovernanceItem]:
    related = [kind.relation for kind in kinds.all()]
    return (
        GovernanceItem.objects.owned_by(user_id)
        .filter(changed_seq__gt=after, changed_seq__lte=upto)
        .select_related("scope_agent", "scope_conversation__project", *related)
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
    conversation = item.scope_conversation
    project = conversation.project if conversation else None
    return {
        "kind": item.kind,
        "status": item.status,
        "reason": first_reason(item.reason, contradicts=item.contradicts_id is not None),
        "scope": item.scope,
        "agent": item.scope_agent.name if item.scope_agent else NOBODY,
        "agent_id": str(item.scope_agent_id or NOBODY),
        "conversation_id": str(item.scope_conversation_id or NOBODY),
        "project": project.slug if project else NOBODY,
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
