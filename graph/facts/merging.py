"""Two entities that are one: a person says so, and can take it back."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import structlog
from django.db.models import F, Q, QuerySet

from graph.facts.keys import key_of
from graph.facts.linking import let_go
from graph.facts.parts import Parts, normal
from graph.models import Entity, EntityMerge, EntityName, Triple
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Conflict, Invalid, InvalidTransition, NotFound
from pawflow_web.lib.ids import parse_ref
from review.gate.proposals import Place
from review.gate.succession import holding
from review.journal.acts import Act, act
from review.models import GovernanceItem
from review.querysets import ItemQuerySet

logger = structlog.get_logger(__name__)

# Facts that a merge takes along in one transaction; their owner waits for so long.
MOVED_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Preview:
    """What a merge would do: how many facts and names move, and which values could not hold together then."""

    facts: int
    names: tuple[str, ...]
    conflicts: tuple[tuple[GovernanceItem, GovernanceItem], ...]


@dataclass(frozen=True, slots=True)
class Parted:
    """What an undone merge had kept, and the entity that is by itself ``back`` again. Either is without a row where
    nothing in use names it any more."""

    kept: Entity
    back: Entity


def preview(*, principal: Principal, keep: str, drop: str) -> Preview:
    """Look at a merge without doing it. Raises as :func:`merge` does, but for the values that are in the way."""
    principal.require_person()
    kept, dropped = _both(principal, keep, drop)
    names = EntityName.objects.filter(entity=dropped).order_by("name").values_list("name", flat=True)
    items = GovernanceItem.objects.select_related("triple", "scope_agent", "scope_conversation")
    keyed = _keys(_of(dropped).filter(subject=dropped), items, subject=kept.name)
    return Preview(_of(dropped).count(), tuple(names), tuple(_clashes(keyed)))


def merge(*, principal: Principal, keep: str, drop: str) -> EntityMerge:
    """Let every fact about ``drop`` be one about ``keep``, now and later; its names become names of that one. The words
    of the facts stay as they were said.

    Raises:
        NotFound: one of the references names no entity of this owner.
        Invalid: both are the same.
        Conflict: a predicate that holds one value would have two of them (``fields.contradicts``), or there are too
            many facts.
    """
    principal.require_person()
    with act(principal) as current, current.decision():
        kept, dropped = _both(principal, keep, drop)
        if _of(dropped).count() > MOVED_MOST:
            raise Conflict(
                f"More than {MOVED_MOST:,} facts name {dropped.name}. Merge the other way round.",
                fields={"drop": dropped.ref},
            )
        keyed = _keys(_of(dropped).filter(subject=dropped), GovernanceItem.objects.locked(), subject=kept.name)
        for one, other in _clashes(keyed):
            raise Conflict(
                f"#{one.ref} and #{other.ref} would both hold, and only one can. End one of them first.",
                fields={"contradicts": [one.ref, other.ref]},
            )
        row = _recorded(current, principal, kept, dropped)
        EntityMerge.objects.filter(kept=dropped).update(kept=kept)
        EntityName.objects.filter(entity=dropped).update(entity=kept)
        Triple.objects.filter(live=True, subject=dropped).update(subject=kept)
        Triple.objects.filter(live=True, object=dropped).update(object=kept)
        Entity.objects.filter(pk=kept.pk).update(degree=F("degree") + dropped.degree)
        dropped.delete()
        _write_keys(current, keyed)
    logger.info("entities_merged", owner=principal.user_name, kept=kept.ref, dropped=row.dropped_ref, merge=row.ref)
    return row


def undo_merge(*, principal: Principal, ref: str) -> Parted:
    """Take a merge back: the names go to an entity of their own, and the facts that were said with them follow.

    Raises:
        NotFound: this owner has no such merge, or no fact in use names what was kept any more.
        InvalidTransition: it was taken back before.
    """
    principal.require_person()
    with act(principal) as current, current.decision():
        rows = EntityMerge.objects.select_related("kept").filter(user_id=principal.user_id)
        row = rows.filter(ref=parse_ref(ref) or "").first()
        if row is None:
            raise NotFound(f"There is no merge {ascii(ref)[:40]} that you may see.")
        if row.undone_at is not None:
            raise InvalidTransition("This merge was taken back before.", fields={"merge": row.ref})
        back = Entity.objects.create(
            user_id=row.user_id, ref=row.dropped_ref, name=row.dropped_name, type=row.dropped_type
        )
        EntityName.objects.filter(entity=row.kept, normal__in=row.names).update(entity=back)
        about = _follow_names(row.kept, back, frozenset(row.names))
        _recount(row.kept)
        _recount(back)
        # The names have gone their own way, and must be able to be forgotten there.
        row.undone_at, row.names, row.dropped_name, row.dropped_type = current.clock.at, [], "", ""
        row.save()
        _write_keys(current, _keys(Triple.objects.filter(pk__in=about), GovernanceItem.objects.locked()))
        # Said with the other name since, nothing may be left of one of the two.
        let_go([row.kept_id, back.pk])
    logger.info("merge_undone", owner=principal.user_name, merge=row.ref)
    return Parted(row.kept, back)


# --- the two of them ----------------------------------------------------------------------------------------------


def _both(principal: Principal, keep: str, drop: str) -> tuple[Entity, Entity]:
    kept, dropped = _entity(principal, keep, "keep"), _entity(principal, drop, "drop")
    if kept.pk == dropped.pk:
        raise Invalid("An entity cannot be merged with itself.", fields={"drop": "must be another entity than keep"})
    return kept, dropped


def _entity(principal: Principal, reference: str, field: str) -> Entity:
    """By its ref, or by any of its names."""
    rows = Entity.objects.filter(user_id=principal.user_id)
    found = rows.filter(ref=parse_ref(reference) or "").first()
    found = found or rows.filter(names__normal=normal(reference)).first()
    if found is None:
        raise NotFound(f"There is no entity {ascii(reference)[:40]} that you may see.", fields={field: "names nothing"})
    return found


def _of(entity: Entity) -> QuerySet[Triple]:
    return Triple.objects.filter(Q(subject=entity) | Q(object=entity), live=True)


def _recorded(current: Act, principal: Principal, kept: Entity, dropped: Entity) -> EntityMerge:
    return EntityMerge.objects.create(
        user_id=principal.user_id,
        kept=kept,
        dropped_ref=dropped.ref,
        dropped_name=dropped.name,
        dropped_type=dropped.type,
        names=list(EntityName.objects.filter(entity=dropped).values_list("normal", flat=True)),
        by=principal.name,
        at=current.clock.at,
    )


def _follow_names(kept: Entity, back: Entity, names: frozenset[str]) -> list[int]:
    """Link what was said with these names to ``back``. Returns the facts about it."""
    about = [row.pk for row in _of(kept).filter(subject=kept) if normal(row.subject_name) in names]
    others = [row.pk for row in _of(kept).filter(object=kept) if normal(row.object_name) in names]
    Triple.objects.filter(pk__in=about).update(subject=back)
    Triple.objects.filter(pk__in=others).update(object=back)
    return about


def _recount(entity: Entity) -> None:
    counted = Triple.objects.filter(live=True, counted=True)
    degree = counted.filter(subject=entity).count() + counted.filter(object=entity).count()
    Entity.objects.filter(pk=entity.pk).update(degree=degree)


# --- keys ---------------------------------------------------------------------------------------------------------

Keyed = Sequence[tuple[GovernanceItem, str]]


def _keys(rows: QuerySet[Triple], items: ItemQuerySet, *, subject: str | None = None) -> Keyed:
    """Facts whose key becomes another one, with it; ``subject`` is what they will be about, default as said."""
    keyed = []
    for item in items.filter(pk__in=rows.values("pk")).exclude(exclusive_key=""):
        row = item.triple
        parts = Parts(subject or row.subject_name, row.predicate, row.object_name, row.is_value)
        key = key_of(item.user_id, parts, Place.like(item))
        if key != item.exclusive_key:
            keyed.append((item, key))
    return keyed


def _clashes(keyed: Keyed) -> Iterator[tuple[GovernanceItem, GovernanceItem]]:
    """Facts that would hold beside another value of their new key."""
    for item, key in keyed:
        others = holding(GovernanceItem.objects.owned_by(item.user_id)).filter(exclusive_key=key)
        other = others.filter(valid__overlap=item.valid).exclude(pk=item.pk).first()
        if key and other is not None:
            yield item, other


def _write_keys(current: Act, keyed: Keyed) -> None:
    for item, key in keyed:
        current.write(item, "edit", exclusive_key=key)
