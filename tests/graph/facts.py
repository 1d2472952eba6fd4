"""What the tests of the graph say and ask."""

from typing import Any

from graph.facts.adding import Added, NewFact, add_fact
from graph.facts.reading import about
from graph.models import Entity, EntityName
from pawflow_web.identity.principal import Principal
from review.models import GovernanceItem


def add(principal: Principal, subject: str, predicate: str, last: str, **said: Any) -> Added:
    """Bring a fact to the gate; ``scope`` and whatever else of it as keywords."""
    scope = said.pop("scope", None)
    return add_fact(principal=principal, fact=NewFact(subject, predicate, last, **said), scope=scope)


def fact(principal: Principal, subject: str, predicate: str, last: str, **said: Any) -> GovernanceItem:
    """The belief that then stands for it."""
    item = add(principal, subject, predicate, last, **said).admission.item
    assert item is not None
    return item


def objects(principal: Principal, name: str, **asked: Any) -> set[str]:
    """What is said of an entity, by the other ends of its facts."""
    found = about(principal=principal, name=name, **asked)
    return {
        item.triple.object_name if item.triple.subject_id == found.entity.pk else item.triple.subject_name
        for item in found.page.rows
        if found.entity is not None
    }


def names(user_id: int) -> set[str]:
    """Every name that the graph of an owner holds in any table."""
    said = set(EntityName.objects.filter(user_id=user_id).values_list("name", flat=True))
    return said | set(Entity.objects.filter(user_id=user_id).values_list("name", flat=True))
