"""Correct: other words in place of a belief's own. Words are never edited; the new ones are a new belief."""

from dataclasses import replace
from typing import Any

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, Invalid, Tombstoned
from review.gate import tombstones
from review.gate.admit import refused_texts, store
from review.gate.judgement import judge_new, origin_of
from review.gate.likeness import is_near_one_of
from review.gate.look_up import look_up
from review.gate.lookalikes import find_lookalikes
from review.gate.placement import EMPTY
from review.gate.plan import Found, Newcomer
from review.gate.preparing import Prepared, prepare
from review.gate.proposals import Judgement, Nearness, Place, Proposal
from review.gate.succession import Room, answer_wishes, retire_expired
from review.journal.acts import Act, act
from review.journal.comments import Comment
from review.kinds import Restated, kind_of
from review.lifecycle.conditions import future_expiry, require_room
from review.lifecycle.deciding import Decision, room_for
from review.lifecycle.locked import locked_item
from review.models import LIVE, GovernanceItem, Privacy, Reason, Status, Tombstone
from review.search.find import by_reference
from review.transitions import check_transition

# A label that a person gave or the scanner found does not get lost with the words.
_STRICTNESS = (Privacy.NORMAL, Privacy.SENSITIVE, Privacy.SECRET)


def correct(
    *,
    principal: Principal,
    reference: str,
    text: str,
    revision: int | None = None,
    comment: str = "",
    override_tombstone: bool = False,
) -> Decision:
    """Put other words in the place of a belief in use, or of one that waits.

    The new words go through the gate. They come into use with everything that the old belief had beside its words,
    and the old one, emptied, is history. What the gate finds something in waits instead, naming the old belief, which
    stays as it is.

    Returns: a decision over the new belief; ``demoted`` is the old one, None while the new one waits.

    Raises:
        NotFound, StaleRevision, InvalidTransition: as for every decision.
        Invalid: the words have no acceptable shape, or are what it says already.
        Conflict: another belief says these words (``fields.duplicate_of``), or another value is in the way of one
            that waits and is not named by it (``fields.contradicts``).
        Tombstoned: these words were refused before, and ``override_tombstone`` is not given.
    """
    # Narrowed, the words wait as those of an automation do.
    principal.require_person(to_propose=True)
    comment = Comment.of(comment)
    known = by_reference(GovernanceItem.objects.visible_to(principal).for_display(), reference)
    beside = kind_of(known).found_by(known)
    said = kind_of(known).restated(known, text)
    prepared = prepare(Proposal(known.kind, said.text, Place.like(known), also_shown=beside))
    nearness = find_lookalikes(principal, prepared.text, kind=known.kind).nearness
    with act(principal) as current, current.decision():
        old = locked_item(principal, reference, revision)
        retire_expired(current, old)
        check_transition(old.status, "correct", Status.SUPERSEDED)
        if prepared.mac == old.words_mac:
            raise Invalid(f"#{old.ref} says exactly this already.", fields={"text": "must differ from the old words"})
        prepared = _in_place_of(old, prepared, kind_of(old).restated(old, text))
        origin = origin_of(principal)
        found = look_up(current, prepared, principal, origin, nearness.newest_refusal)
        refused = _refusal(found, old, prepared, override=override_tombstone)
        near = refused is None and _is_near(prepared, old, nearness, found)
        judged = judge_new(prepared, principal, origin, kind_of(old), near_tombstone=near)
        if refused is not None:
            tombstones.lift(current, refused)
        if prepared.proposal.exclusive_key != old.exclusive_key:
            # Not about the same thing any more: another value may stand where it goes.
            require_room(current, old, prepared.proposal.valid, key=prepared.proposal.exclusive_key)
        write = _replace if judged.status == Status.ACTIVE else _propose
        new = write(current, old, prepared, principal, judged, comment)
        if refused is not None:
            current.mention(new, "lift_tombstone")
        return Decision(new, current.last_decision, demoted=old if new.status == Status.ACTIVE else None)


def _in_place_of(old: GovernanceItem, prepared: Prepared, said: Restated) -> Prepared:
    """The same words with everything else as the old belief has it now."""
    proposal = replace(
        prepared.proposal,
        place=Place.like(old),
        facet=said.facet,
        valid=DateTimeTZRange(None, None) if old.valid.isempty else old.valid,
        precision=(old.valid_from_precision, old.valid_to_precision),
        exclusive_key=said.exclusive_key,
    )
    return replace(prepared, proposal=proposal)


def _refusal(found: Found, old: GovernanceItem, prepared: Prepared, *, override: bool) -> Tombstone | None:
    """The refusal that the words meet and a person overrides. Raises for what stands in their way."""
    others = [row for row in found.words if row.pk != old.pk and row.status in LIVE]
    if others:
        raise Conflict(f"#{others[0].ref} says these words already.", fields={"duplicate_of": others[0].ref})
    same_words = prepared.digest == old.text_digest and old.status == Status.ACTIVE
    if found.tombstone is None or same_words:
        return None
    if not override:
        raise Tombstoned("You rejected these words before.", fields={"tombstone": found.tombstone.ref})
    return found.tombstone


def _is_near(prepared: Prepared, old: GovernanceItem, nearness: Nearness, found: Found) -> bool:
    """Whether the words come near to a refusal; another spelling of what stands there is no news."""
    if prepared.digest == old.text_digest:
        return False
    return nearness.is_near or is_near_one_of(prepared.text, refused_texts(old.user_id, found.refused_since))


def _replace(
    current: Act, old: GovernanceItem, prepared: Prepared, principal: Principal, judged: Judgement, comment: Comment
) -> GovernanceItem:
    """A person's word: in use at once, for exactly the time that the old words were said to hold."""
    room = Room(old.valid)
    if old.status != Status.ACTIVE:
        # What waits has no place yet.
        start = DateTimeTZRange(current.clock.at, None)
        room = room_for(current, old, start if old.valid.isempty else old.valid)
    gone: dict[str, Any] = {"contradicts": None}
    if room.loser is not None:
        gone["supersedes"] = room.loser
    current.write(
        old,
        "correct",
        status=Status.SUPERSEDED,
        reason=Reason.CORRECTED,
        valid=EMPTY,
        retired_at=current.clock.at,
        comment=comment,
        **gone,
    )
    answer_wishes(current, old)
    plan = Newcomer(judged.status, Reason.CORRECTED, judged.confidence, room=room)
    return _stored(current, old, prepared, principal, plan, supersedes=old, decided=True)


def _propose(
    current: Act, old: GovernanceItem, prepared: Prepared, principal: Principal, judged: Judgement, comment: Comment
) -> GovernanceItem:
    """Something was found in the words: they wait beside the old ones."""
    if prepared.digest == old.text_digest:
        raise Conflict(
            f"In this spelling a person must look at it, and #{old.ref} says the same words. Decide on that one.",
            fields={"duplicate_of": old.ref},
        )
    plan = Newcomer(judged.status, judged.reason, judged.confidence, contradicts=old)
    return _stored(current, old, prepared, principal, plan, comment=comment)


def _stored(
    current: Act, old: GovernanceItem, prepared: Prepared, principal: Principal, plan: Newcomer, **more: Any
) -> GovernanceItem:
    return store(
        current,
        prepared,
        principal,
        origin_of(principal),
        plan,
        privacy=max(prepared.privacy, old.privacy, key=_STRICTNESS.index),
        pinned=old.pinned,
        expires_at=future_expiry(current, old),
        **more,
    )
