"""Facts that no longer hold: an agent says so of facts that it can read, and never of what a person decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from graph.facts.linking import known_entities
from graph.facts.parts import Parts, normal
from graph.facts.reading import facts
from graph.models import EntityName
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.periods import TimeInput, parse_period
from review.journal.acts import act
from review.journal.comments import NO_COMMENT
from review.lifecycle.archive_requests import ask_for_archive
from review.lifecycle.ending import end_item
from review.models import GovernanceItem
from review.querysets import ItemQuerySet

NEAR_MOST = 5
ENDED_MOST = 100


@dataclass(frozen=True, slots=True)
class Invalidated:
    """``ended`` hold no longer; of ``asked`` a person decides. ``near`` are other facts in use that say the like, told
    where nothing was met."""

    ended: tuple[GovernanceItem, ...] = ()
    asked: tuple[GovernanceItem, ...] = ()
    near: tuple[GovernanceItem, ...] = ()


def invalidate(*, principal: Principal, parts: Parts, ended: TimeInput | None = None) -> Invalidated:
    """Say since when a fact holds no longer, of each place in which it is in use and the caller reads it.

    Args:
        ended: from its first instant on; the caller's today when left out.

    Raises :class:`~pawflow_web.lib.errors.Invalid`: a date that is none, or one that does not lie after the start of a
    fact that it meets.
    """
    moment, precision = _moment(principal, ended)
    met = list(_met(principal, parts).values_list("pk", flat=True)[:ENDED_MOST])
    if not met:
        return Invalidated(near=tuple(_near(principal, parts)))
    done: list[GovernanceItem] = []
    asked: list[GovernanceItem] = []
    with act(principal) as current, current.decision():
        rows = GovernanceItem.objects.locked().recallable(principal).filter(pk__in=met)
        for item in rows:
            if not principal.is_person and (item.pinned or item.decided or not principal.is_user_channel):
                ask_for_archive(current, item, principal, NO_COMMENT)
                asked.append(item)
                continue
            at = _after_start(item, moment, current.clock.at, said=ended is not None)
            if item.valid.upper is not None and at >= item.valid.upper:
                continue  # by then it is over anyway
            end_item(current, item, at, precision, field="ended")
            done.append(item)
    return Invalidated(ended=tuple(done), asked=tuple(asked))


def _moment(principal: Principal, ended: TimeInput | None) -> tuple[datetime, str]:
    if ended is None:
        today = timezone.now().astimezone(principal.zone).date().isoformat()
        return parse_period(today, principal.zone, field="ended").first, "day"
    period = parse_period(ended, principal.zone, field="ended")
    return period.first, period.precision


def _after_start(item: GovernanceItem, moment: datetime, now: datetime, *, said: bool) -> datetime:
    """Where it ends. Nobody named a day, and it began on this one: it ends at this moment."""
    lower: datetime | None = item.valid.lower
    if said or lower is None or moment > lower:
        return moment
    return max(now, lower + timedelta(microseconds=1))


def _met(principal: Principal, parts: Parts) -> ItemQuerySet:
    """Facts in use that say exactly this, by whatever names."""
    known = known_entities(principal.user_id, [parts.subject] if parts.is_value else [parts.subject, parts.object])
    subject = known.get(normal(parts.subject))
    rows = facts(principal).filter(triple__live=True, triple__predicate=parts.predicate, triple__subject_id=subject)
    if parts.is_value:
        same = [
            item.pk for item in rows.select_related("triple") if normal(item.triple.object_name) == normal(parts.object)
        ]
        return rows.filter(pk__in=same).order_by("pk")
    return rows.filter(triple__object_id=known.get(normal(parts.object), 0)).order_by("pk")


def _near(principal: Principal, parts: Parts) -> Sequence[GovernanceItem]:
    """What is said of the same subject: with the same predicate first, then with the same object."""
    names = EntityName.objects.filter(user_id=principal.user_id, normal=normal(parts.subject))
    rows = facts(principal).filter(triple__live=True, triple__subject_id__in=names.values("entity_id")).for_display()
    same = list(rows.filter(triple__predicate=parts.predicate).order_by("-pk")[:NEAR_MOST])
    if len(same) < NEAR_MOST:
        others = rows.exclude(triple__predicate=parts.predicate)
        last = EntityName.objects.filter(user_id=principal.user_id, normal=normal(parts.object))
        same += others.filter(triple__object_id__in=last.values("entity_id")).order_by("-pk")[: NEAR_MOST - len(same)]
    return same
