"""What the gate needs to know of notes."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.db.models import Q

from memory.models import Memory
from memory.models.note import TAGS_MOST, Category
from memory.notes.facets import checked_category, checked_durability, checked_importance, clean_tags
from pawflow_web.lib.db import execute, insert_statement, values_of
from review.kinds import Kind, Shown, kinds
from review.models import GovernanceItem, KindName, Status


class NoteKind(Kind):
    """A belief in words."""

    name = KindName.NOTE.value
    relation = "memory"
    found_by_paths = ("memory__tags",)
    confidence = 85
    best_status = Status.ACTIVE

    def write(self, item: GovernanceItem, facet: Mapping[str, Any]) -> None:
        row = Memory(item=item, **facet)
        execute(insert_statement(Memory), values_of(row))
        item.memory = row

    def update(self, item: GovernanceItem, changes: Mapping[str, Any]) -> None:
        for name, value in changes.items():
            setattr(item.memory, name, value)
        Memory.objects.filter(pk=item.pk).update(**changes)

    def snapshot(self, item: GovernanceItem) -> dict[str, Any]:
        row = item.memory
        return {
            "category": str(row.category),
            "tags": list(row.tags),
            "importance": str(row.importance),
            "durability": str(row.durability),
        }

    def tier(self, facet: Mapping[str, Any]) -> str:
        """What it says of a person or what was decided first, else its category. What has none counts as a fact, so
        that it is not left out for good."""
        tags = set(facet.get("tags", ()))
        if tags & {"identity", "profile"}:
            return "identity"
        if "decision" in tags:
            return "decisions"
        return str(facet.get("category") or Category.FACTS)

    def shown(self, item: GovernanceItem) -> Shown:
        row = item.memory
        return Shown(row.category or None, tuple(row.tags), row.importance, row.durability)

    def merged(self, item: GovernanceItem, facet: Mapping[str, Any]) -> dict[str, Any]:
        """Tags unite, as far as there is room; a category is filled in, never changed."""
        row, changes = item.memory, {}
        united = list(dict.fromkeys([*row.tags, *facet.get("tags", ())]))[:TAGS_MOST]
        if united != list(row.tags):
            changes["tags"] = united
        if not row.category and facet.get("category"):
            changes["category"] = facet["category"]
        return changes

    def edited(self, item: GovernanceItem, wanted: Mapping[str, Any]) -> dict[str, Any]:
        return {name: _EDITABLE[name](value) for name, value in wanted.items()}

    def narrow(self, *, categories: Sequence[str], tags: Sequence[str], all_tags: bool) -> Q:
        condition = Q()
        if categories:
            condition &= Q(memory__category__in=categories)
        if tags:
            condition &= Q(memory__tags__contains=list(tags)) if all_tags else Q(memory__tags__overlap=list(tags))
        return condition

    def exclude(self, *, categories: Sequence[str], tags: Sequence[str]) -> Q:
        return ~Q(memory__category__in=list(categories)) & ~Q(memory__tags__overlap=list(tags))

    def index_terms(self, item: GovernanceItem) -> dict[str, list[str]]:
        row = item.memory
        return {"category": [row.category] if row.category else [], "tag": list(row.tags)}

    def found_by(self, item: GovernanceItem) -> tuple[str, ...]:
        return tuple(item.memory.tags)


_EDITABLE: Mapping[str, Callable[[Any], Any]] = {
    "tags": clean_tags,
    "category": checked_category,
    "importance": checked_importance,
    "durability": checked_durability,
}

kinds.add(NoteKind.name, NoteKind())
