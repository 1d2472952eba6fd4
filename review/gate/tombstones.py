"""Refusals that outlive the words they refuse."""

from datetime import UTC

from django.db.models import Exists, F, OuterRef

from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import NotFound
from pawflow_web.lib.ids import parse_ref
from review.journal.acts import Act, act
from review.models import GovernanceItem, JournalEntry, Status, Tombstone


def bury(current: Act, item: GovernanceItem) -> Tombstone:
    """Refuse the item's words from now on, in every scope. Words that are refused already keep the refusal
    they have."""
    existing = standing(item.user_id, item.text_digest)
    if existing is not None:
        return existing
    return Tombstone.objects.create(
        user_id=item.user_id,
        item_id=item.pk,
        item_ref=item.ref,
        scope=item.scope,
        digest=item.text_digest,
        by=current.actor.name,
        at=current.clock.at,
    )


def standing(user_id: int, digest: str) -> Tombstone | None:
    return Tombstone.objects.standing_of(user_id).filter(digest=digest).first()


def lift(current: Act, tombstone: Tombstone) -> None:
    """These words may come again."""
    tombstone.lifted_at = current.clock.at
    tombstone.save(update_fields=["lifted_at"])


def lift_own(current: Act, item: GovernanceItem) -> None:
    """Lift the refusal that rejecting this item made. Another item with the same words that was rejected since, and
    made none because this one stood, takes it over."""
    stone = standing(item.user_id, item.text_digest)
    if stone is None or stone.item_id != item.pk:
        return
    lift(current, stone)
    others = GovernanceItem.objects.owned_by(item.user_id).filter(text_digest=item.text_digest, status=Status.REJECTED)
    own = Tombstone.objects.filter(item_id=OuterRef("pk"))
    heir = others.exclude(pk=item.pk).filter(~Exists(own)).order_by("pk").first()
    if heir is not None:
        bury(current, heir)


def put_back(current: Act, item: GovernanceItem) -> None:
    """Refuse the item's words again as they were refused before the refusal was lifted."""
    if standing(item.user_id, item.text_digest) is not None:
        return
    lifted = Tombstone.objects.filter(user_id=item.user_id, digest=item.text_digest).order_by("-lifted_at").first()
    if lifted is None:
        bury(current, item)
        return
    lifted.lifted_at = None
    lifted.save(update_fields=["lifted_at"])


def lift_by_ref(*, principal: Principal, ref: str) -> Tombstone:
    """A person lifts a refusal. Raises :class:`NotFound` for anyone else's and for one already lifted."""
    with act(principal) as current:
        tombstone = Tombstone.objects.standing_of(principal.user_id).filter(ref=parse_ref(ref) or "").first()
        if tombstone is None:
            raise NotFound
        lift(current, tombstone)
        item = GovernanceItem.objects.locked().filter(pk=tombstone.item_id).first()
        if item is not None:
            current.mention(item, "lift_tombstone")
    return tombstone


def count_hit(current: Act, tombstone: Tombstone) -> None:
    """Somebody brought refused words. Counted always, journalled once per day and party."""
    Tombstone.objects.filter(pk=tombstone.pk).update(hits=F("hits") + 1)
    item = GovernanceItem.objects.locked().filter(pk=tombstone.item_id).first()
    if item is None or current.has_told(item, "refuse"):
        return
    midnight = current.clock.at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    known = JournalEntry.objects.filter(
        item_id=item.pk,
        verb="refuse",
        actor_kind=current.actor.kind,
        actor_name=current.actor.name,
        at__gte=midnight,
    )
    if not known.exists():
        current.mention(item, "refuse")
