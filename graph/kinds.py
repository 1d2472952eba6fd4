"""What the gate and the lifecycle need to know of facts."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.urls import reverse
from django.utils.translation import gettext_lazy as _

from graph.facts.keys import key_of
from graph.facts.linking import let_go_at_the_end, link, move_degrees
from graph.facts.parts import Parts, parts_of
from graph.facts.secrets import without_secrets
from graph.models import Triple
from pawflow_web.lib.db import execute, insert_statement, values_of
from review.gate.proposals import Place
from review.kinds import Kind, Part, Restated, Shown, Where, kinds
from review.models import READABLE, GovernanceItem, KindName, Privacy, Scope, Status


class FactKind(Kind):
    """A belief of three parts, which stands in the graph while it is in use."""

    name = KindName.FACT.value
    relation = "triple"
    confidence = 90
    best_status = Status.ACTIVE
    wording = _("Subject → predicate → object, with the arrows between: Lotta → lives_in → Lisbon.")

    def write(self, item: GovernanceItem, facet: Mapping[str, Any]) -> None:
        row = Triple(item=item, user_id=item.user_id, **facet)
        # Without a name nothing is said in the clear; the facet of a secret comes with its parts.
        if item.privacy == Privacy.SECRET:
            _empty(row)
        self._place(item, row, item.recorded_at)
        execute(insert_statement(Triple), values_of(row))
        item.triple = row
        if row.counted:
            move_degrees([row.subject_id, row.object_id], 1)

    def update(self, item: GovernanceItem, changes: Mapping[str, Any]) -> None:
        for name, value in changes.items():
            setattr(item.triple, name, value)
        Triple.objects.filter(pk=item.pk).update(**changes)

    def snapshot(self, item: GovernanceItem) -> dict[str, Any]:
        row = item.triple
        return {"is_value": row.is_value, "score": row.score, "source": "" if _is_secret(item) else row.source}

    def shown(self, item: GovernanceItem) -> Shown:
        return Shown()

    def merged(self, item: GovernanceItem, facet: Mapping[str, Any]) -> dict[str, Any]:
        """What was guessed and is now said outright counts as said; a source is filled in, never changed."""
        row, changes = item.triple, {}
        if facet.get("score", 0) > row.score:
            changes["score"] = facet["score"]
        if not row.source and facet.get("source"):
            changes["source"] = facet["source"]
        return changes

    def parts(self, item: GovernanceItem) -> Sequence[Part]:
        row = item.triple
        if not row.subject_name:
            return ()
        subject, last = row.subject, row.object
        return (
            Part(_("Subject"), row.subject_name, reverse("kg-entity", args=[subject.ref]) if subject else ""),
            Part(_("Predicate"), row.predicate),
            Part(_("Object"), row.object_name, reverse("kg-entity", args=[last.ref]) if last else ""),
        )

    def follow(self, item: GovernanceItem, at: datetime) -> None:
        row = item.triple
        before, names = (row.subject_id, row.object_id), _names(row)
        if row.counted:
            move_degrees(before, -1)
        if _is_secret(item):
            _empty(row)
        elif not row.subject_name:
            self._fill(item, row)
        self._place(item, row, at)
        row.save()
        if row.counted:
            move_degrees([row.subject_id, row.object_id], 1)
        left = {pk for pk in before if pk is not None} - {row.subject_id, row.object_id}
        let_go_at_the_end(item.user_id, left, forgetting=names if _is_secret(item) else ())

    def erase(self, items: Sequence[GovernanceItem]) -> None:
        rows = [item.triple for item in items]
        for row in rows:
            if row.counted:
                move_degrees([row.subject_id, row.object_id], -1)
        ids = [row.pk for row in rows]
        ends = {pk for row in rows for pk in (row.subject_id, row.object_id) if pk is not None}
        said = [name for row in rows for name in _names(row)]
        Triple.objects.filter(pk__in=ids).update(live=False, counted=False, subject=None, object=None)
        let_go_at_the_end(items[0].user_id, ends, forgetting=said)

    def copies(self, item: GovernanceItem) -> dict[str, tuple[Any, Any]]:
        row = item.triple
        return {"live": (_is_live(item), row.live), "valid": (item.valid, row.valid)}

    def key(self, item: GovernanceItem, place: Where) -> str:
        row = item.triple
        if not row.subject_name:
            return item.exclusive_key
        return key_of(item.user_id, Parts(row.subject_name, row.predicate, row.object_name, row.is_value), place)

    def restated(self, item: GovernanceItem, text: str) -> Restated:
        parts = without_secrets(parts_of(text, is_value=item.triple.is_value))
        facet = {**facet_of(parts), "score": 100, "source": item.triple.source}
        return Restated(parts.text, facet, key_of(item.user_id, parts, Place.like(item)))

    def _fill(self, item: GovernanceItem, row: Triple) -> None:
        """A secret was opened: its parts stand in its words."""
        parts = parts_of(item.text, is_value=row.is_value)
        for name, value in facet_of(parts).items():
            setattr(row, name, value)

    def _place(self, item: GovernanceItem, row: Triple, at: datetime) -> None:
        """Where it stands in the graph, from the state of the item."""
        row.valid = item.valid
        row.live = _is_live(item)
        ends: list[int] = []
        if row.live:
            ends = link(item.user_id, _names(row))
        row.subject_id, row.object_id = (*ends, None, None)[:2]
        row.counted = row.live and not row.is_value and _is_plain(item, at)


def facet_of(parts: Parts) -> dict[str, Any]:
    """The parts as columns of a triple."""
    said = asdict(parts)
    return {
        "subject_name": said["subject"],
        "predicate": said["predicate"],
        "object_name": said["object"],
        "is_value": said["is_value"],
    }


def _is_live(item: GovernanceItem) -> bool:
    return item.status in READABLE and not _is_secret(item) and not item.valid.isempty


def _names(row: Triple) -> list[str]:
    return [row.subject_name] if row.is_value else [row.subject_name, row.object_name]


def _is_secret(item: GovernanceItem) -> bool:
    return item.privacy == Privacy.SECRET


def _empty(row: Triple) -> None:
    row.subject_name = row.predicate = row.object_name = row.source = ""


def _is_plain(item: GovernanceItem, at: datetime) -> bool:
    """Whether it holds for every reader, now and until somebody decides otherwise."""
    valid: DateTimeTZRange = item.valid
    return (
        item.scope == Scope.GLOBAL
        and item.privacy == Privacy.NORMAL
        and item.expires_at is None
        and valid.upper is None
        and (valid.lower is None or valid.lower <= at)
    )


kinds.add(FactKind.name, FactKind())
