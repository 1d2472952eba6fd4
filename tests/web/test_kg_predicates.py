"""The list of predicates that hold one value at a time, as a person edits it."""

from django.test import Client

from graph.facts.vocabulary import FUNCTIONAL, functional_of
from graph.models import Vocabulary
from pawflow_web.identity.models import User
from tests.factories import make_owner
from tests.web.people import text_of

PAGE = "/kg/predicates"


def test_it_begins_with_ours_and_becomes_the_owners(browser: Client, lotta: User) -> None:
    page = browser.get(PAGE)
    assert "lives_in\nphone" in page.content.decode()
    assert PAGE in browser.get("/kg").content.decode()
    answer = browser.post(PAGE, {"functional": "Lives In\r\n\r\n  lives_in \nspouse"}, follow=True)
    assert "Saved. 2 predicates hold one value at a time." in text_of(answer)
    assert functional_of(lotta.pk) == ("lives_in", "spouse")
    assert functional_of(make_owner("tom").pk) == FUNCTIONAL


def test_it_can_be_what_it_was_at_the_beginning(browser: Client, lotta: User) -> None:
    browser.post(PAGE, {"functional": ""})
    assert functional_of(lotta.pk) == ()
    browser.post(PAGE, {"functional": "spouse", "again": "1"})
    assert functional_of(lotta.pk) == FUNCTIONAL


def test_what_is_no_predicate_is_said_and_kept_in_the_field(browser: Client, lotta: User) -> None:
    for given in ("lives_in\n???", "\n".join(f"p{n}" for n in range(201)), "x" * 200):
        answer = browser.post(PAGE, {"functional": given})
        assert answer.status_code == 422, given[:20]
        assert "to mend" in text_of(answer)
        assert given.splitlines()[0] in answer.content.decode()
    assert not Vocabulary.objects.exists()
