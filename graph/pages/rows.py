"""A fact as a line of a table: its ends as links, and its days as somebody said them."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.urls import reverse
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _

from graph.facts.shape import TripleOut, triple_of
from graph.models import Entity
from graph.pages.forms import OBTAINED
from pawflow_web.identity.principal import Principal
from review.display.rows import Row, rows_of
from review.models import Believed, GovernanceItem
from review.querysets import ItemQuerySet

# Letters of a value in a table; the page of the belief has the rest.
_VALUE_MOST = 160
_SHAPES = {"year": "Y", "month": "M Y", "instant": "j M Y, H:i"}


@dataclass(frozen=True, slots=True)
class End:
    """One end of a fact; ``url`` is the page of the entity, empty for a value."""

    name: str
    url: str = ""


@dataclass(frozen=True, slots=True)
class FactRow:
    """``since`` and ``until`` are days in words, empty where nobody said one; ``outgoing``: the entity whose page it
    is stands at its beginning."""

    row: Row
    fact: TripleOut
    subject: End
    object: End
    since: str
    until: str
    outgoing: bool = True

    @property
    def obtained(self) -> str | Promise:
        return OBTAINED[self.fact.confidence_label]

    @property
    def guessed(self) -> bool:
        return self.fact.confidence_label != "EXTRACTED"

    @property
    def days(self) -> str:
        """``2021 to 1 Jun 2025``"""
        if self.since and self.until:
            return _("%(since)s to %(until)s") % {"since": self.since, "until": self.until}
        if self.since:
            return _("from %(since)s") % {"since": self.since}
        return _("until %(until)s") % {"until": self.until} if self.until else ""


def with_ends(rows: ItemQuerySet) -> ItemQuerySet:
    """Facts with everything that a line of them shows."""
    return rows.for_display().select_related("triple__subject", "triple__object")


def as_known(items: Sequence[GovernanceItem], known_at: datetime | None) -> Sequence[GovernanceItem]:
    """The same with the validity that was known at that moment; only to be shown."""
    if known_at is not None:
        rows = Believed.objects.filter(item__in=items, known__contains=known_at)
        valid = dict(rows.values_list("item_id", "valid"))
        for item in items:
            item.valid = valid.get(item.pk, item.valid)
    return items


def fact_rows(
    items: Sequence[GovernanceItem],
    person: Principal,
    *,
    about: Entity | None = None,
    at: datetime | None = None,
    sourced: bool = False,
) -> list[FactRow]:
    """Facts that were read by :func:`with_ends`, for a table.

    Args:
        about: whose page it is. ``at``: the moment at which "current" is told, default now.
        sourced: from whom each comes is told as well.
    """
    moment = at or timezone.now()
    return [
        _row(item, row, person, about, moment)
        for item, row in zip(items, rows_of(items, sources=None if sourced else {}), strict=True)
    ]


def day_words(moment: datetime | None, precision: str) -> str:
    """``2021``, ``Jun 2025``, ``1 Jun 2025``: as precisely as it was said."""
    if moment is None:
        return ""
    return date_format(timezone.localtime(moment), _SHAPES.get(precision, "j M Y"))


def entity_url(ref: str, query: str = "") -> str:
    return reverse("kg-entity", args=[ref]) + query


def _row(item: GovernanceItem, row: Row, person: Principal, about: Entity | None, moment: datetime) -> FactRow:
    triple = item.triple
    fact = triple_of(item, person, moment)
    empty = item.valid.isempty
    return FactRow(
        row=row,
        fact=fact,
        subject=_end(fact.subject, triple.subject),
        object=_end(fact.object, triple.object),
        since="" if empty else day_words(item.valid.lower, item.valid_from_precision),
        until="" if empty else day_words(item.valid.upper, item.valid_to_precision),
        outgoing=about is None or triple.subject_id == about.pk,
    )


def _end(said: str, entity: Entity | None) -> End:
    """By the name that the graph has for it; a value as it was given."""
    if entity is None:
        return End(said if len(said) <= _VALUE_MOST else f"{said[: _VALUE_MOST - 1]}…")
    return End(entity.name, entity_url(entity.ref))
