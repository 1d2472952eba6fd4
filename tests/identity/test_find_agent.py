"""An agent by its name: a person finds their own, and nobody learns of others."""

import pytest

from pawflow_web.identity.services import find_agent
from pawflow_web.lib.errors import NotFound
from tests.factories import make_owner, make_person, make_principal

pytestmark = pytest.mark.django_db


def test_a_person_finds_their_own_and_everything_else_is_told_in_the_same_words() -> None:
    alice, bob = make_owner("alice"), make_owner("bob")
    coder, person, stranger = make_principal(alice), make_person(alice), make_person(bob)
    assert find_agent(person, "coder").user == alice

    told = set()
    for principal, name in (
        (stranger, "coder"),
        (coder, "coder"),
        (person, "nobody"),
        (person, "no\0name"),
        (person, ""),
    ):
        with pytest.raises(NotFound) as error:
            find_agent(principal, name)
        told.add(error.value.message.replace(ascii(name), "NAME"))
    assert told == {"There is no agent NAME."}
