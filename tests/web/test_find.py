"""From anywhere to a page by a few letters, to a belief by its reference or by words."""

import re

import pytest
from django.test import Client

from pawflow_web.identity.models import User
from review.lifecycle import reject
from review.models import GovernanceItem
from tests.factories import GITHUB_TOKEN, make_owner, make_person
from tests.web.beliefs import propose, remember
from tests.web.people import HTMX, htmx, text_of


def test_without_words_every_page_is_offered(browser: Client) -> None:
    shown = browser.get("/find").content.decode()
    for url in ("/", "/review", "/memories", "/settings"):
        assert f'<li><a href="{url}">' in shown


@pytest.mark.parametrize(("letters", "url"), [("memories", "/memories"), ("REVIEW", "/review"), ("Overview", "/")])
def test_the_name_of_a_page_leads_there(browser: Client, letters: str, url: str) -> None:
    assert browser.get("/find", {"q": letters})["Location"] == url


@pytest.mark.parametrize("form", ["{ref}", "#{ref}", "#{number}", " {ref} "])
def test_a_reference_leads_to_its_belief(lotta: User, browser: Client, form: str) -> None:
    item = remember(lotta, "The canary is green.")
    asked = form.format(ref=item.ref, number=item.number)
    assert browser.get("/find", {"q": asked})["Location"] == f"/items/{item.ref}"


def test_a_reference_of_somebody_else_finds_nothing(browser: Client) -> None:
    item = remember(make_owner("mallory"), "The canary is green.")
    assert browser.get("/find", {"q": item.ref}).status_code == 200
    foreign = browser.get("/find", {"q": item.ref}, headers=HTMX)
    never = browser.get("/find", {"q": "0123456789ab"}, headers=HTMX)
    assert foreign.content.decode().replace(item.ref, "-") == never.content.decode().replace("0123456789ab", "-")


def test_words_find_beliefs_of_every_status(lotta: User, browser: Client) -> None:
    remember(lotta, "The heron nests on the crane.")
    denied = propose(lotta, "The heron eats frogs.")
    reject(principal=make_person(lotta), reference=denied.ref)
    shown = text_of(browser.get("/find", {"q": "heron"}))
    assert "The heron nests on the crane. In use" in shown
    assert "The heron eats frogs. Rejected" in shown
    assert "Nothing here for" not in shown
    assert "Nothing here for osprey." in text_of(browser.get("/find", {"q": "osprey"}))


def test_a_secret_is_found_by_its_reference_alone_and_stays_masked(lotta: User, browser: Client) -> None:
    remember(lotta, f"The deploy token is {GITHUB_TOKEN} for now.")
    item = GovernanceItem.objects.get(user=lotta)
    assert item.ref not in browser.get("/find", {"q": "deploy token"}).content.decode()
    part = browser.get("/find", {"q": item.ref}, headers=HTMX)
    assert "••••" in text_of(part)
    assert "ghp_" not in part.content.decode()


def test_the_dialog_gets_the_field_and_the_list_what_is_typed(browser: Client) -> None:
    page = re.sub(r"<template.*?</template>", "", browser.get("/find").content.decode(), flags=re.DOTALL)
    whole = browser.get("/find", headers=htmx("dialog")).content.decode()
    # The dialog opens over the page as well: nothing of one is in the other twice.
    assert set(re.findall(r' id="([^"]+)"', whole)) & set(re.findall(r' id="([^"]+)"', page)) == set()
    assert "<form" in whole
    assert "<html" not in whole
    part = browser.get("/find", {"q": "memo"}, headers=HTMX).content.decode()
    assert part.strip().startswith('<div class="stack found">')
    assert "<form" not in part
    assert 'href="/memories"' in part
    assert 'href="/review"' not in part


@pytest.mark.parametrize("words", ["\0", "x" * 5000, "#0", "<script>alert(1)</script>", "😀", "' OR 1=1"])
def test_whatever_is_typed_is_only_looked_for(browser: Client, words: str) -> None:
    page = browser.get("/find", {"q": words})
    assert page.status_code == 200
    assert "<script>alert" not in page.content.decode()


@pytest.mark.parametrize(
    ("letters", "url"),
    [
        ("journal", "/review/journal"),
        ("refused words", "/review/refused"),
        ("archive requests", "/review/archive"),
        ("check-up", "/checkup"),
        ("tokens", "/settings/tokens"),
        ("agents", "/settings/agents"),
    ],
)
def test_a_page_that_is_no_place_of_the_navigation_is_found_by_its_name(
    browser: Client, letters: str, url: str
) -> None:
    assert browser.get("/find", {"q": letters})["Location"] == url
    navigation = browser.get("/menu").content.decode().partition('<nav class="nav"')[2].partition("</nav>")[0]
    assert f'href="{url}"' not in navigation
