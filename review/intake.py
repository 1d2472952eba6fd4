"""The gate: the only way words become a belief.

``admit`` decides the status before anything is stored. ``assess`` is the same judgement without a write.
Order under the owner's clock: exact duplicate, tombstone, origin lowered by findings, placement on the key,
losers first, insert.
"""

import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime, timedelta
from typing import Any, Protocol

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import execute
from pawflow_web.lib.errors import Conflict, DomainError
from pawflow_web.lib.ids import new_ref
from review import tombstones
from review.judgement import (
    AGAIN_CONFIDENCE,
    judge_again,
    judge_new,
    origin_of,
    preferred,
)
from review.kinds import kind_of, kinds
from review.ledger import Act, act
from review.models import Evidence, GovernanceItem, Origin, Status, Tombstone
from review.placement import EMPTY, Placement, nothing_left, place
from review.preparing import Prepared, prepare
from review.proposals import Admission, Judgement, Proposal
from review.succession import retire_expired, rivals_of, supersede
from review.transitions import check_transition

# One owner's clock is not held longer than this by a list of proposals; others of that owner wait meanwhile.
SLICE_PROPOSALS = 100
SLICE_SECONDS = 0.05

_LOOK_UP = """
SELECT 'words', id FROM review_governanceitem
WHERE user_id = %(user)s AND text_digest = %(digest)s AND kind = %(kind)s
  AND scope_agent_id IS NOT DISTINCT FROM %(agent)s::bigint
  AND scope_conversation_id IS NOT DISTINCT FROM %(conversation)s::bigint
  AND (status IN ('candidate', 'active', 'needs_review', 'stale') AND upper_inf(valid)
    OR %(ended)s::boolean AND status <> 'rejected')
UNION ALL
SELECT 'tombstone', id FROM review_tombstone
WHERE user_id = %(user)s AND digest = %(digest)s AND lifted_at IS NULL
UNION ALL
SELECT 'rival', id FROM review_governanceitem
WHERE user_id = %(user)s AND exclusive_key = %(key)s AND exclusive_key <> ''
  AND status IN ('active', 'superseded') AND NOT isempty(valid)
"""


def admit_one(
    proposal: Proposal,
    principal: Principal,
    *,
    origin: str | None = None,
    near_tombstone: str = "",
    override_tombstone: bool = False,
) -> Admission:
    """Decide one proposal and store the outcome.

    Args:
        origin: for writers that are not the principal's own words (importers, extractors); default the
            principal's own.
        near_tombstone: the ref of a refusal whose words these come near to, if the caller found one.
        override_tombstone: a person insists on words that were rejected before.

    Raises:
        Invalid: the words have no acceptable shape.
        Conflict: what it says it replaces is not in use.
    """
    prepared = prepare(proposal)
    with act(principal) as current, current.decision():
        return _admit(
            current,
            prepared,
            principal,
            origin or origin_of(principal),
            near_tombstone,
            override=override_tombstone,
        )


def admit(
    proposals: Iterable[Proposal],
    principal: Principal,
    *,
    origin: str | None = None,
    before_commit: Callable[[Sequence[Admission]], None] | None = None,
) -> Iterator[Admission]:
    """Decide proposals in order; each stands alone. A proposal that fails is answered with its error.

    Works in slices that let other writers of the owner in between; a slice is one transaction, and its
    admissions are yielded once it is committed.

    Args:
        before_commit: is told the admissions of a slice inside its transaction, so that what it writes about
            them is kept exactly when they are.
    """
    channel = origin or origin_of(principal)
    waiting = iter(proposals)
    while True:
        ready = deque(_prepared(waiting))
        if not ready:
            return
        while ready:
            yield from _slice(ready, principal, channel, before_commit)


class Met(Protocol):
    """Which words an assessment has met so far."""

    def add(self, key: str) -> bool:
        """Put the key in; returns whether it is new."""


def assess(
    proposals: Iterable[Proposal], principal: Principal, *, origin: str | None = None, met: Met | None = None
) -> Iterator[Admission]:
    """What :func:`admit` would answer, in order, without storing anything. Repeats within the proposals count as
    duplicates of their first occurrence.

    Args:
        met: remembers the words for that; in memory when left out.
    """
    channel = origin or origin_of(principal)
    known = met or _MetInMemory()
    return (_assess(proposal, principal, channel, known) for proposal in proposals)


# --- slices ---------------------------------------------------------------------------------------------------


def _prepared(proposals: Iterator[Proposal]) -> Iterator[Prepared | Admission]:
    for _, proposal in zip(range(SLICE_PROPOSALS), proposals, strict=False):
        try:
            yield prepare(proposal)
        except DomainError as error:
            yield Admission("invalid", error=error, reason=error.code)


def _slice(
    ready: deque[Prepared | Admission],
    principal: Principal,
    origin: str,
    before_commit: Callable[[Sequence[Admission]], None] | None,
) -> list[Admission]:
    answers: list[Admission] = []
    with act(principal) as current:
        until = time.monotonic() + SLICE_SECONDS
        while ready and (not answers or time.monotonic() < until):
            prepared = ready.popleft()
            if isinstance(prepared, Admission):
                answers.append(prepared)
                continue
            try:
                with current.savepoint(), current.decision():
                    answers.append(_admit(current, prepared, principal, origin, ""))
            except DomainError as error:
                answers.append(Admission("invalid", error=error, reason=error.code))
        if before_commit is not None:
            before_commit(answers)
    return answers


# --- one proposal under the clock -----------------------------------------------------------------------------


def _admit(
    current: Act, prepared: Prepared, principal: Principal, origin: str, near: str, *, override: bool = False
) -> Admission:
    words, tombstone, rivals = _look_up(prepared, principal, origin)
    for row in (*words, *rivals):
        retire_expired(current, row)
    rivals = [row for row in rivals if row.status != Status.STALE]
    duplicate = preferred(words)
    if tombstone is not None and (duplicate is None or duplicate.status != Status.ACTIVE):
        if not override:
            tombstones.count_hit(current, tombstone)
            return Admission("refused", reason="tombstoned", tombstone=tombstone.ref)
        tombstones.lift(current, tombstone)
    replaced = prepared.proposal.replaces
    if duplicate is not None and (replaced is None or replaced.pk == duplicate.pk):
        return _said_again(current, prepared, duplicate, principal, origin, near=bool(near))
    kind = kinds.find(prepared.proposal.kind)
    judgement = judge_new(
        prepared,
        principal,
        origin,
        kind_confidence=kind.confidence if kind else 0,
        near_tombstone=bool(near),
    )
    return _store(current, prepared, judgement, principal, origin, rivals, duplicate)


def _look_up(
    prepared: Prepared, principal: Principal, origin: str
) -> tuple[list[GovernanceItem], Tombstone | None, list[GovernanceItem]]:
    proposal = prepared.proposal
    rows = execute(_LOOK_UP, _look_up_values(prepared, principal, origin))
    ids = {role: [pk for found, pk in rows if found == role] for role in ("words", "tombstone", "rival")}
    rival_ids = list(ids["rival"])
    if proposal.replaces is not None and proposal.replaces.pk not in rival_ids:
        rival_ids.append(proposal.replaces.pk)
    wanted = {*ids["words"], *rival_ids}
    items = {item.pk: item for item in GovernanceItem.objects.locked().filter(pk__in=wanted)} if wanted else {}
    tombstone = Tombstone.objects.get(pk=ids["tombstone"][0]) if ids["tombstone"] else None
    return [items[pk] for pk in ids["words"]], tombstone, [items[pk] for pk in rival_ids if pk in items]


def _look_up_values(prepared: Prepared, principal: Principal, origin: str) -> dict[str, Any]:
    proposal = prepared.proposal
    return {
        "user": principal.user_id,
        "digest": prepared.digest,
        "kind": proposal.kind,
        "agent": proposal.place.agent.pk if proposal.place.agent else None,
        "conversation": proposal.place.conversation.pk if proposal.place.conversation else None,
        "key": proposal.exclusive_key,
        # A file says nothing new by being read again: what was ended or corrected since stays as it is.
        "ended": origin == Origin.IMPORTER,
    }


def _said_again(
    current: Act, prepared: Prepared, item: GovernanceItem, principal: Principal, origin: str, *, near: bool
) -> Admission:
    """No new row: what the same words said once more do to the one that is there."""
    effect = judge_again(prepared, item, origin, near_tombstone=near)
    voice = _add_evidence(current, item, prepared, principal, origin)
    GovernanceItem.objects.filter(pk=item.pk).update(last_seen_at=current.clock.at)
    if effect == "confirm":
        _confirm(current, item, prepared, origin, counts=voice and _is_new_party(item, prepared, principal))
    elif effect == "restate":
        superseded = _restate(current, item, prepared)
        return Admission("restated", item, item.status, item.reason, duplicate_of=item, superseded=superseded)
    elif effect == "review":
        _back_to_review(current, item, prepared, reason="near_tombstone" if near else "extractor_review")
    return Admission("duplicate", item, item.status, item.reason, duplicate_of=item)


def _confirm(current: Act, item: GovernanceItem, prepared: Prepared, origin: str, *, counts: bool) -> None:
    changes: dict[str, Any] = {}
    facet: dict[str, Any] = {}
    if counts:
        changes["confidence"] = min(100, item.confidence + AGAIN_CONFIDENCE)
    if origin == Origin.USER_CHANNEL:
        facet = kind_of(item).merged(item, prepared.proposal.facet) if prepared.clean else {}
        if item.expires_at is not None:
            changes["expires_at"] = _later_expiry(current, item, prepared)
    current.write(item, "confirm", event="merge", facet=facet, **changes)


def _restate(current: Act, item: GovernanceItem, prepared: Prepared) -> tuple[GovernanceItem, ...]:
    """Bring words back into use. On a key they take their place as new words would; having no end, they always
    fit. Returns the value whose place they took, if any."""
    check_transition(item.status, "restate", Status.ACTIVE)
    rivals = rivals_of(current, item)
    placement = _place(rivals, item.valid, current)
    loser = rivals[placement.loser] if placement.loser is not None else None
    changes: dict[str, Any] = {"valid": placement.valid}
    if placement.assumed_start:
        changes["valid_from_precision"] = "assumed"
    if loser is not None:
        supersede(current, loser, placement.loser_valid or EMPTY)
        changes["supersedes"] = loser
    current.write(
        item,
        "restate",
        status=Status.ACTIVE,
        reason="restated",
        contradicts=None,
        retired_at=None,
        expires_at=_expiry(current, prepared),
        facet=kind_of(item).merged(item, prepared.proposal.facet),
        **changes,
    )
    return (loser,) if loser is not None else ()


def _back_to_review(current: Act, item: GovernanceItem, prepared: Prepared, *, reason: str) -> None:
    """Words that were out of use wait for a person."""
    check_transition(item.status, "restate", Status.NEEDS_REVIEW)
    current.write(
        item,
        "restate",
        status=Status.NEEDS_REVIEW,
        reason=reason,
        retired_at=None,
        expires_at=_expiry(current, prepared),
    )


def _expiry(current: Act, prepared: Prepared) -> datetime | None:
    ttl = prepared.proposal.ttl_days
    return None if ttl is None else current.clock.at + timedelta(days=ttl)


def _later_expiry(current: Act, item: GovernanceItem, prepared: Prepared) -> datetime | None:
    """Said without an end, it has none; said with one, the later of the two holds."""
    again = _expiry(current, prepared)
    return None if again is None or item.expires_at is None else max(item.expires_at, again)


def _store(
    current: Act,
    prepared: Prepared,
    judgement: Judgement,
    principal: Principal,
    origin: str,
    rivals: list[GovernanceItem],
    duplicate: GovernanceItem | None,
) -> Admission:
    proposal = prepared.proposal
    _require_replaceable(current, proposal, rivals)
    if duplicate is not None and duplicate.status != Status.STALE:
        raise Conflict(f"These words already stand as #{duplicate.ref}.", fields={"duplicate_of": duplicate.ref})
    placement = _place(rivals, proposal.valid, current)
    status, reason = judgement.status, judgement.reason
    loser = rivals[placement.loser] if placement.loser is not None else None
    replaces = loser is not None and status == Status.ACTIVE and judgement.may_replace and placement.fits
    contradicts = loser if loser is not None and not replaces else None
    if contradicts is not None and status == Status.ACTIVE:
        status, reason = Status.NEEDS_REVIEW, "contradicts_active"
    if loser is not None and replaces:
        supersede(current, loser, placement.loser_valid or EMPTY)
    keeps_place = status == Status.ACTIVE
    item = GovernanceItem(
        ref=new_ref(),
        user_id=principal.user_id,
        kind=proposal.kind,
        text=prepared.text,
        text_digest=prepared.digest,
        words_mac=prepared.mac,
        scope=proposal.place.scope,
        scope_agent=proposal.place.agent,
        scope_conversation=proposal.place.conversation,
        status=status,
        reason=reason,
        confidence=judgement.confidence,
        privacy=prepared.privacy,
        origin=origin,
        flags=prepared.flag_values(),
        exclusive_key=proposal.exclusive_key,
        valid=placement.valid if keeps_place else proposal.valid,
        valid_from_precision="assumed" if keeps_place and placement.assumed_start else proposal.precision[0],
        valid_to_precision=proposal.precision[1],
        expires_at=_expiry(current, prepared),
        contradicts=contradicts,
        supersedes=loser if replaces else None,
    )
    current.insert(item, dict(proposal.facet))
    _add_evidence(current, item, prepared, principal, origin)
    superseded = (loser,) if loser is not None and replaces else ()
    return Admission("stored", item, status, reason, contradicts=contradicts, superseded=superseded)


def _require_replaceable(current: Act, proposal: Proposal, rivals: list[GovernanceItem]) -> None:
    """What a proposal says it replaces must still be in use, now that the clock is held."""
    if proposal.replaces is None:
        return
    named = next((item for item in rivals if item.pk == proposal.replaces.pk), None)
    if named is None or named.status != Status.ACTIVE or nothing_left(named.valid, current.clock.at):
        raise Conflict(
            f"#{proposal.replaces.ref} is not in use, so nothing can take its place.",
            fields={"supersedes": proposal.replaces.ref},
        )


def _place(rivals: list[GovernanceItem], valid: DateTimeTZRange, current: Act) -> Placement:
    return place([item.valid for item in rivals], valid, current.clock.at)


def _add_evidence(current: Act, item: GovernanceItem, prepared: Prepared, principal: Principal, origin: str) -> bool:
    source = prepared.proposal.source
    return current.add_evidence(
        item,
        origin=origin,
        principal=_party(prepared, principal),
        agent_id=principal.agent_id,
        conversation_id=principal.conversation_id,
        turn=source.turn,
        file=source.file,
        line=source.line,
        quote=source.quote,
        span_start=source.span[0] if source.span else None,
        span_end=source.span[1] if source.span else None,
    )


def _party(prepared: Prepared, principal: Principal) -> str:
    return prepared.proposal.source.label or f"{principal.kind}:{principal.name}"


def _is_new_party(item: GovernanceItem, prepared: Prepared, principal: Principal) -> bool:
    """Nobody raises the trust in what they said themselves."""
    author = Evidence.objects.filter(item=item).order_by("pk").values_list("principal", flat=True).first()
    return author != _party(prepared, principal)


# --- without a write ------------------------------------------------------------------------------------------


class _MetInMemory:
    def __init__(self) -> None:
        self._keys: set[str] = set()

    def add(self, key: str) -> bool:
        before = len(self._keys)
        self._keys.add(key)
        return len(self._keys) > before


def _assess(proposal: Proposal, principal: Principal, origin: str, met: Met) -> Admission:
    try:
        prepared = prepare(proposal)
    except DomainError as error:
        return Admission("invalid", error=error, reason=error.code)
    words, tombstone, rivals = _peek(prepared, principal, origin)
    duplicate = preferred(words)
    if tombstone and (duplicate is None or duplicate.status != Status.ACTIVE):
        return Admission("refused", reason="tombstoned", tombstone=tombstone)
    if duplicate is not None or not met.add(_words_and_place(prepared)):
        status = duplicate.status if duplicate else Status.NEEDS_REVIEW
        return Admission("duplicate", duplicate, status, "", duplicate_of=duplicate)
    kind = kinds.find(proposal.kind)
    judgement = judge_new(
        prepared, principal, origin, kind_confidence=kind.confidence if kind else 0, near_tombstone=False
    )
    rival = next(iter(rivals), None)
    status = Status.NEEDS_REVIEW if rival and not judgement.may_replace else judgement.status
    return Admission("stored", None, status, judgement.reason, contradicts=rival)


def _words_and_place(prepared: Prepared) -> str:
    place = prepared.proposal.place
    agent = place.agent.pk if place.agent else "-"
    conversation = place.conversation.pk if place.conversation else "-"
    return f"{prepared.proposal.kind} {prepared.digest} {agent} {conversation}"


def _peek(
    prepared: Prepared, principal: Principal, origin: str
) -> tuple[list[GovernanceItem], str, list[GovernanceItem]]:
    rows = execute(_LOOK_UP, _look_up_values(prepared, principal, origin))
    items = {item.pk: item for item in GovernanceItem.objects.filter(pk__in=[pk for _, pk in rows])} if rows else {}
    stones = [pk for role, pk in rows if role == "tombstone"]
    ref = Tombstone.objects.values_list("ref", flat=True).get(pk=stones[0]) if stones else ""
    return (
        [items[pk] for role, pk in rows if role == "words"],
        ref,
        [items[pk] for role, pk in rows if role == "rival"],
    )
