"""What makes two facts values of one thing: the key of a predicate that holds one at a time."""

from graph.facts.linking import known_entities
from graph.facts.parts import Parts, normal
from graph.facts.vocabulary import functional_of
from graph.models import Entity
from pawflow_web.lib.crypto import keyed_digest
from review.kinds import Where


def key_of(user_id: int, parts: Parts, place: Where) -> str:
    """The exclusive key of a fact said in a place, '' where its predicate holds many values.

    A digest, since the journal keeps keys and holds no words. Every name of an entity gives the same one.
    """
    if parts.predicate not in functional_of(user_id):
        return ""
    subject = normal(parts.subject)
    entity = known_entities(user_id, [parts.subject]).get(subject)
    if entity is not None:
        subject = normal(Entity.objects.values_list("name", flat=True).get(pk=entity))
    where = f"{place.scope}/{place.agent_id or ''}/{place.conversation_id or ''}"
    return keyed_digest("fact", f"{subject}\n{parts.predicate}\n{where}")
