"""From a belief to the turn in which it was said, and from a turn to what was learned there."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from conversations.models import Conversation
from pawflow_web.identity.models import User
from review.gate import admit
from review.gate.proposals import Place, Proposal, Source
from review.models import GovernanceItem
from tests.conversations.turns import told, turn
from tests.factories import GITHUB_TOKEN, make_conversation, make_owner, make_person, make_token
from tests.surfaces.conftest import Rest
from tests.web.people import browser_of, htmx, text_of


@pytest.fixture
def talk(lotta: User) -> Conversation:
    made = make_conversation(lotta, title="About staging")
    told(Rest(make_token(lotta)), made.ref, turn("Staging is in Frankfurt."), turn("Noted.", "assistant"))
    return made


def said_in(
    user: User, talk: Conversation, text: str, place: str = "r1:1", origin: str = "user_channel"
) -> GovernanceItem:
    """A belief that was said in a turn."""
    person = make_person(user).within(talk.pk, talk.ref)
    proposal = Proposal("note", text, Place("global"), facet={}, source=Source("agent:coder", turn=place))
    (answer,) = admit([proposal], person, origin=origin)
    assert answer.item is not None
    return answer.item


def asked_of(page: str) -> str:
    """What the reader asks about its turns."""
    (found,) = re.findall(r'hx-get="(/review/turns[^"]+)"', page)
    return found.replace("&amp;", "&")


def test_a_belief_leads_to_the_turn_in_which_it_was_said(browser: Client, lotta: User, talk: Conversation) -> None:
    item = said_in(lotta, talk, "Staging is in Frankfurt.")
    page = browser.get(f"/items/{item.ref}").content.decode()
    assert '<a class="prov above" href="/sessions/turn/r1:1" data-key="o">' in page
    waits = said_in(lotta, talk, "Staging is in Dublin.", "r1:2", "automation")
    page = browser.get(f"/review?item={waits.ref}").content.decode()
    assert page.count('href="/sessions/turn/r1:2"') == 2
    assert page.count('href="/sessions/turn/r1:2" data-key="o"') == 1
    assert browser.get("/sessions/turn/r1:2").status_code == 302


def test_what_names_no_turn_is_no_link(browser: Client, lotta: User, talk: Conversation) -> None:
    for place in ("a/b:1", "said yesterday", "r1:"):
        item = said_in(lotta, talk, f"Said in {place}.", place)
        page = browser.get(f"/items/{item.ref}").content.decode()
        assert place in page
        assert "/sessions/turn/" not in page


def test_a_turn_shows_what_was_learned_in_it(browser: Client, lotta: User, talk: Conversation) -> None:
    first, second = said_in(lotta, talk, "Staging is in Frankfurt."), said_in(lotta, talk, "<b>Dublin</b> is gone.")
    reader = browser.get(f"/sessions/{talk.ref}").content.decode()
    assert re.findall(r'id="(learned-[^"]+)"', reader) == ["learned-t-r1-1", "learned-t-r1-2"]
    part = browser.get(asked_of(reader), headers=htmx("")).content.decode()
    assert re.findall(r'id="([^"]+)" hx-swap-oob="true"', part) == ["learned-t-r1-1"]
    assert "2 beliefs from here" in part
    assert f'href="/items/{first.ref}"' in part
    assert f'href="/items/{second.ref}"' in part
    assert "&lt;b&gt;Dublin" in part
    whole = text_of(browser.get(asked_of(reader)))
    assert "What was learned in these turns" in whole
    assert "Staging is in Frankfurt." in whole


def test_secret_words_are_masked_there(browser: Client, lotta: User, talk: Conversation) -> None:
    said_in(lotta, talk, f"The token is {GITHUB_TOKEN}.")
    part = browser.get(f"/review/turns?conversation={talk.ref}&turn=r1:1", headers=htmx("")).content.decode()
    assert "1 belief from here" in part
    assert GITHUB_TOKEN not in part


def test_it_costs_two_statements_for_all_turns_of_a_page(browser: Client, lotta: User, talk: Conversation) -> None:
    url = f"/review/turns?conversation={talk.ref}&turn=r1:1&turn=r1:2"
    counts = []
    for number in range(3):
        said_in(lotta, talk, f"Service {number} is up.", f"r1:{number % 2 + 1}")
        with CaptureQueriesContext(connection) as asked:
            browser.get(url, headers=htmx(""))
        counts.append(len([query for query in asked if "review_" in query["sql"]]))
    assert counts == [2, 2, 2]


def test_nobody_learns_what_was_said_to_somebody_else(browser: Client, lotta: User, talk: Conversation) -> None:
    said_in(lotta, talk, "Staging is in Frankfurt.")
    url = f"/review/turns?conversation={talk.ref}&turn=r1:1"
    assert "Frankfurt" in text_of(browser.get(url))
    page = text_of(browser_of(make_owner("tom")).get(url))
    assert "Frankfurt" not in page
    assert "Nothing that is kept." in page
