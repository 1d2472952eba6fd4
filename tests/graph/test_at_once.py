"""Several writers of one graph at the same moment."""

import pytest

from graph.models import Entity, EntityName, Triple
from review.journal.chain import verify
from tests.factories import make_owner
from tests.graph.facts import add, objects
from tests.memory.test_desk_at_once import at_once
from tests.review.beliefs import Parties

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def parties(transactional_db: None) -> Parties:
    return Parties.of(make_owner("alice"))


def test_writers_of_a_predicate_that_holds_one_value_leave_one(parties: Parties) -> None:
    towns = ["Porto", "Lisbon", "Faro", "Lagos"]
    for _ in range(3):
        done = at_once(*[lambda town=town: add(parties.coder, "Lotta", "lives_in", town) for town in towns])
        assert done == [""] * len(towns)
        (held,) = objects(parties.coder, "Lotta", current=True)
        assert held in towns
    assert verify(parties.user).differences == []


def test_writers_of_one_new_name_make_one_entity(parties: Parties) -> None:
    names = ["Lotta Berg", "lotta berg", "LOTTA BERG", " Lotta  Berg "]
    writes = [lambda name=name, n=n: add(parties.coder, name, "knows", f"friend {n}") for n, name in enumerate(names)]
    assert at_once(*writes) == [""] * len(names)
    assert EntityName.objects.filter(normal="lotta berg").count() == 1
    assert Entity.objects.get(names__normal="lotta berg").degree == Triple.objects.filter(counted=True).count() == 4
