"""What stands where the words want to go, read under the owner's clock or without it."""

from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any

from pawflow_web.identity.clock import now
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import Row, execute
from review.gate.plan import Found
from review.gate.preparing import Prepared
from review.gate.proposals import NOBODY_LOOKED
from review.gate.succession import has_expired, holding, retire_expired
from review.journal.acts import Act
from review.models import LIVE, READABLE, GovernanceItem, Origin, Reason, Status, Tombstone
from review.querysets import ItemQuerySet


def _words(statuses: Iterable[str]) -> str:
    """Statuses as they stand in a statement that is prepared once and meets the partial indexes."""
    return ", ".join(f"'{status}'" for status in statuses)


_LOOK_UP = f"""
SELECT 'words', id FROM review_governanceitem
WHERE user_id = %(user)s AND text_digest = %(digest)s AND kind = %(kind)s AND scope = %(scope)s
  AND scope_agent_id IS NOT DISTINCT FROM %(agent)s::bigint
  AND scope_conversation_id IS NOT DISTINCT FROM %(conversation)s::bigint
  AND (status IN ({_words([*LIVE, Status.STALE])}) AND upper_inf(valid)
    OR %(ended)s::boolean AND status <> '{Status.REJECTED}')
UNION ALL
SELECT 'tombstone', id FROM review_tombstone
WHERE user_id = %(user)s AND digest = %(digest)s AND lifted_at IS NULL
UNION ALL
SELECT 'refused', id FROM review_tombstone
WHERE user_id = %(user)s AND lifted_at IS NULL AND id > %(looked)s
UNION ALL
SELECT 'rival', id FROM review_governanceitem
WHERE user_id = %(user)s AND exclusive_key = %(key)s AND exclusive_key <> ''
  AND status IN ({_words(READABLE)}) AND NOT isempty(valid)
"""


def look_up(current: Act, prepared: Prepared, principal: Principal, origin: str, looked: int = NOBODY_LOOKED) -> Found:
    """Under the clock: the rows are locked, and what has expired is retired. ``looked`` is the last refusal that
    the words were compared with before."""

    def retire(items: Iterable[GovernanceItem]) -> None:
        for item in items:
            retire_expired(current, item)

    rows = execute(_LOOK_UP, _values(prepared, principal, origin, looked))
    return _found(rows, prepared, principal, current.clock.at, GovernanceItem.objects.locked(), retire)


def peek(prepared: Prepared, principal: Principal, origin: str) -> Found:
    """The same without a lock and without a write."""
    moment = now()

    def retire(items: Iterable[GovernanceItem]) -> None:
        for item in items:
            if has_expired(item, moment):
                item.status, item.reason = Status.STALE, Reason.EXPIRED

    rows = execute(_LOOK_UP, _values(prepared, principal, origin, NOBODY_LOOKED))
    return _found(rows, prepared, principal, moment, GovernanceItem.objects.all(), retire)


_MET = """
SELECT clock_timestamp(), ARRAY(
  SELECT digest FROM unnest(%(digests)s::text[]) AS given (digest)
  WHERE EXISTS (SELECT FROM review_governanceitem WHERE user_id = %(user)s AND text_digest = given.digest)
     OR EXISTS (SELECT FROM review_tombstone AS known WHERE known.user_id = %(user)s AND known.digest = given.digest)
)
"""


def peek_many(many: Sequence[Prepared], principal: Principal, origin: str) -> list[Found]:
    """:func:`peek` for each of many. Words that were never here cost no statement of their own."""
    if not many:
        return []
    digests = [prepared.digest for prepared in many]
    moment, met = execute(_MET, {"user": principal.user_id, "digests": digests})[0]
    return [
        peek(prepared, principal, origin) if prepared.digest in met or _names_others(prepared) else Found(moment)
        for prepared in many
    ]


def _names_others(prepared: Prepared) -> bool:
    """Whether it may meet more than its own words."""
    return bool(prepared.proposal.exclusive_key) or prepared.proposal.replaces is not None


def _found(
    rows: Sequence[Row],
    prepared: Prepared,
    principal: Principal,
    moment: datetime,
    items: ItemQuerySet,
    retire: Callable[[Iterable[GovernanceItem]], None],
) -> Found:
    proposal = prepared.proposal
    ids = {role: [pk for found, pk in rows if found == role] for role in ("words", "tombstone", "refused", "rival")}
    named = proposal.replaces.pk if proposal.replaces is not None else None
    wanted = {*ids["words"], *ids["rival"], *([named] if named is not None else [])}
    known = {item.pk: item for item in items.filter(pk__in=wanted)} if wanted else {}
    # One that a conversation's end takes along while we look without a lock is gone.
    words = [known[pk] for pk in ids["words"] if pk in known]
    contested = {item.contradicts_id for item in words if item.contradicts_id is not None}
    further = [*_on_other_keys(items, principal.user_id, words, proposal.exclusive_key)]
    further += items.filter(pk__in=contested) if contested else []
    for item in further:
        known.setdefault(item.pk, item)
    retire(known.values())
    return Found(
        moment,
        words=words,
        rivals=[item for item in known.values() if item.exclusive_key and not item.valid.isempty],
        tombstone=Tombstone.objects.get(pk=ids["tombstone"][0]) if ids["tombstone"] else None,
        named=known.get(named) if named is not None else None,
        contested=[known[pk] for pk in contested if pk in known],
        refused_since=ids["refused"],
    )


def _on_other_keys(
    items: ItemQuerySet, user_id: int, words: Sequence[GovernanceItem], key: str
) -> Sequence[GovernanceItem]:
    """The rivals of the same words on a key that the proposal does not name; seldom any."""
    keys = {item.exclusive_key for item in words} - {"", key}
    return list(holding(items.owned_by(user_id)).filter(exclusive_key__in=keys)) if keys else ()


def _values(prepared: Prepared, principal: Principal, origin: str, looked: int) -> dict[str, Any]:
    proposal = prepared.proposal
    return {
        "user": principal.user_id,
        "digest": prepared.digest,
        "kind": proposal.kind,
        "scope": str(proposal.place.scope),
        "agent": proposal.place.agent_id,
        "conversation": proposal.place.conversation_id,
        "key": proposal.exclusive_key,
        "looked": looked,
        # A file says nothing new by being read again: what was ended or corrected since stays as it is.
        "ended": origin == Origin.IMPORTER,
    }
