"""What may contradict a waiting belief stands beside it in the queue, and a person decides."""

import pytest
from django.test import Client

from pawflow_web.identity.models import User
from review.contradictions.doubts import doubt_about
from review.lifecycle import forget
from tests.factories import make_owner, make_person, make_principal
from tests.review.beliefs import readable
from tests.web.beliefs import bring_file, propose, remember
from tests.web.people import htmx, text_of

FOUR, TWO = "Indent with 4 spaces.", "Indent with 2 spaces."


@pytest.mark.parametrize(
    ("used", "waiting", "difference"),
    [
        (FOUR, TWO, "number"),
        ("Never squash commits.", "Squash commits.", "negation"),
        ("Prefers dark mode.", "Prefers light mode.", "opposite"),
        (FOUR, "Deploys go through the Frankfurt cluster.", None),
    ],
)
def test_it_is_told_from_the_words(lotta: User, used: str, waiting: str, difference: str | None) -> None:
    standing, item = remember(lotta, used), propose(lotta, waiting)

    doubt = doubt_about(make_person(lotta), item)

    assert (doubt and (doubt.rival.pk, doubt.difference)) == (difference and (standing.pk, difference))


def test_only_what_is_in_use_in_the_same_place_counts(lotta: User) -> None:
    item, person = propose(lotta, TWO), make_person(lotta)
    remember(lotta, FOUR, principal=make_principal(lotta, agent="coder"))
    remember(make_owner("bob"), FOUR)
    propose(lotta, "Indent with 8 spaces.")
    assert doubt_about(person, item) is None
    standing = remember(lotta, FOUR)
    assert doubt_about(person, item) is not None
    forget(principal=person, reference=standing.ref)
    assert doubt_about(person, item) is None


def test_of_two_lines_of_one_file_the_second_is_asked_about_once_the_first_is_in_use(
    lotta: User, browser: Client
) -> None:
    first, second = bring_file(lotta, [FOUR, TWO])
    assert "it may contradict" not in text_of(browser.get("/review"))

    answer = browser.post(f"/review/{first.ref}/accept", {"revision": 1}, headers=htmx("review-item"))

    assert "imported, so it waits; it may contradict what is in use: the numbers differ" in text_of(answer)
    assert f'name="demote" value="{first.ref}"' in answer.content.decode()
    assert second.ref in answer.content.decode()


@pytest.mark.parametrize(("given", "left"), [("", {FOUR, TWO}), ("demote", {TWO})])
def test_accept_keeps_both_and_the_other_button_only_the_newcomer(
    lotta: User, browser: Client, given: str, left: set[str]
) -> None:
    standing, item = remember(lotta, FOUR), propose(lotta, TWO)
    fields = {"revision": 1, **({given: standing.ref} if given else {})}

    browser.post(f"/review/{item.ref}/accept", fields, headers=htmx("review-item"))

    assert readable(make_principal(lotta, agent="coder")) == left
