"""One proposal: decided and carried out under the owner's clock."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from conversations.record.reading import last_turn
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.ids import new_ref
from review.gate import tombstones
from review.gate.judgement import AGAIN_CONFIDENCE, origin_of
from review.gate.likeness import is_near_one_of
from review.gate.look_up import look_up
from review.gate.plan import Newcomer, Refusal, Repetition, admission_of, decide
from review.gate.preparing import Prepared, prepare
from review.gate.proposals import NOBODY_LOOKED, Admission, Nearness, Proposal, Source
from review.gate.succession import make_room
from review.journal.acts import Act, act
from review.journal.comments import NO_COMMENT, Comment
from review.journal.snapshots import ScopeNames
from review.kinds import kind_of
from review.models import Evidence, GovernanceItem, Origin, Tombstone
from review.plaintext import those_opened


def admit_one(
    proposal: Proposal,
    principal: Principal,
    *,
    origin: str | None = None,
    near: Nearness | None = None,
) -> Admission:
    """Decide one proposal and store the outcome.

    Args:
        origin: for writers that are not the principal's own words (importers, extractors); default the
            principal's own.
        near: how near the words come to refusals, as far as the caller has looked; refusals that came since
            are looked at under the clock.

    Raises:
        Invalid: the words have no acceptable shape.
        Conflict: what it says it replaces is not in use.
    """
    prepared = prepare(proposal if origin else _where_it_was_said(proposal, principal))
    channel = origin or origin_of(principal)
    with act(principal) as current, current.decision():
        return admit_prepared(current, prepared, principal, channel, near=near)


def _where_it_was_said(proposal: Proposal, principal: Principal) -> Proposal:
    """With the last turn of the conversation that the caller is in, unless it names its source itself."""
    if principal.conversation_id is None or proposal.source != Source():
        return proposal
    return replace(proposal, source=Source(turn=last_turn(principal, principal.conversation_id)))


def admit_prepared(
    current: Act,
    prepared: Prepared,
    principal: Principal,
    origin: str,
    *,
    near: Nearness | None = None,
) -> Admission:
    """The same for words that were looked through, in an act that others share."""
    found = look_up(current, prepared, principal, origin, near.newest_refusal if near else NOBODY_LOOKED)
    since = refused_texts(principal.user_id, found.refused_since)
    is_near = bool(near and near.is_near) or is_near_one_of(prepared.text, since)
    plan = decide(found, prepared, principal, origin, near=is_near)
    if isinstance(plan, Refusal):
        tombstones.count_hit(current, plan.tombstone)
        return admission_of(plan)
    said = _Said(current, prepared, principal, origin)
    if isinstance(plan, Repetition):
        said.again(plan)
        item = plan.item
    else:
        item = said.for_the_first_time(plan)
    return admission_of(plan, item)


def store(
    current: Act,
    prepared: Prepared,
    principal: Principal,
    origin: str,
    plan: Newcomer,
    *,
    comment: Comment = NO_COMMENT,
    **more: Any,
) -> GovernanceItem:
    """Write a new row as it was decided elsewhere, with its evidence; ``more`` are further columns of it."""
    return _Said(current, prepared, principal, origin).for_the_first_time(plan, comment=comment, **more)


def refused_texts(user_id: int, ids: Sequence[int]) -> list[str]:
    """The words that these refusals refuse, of whichever belief still says them; seldom any are asked for."""
    if not ids:
        return []
    refused = Tombstone.objects.filter(pk__in=ids).values("digest")
    said = GovernanceItem.objects.owned_by(user_id).filter(text_digest__in=refused)
    return list(those_opened(said.values_list("text", "privacy").distinct()))


class _Said:
    """Writes what became of one proposal."""

    def __init__(self, current: Act, prepared: Prepared, principal: Principal, origin: str) -> None:
        self._current = current
        self._prepared = prepared
        self._proposal = prepared.proposal
        self._principal = principal
        self._origin = origin
        self._party = self._proposal.source.label or f"{principal.kind}:{principal.name}"

    def for_the_first_time(self, plan: Newcomer, *, comment: Comment = NO_COMMENT, **more: Any) -> GovernanceItem:
        proposal, prepared = self._proposal, self._prepared
        place = proposal.place
        item = GovernanceItem(
            ref=new_ref(),
            user_id=self._principal.user_id,
            kind=proposal.kind,
            text=prepared.text,
            text_digest=prepared.digest,
            words_mac=prepared.mac,
            scope=place.scope,
            scope_agent_id=place.agent_id,
            scope_conversation_id=place.conversation_id,
            status=plan.status,
            reason=plan.reason,
            confidence=plan.confidence,
            privacy=prepared.privacy,
            origin=self._origin,
            flags=prepared.flag_values(),
            exclusive_key=proposal.exclusive_key,
            valid=proposal.valid,
            valid_from_precision=proposal.precision[0],
            valid_to_precision=proposal.precision[1],
            expires_at=self._expiry(),
            contradicts=plan.contradicts,
        )
        if plan.room is not None:
            make_room(self._current, plan.room)
            for name, value in plan.room.changes.items():
                setattr(item, name, value)
        for name, value in more.items():
            setattr(item, name, value)
        names = ScopeNames(place.agent_name, place.conversation_ref)
        self._current.insert(item, dict(proposal.facet), comment=comment, names=names)
        self._add_evidence(item)
        return item

    def again(self, plan: Repetition) -> None:
        item = plan.item
        is_new_voice = self._add_evidence(item)
        GovernanceItem.objects.filter(pk=item.pk).update(last_seen_at=self._current.clock.at)
        if plan.effect == "confirm":
            self._confirm(item, counts=is_new_voice and self._is_new_party(item))
        elif plan.effect == "restate":
            self._restate(plan)
        elif plan.effect == "review":
            self._current.write(
                item,
                "restate",
                status=plan.status,
                reason=plan.reason,
                contradicts=plan.contradicts,
                retired_at=None,
                expires_at=self._expiry(),
            )

    def _confirm(self, item: GovernanceItem, *, counts: bool) -> None:
        changes: dict[str, Any] = {}
        facet: dict[str, Any] = {}
        if counts:
            changes["confidence"] = min(100, item.confidence + AGAIN_CONFIDENCE)
        if self._origin == Origin.USER_CHANNEL:
            facet = kind_of(item).merged(item, self._proposal.facet) if self._prepared.clean else {}
            if item.expires_at is not None:
                changes["expires_at"] = self._later_expiry(item.expires_at)
        self._current.write(item, "confirm", facet=facet, **changes)

    def _restate(self, plan: Repetition) -> None:
        """Bring words back into use, in the place of the value that stands there, if any."""
        item, room = plan.item, plan.room
        assert room is not None  # noqa: S101 - decided together with the effect
        make_room(self._current, room)
        self._current.write(
            item,
            "restate",
            status=plan.status,
            reason=plan.reason,
            contradicts=None,
            retired_at=None,
            expires_at=self._expiry(),
            facet=kind_of(item).merged(item, self._proposal.facet),
            **room.changes,
        )

    def _expiry(self) -> datetime | None:
        days = self._proposal.ttl_days
        return None if days is None else self._current.clock.at + timedelta(days=days)

    def _later_expiry(self, known: datetime) -> datetime | None:
        """Said without an end, it has none; said with one, the later of the two holds."""
        again = self._expiry()
        return None if again is None else max(known, again)

    def _add_evidence(self, item: GovernanceItem) -> bool:
        source, principal = self._proposal.source, self._principal
        return self._current.add_evidence(
            item,
            origin=self._origin,
            principal=self._party,
            agent_id=principal.agent_id,
            conversation_id=principal.conversation_id,
            turn=source.turn,
            file=source.file,
            line=source.line,
            quote=source.quote,
            span_start=source.span[0] if source.span else None,
            span_end=source.span[1] if source.span else None,
        )

    def _is_new_party(self, item: GovernanceItem) -> bool:
        """Nobody raises the trust in what they said themselves."""
        author = Evidence.objects.filter(item=item).order_by("pk").values_list("principal", flat=True).first()
        return author != self._party
