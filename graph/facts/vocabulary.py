"""Which predicates hold one value at a time, and which take words in place of a name."""

from collections.abc import Sequence

from graph.facts.parts import predicate_of
from graph.limits import FUNCTIONAL_MOST
from graph.models import Vocabulary
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.errors import Invalid

FUNCTIONAL = (
    "age", "birthday", "email", "lives_in", "phone", "role", "salary", "timezone", "title", "url", "works_at",
)  # fmt: skip
VALUES = frozenset(
    {
        "address", "age", "birthday", "date", "email", "note", "phone", "role", "salary", "timezone", "title", "url",
        "website",
    }
)  # fmt: skip


def functional_of(user_id: int) -> tuple[str, ...]:
    """The predicates of an owner that hold one value at a time."""
    row = Vocabulary.objects.filter(pk=user_id).first()
    return FUNCTIONAL if row is None else tuple(row.functional)


def takes_value(predicate: str) -> bool:
    """Whether its object is kept as it is given, as an address or a telephone number."""
    return predicate in VALUES


def set_functional(*, principal: Principal, predicates: Sequence[str]) -> tuple[str, ...]:
    """A person's own list in place of the one that stood. It decides over what is said from now on; facts that are in
    use stay as they are.

    Raises :class:`Invalid` for a predicate that cannot be one, and for too many.
    """
    principal.require_person()
    if len(predicates) > FUNCTIONAL_MOST:
        raise Invalid(
            f"That is more than {FUNCTIONAL_MOST} predicates.",
            fields={"functional": f"must have at most {FUNCTIONAL_MOST} entries"},
        )
    wanted = sorted({predicate_of(word, field="functional") for word in predicates})
    Vocabulary.objects.update_or_create(pk=principal.user_id, defaults={"functional": wanted})
    return tuple(wanted)
