"""Erasing an agent, and everything of oneself, in the browser."""

import re

import pytest
from django.test import Client

from pawflow_web.identity import erasing_views
from pawflow_web.identity.models import Agent, ApiToken, Erasure, User
from pawflow_web.identity.services import erase_agent, erase_owner
from review.models import GovernanceItem
from tests.factories import make_owner, make_person, make_principal, make_token
from tests.memory.desk import note, task
from tests.surfaces.conftest import Rest
from tests.web.beliefs import remember
from tests.web.people import browser_of, htmx, text_of

PAGE = "/settings/agents/coder/erase"


@pytest.fixture
def coder(lotta: User) -> Rest:
    """An agent with something of everything."""
    rest = Rest(make_token(lotta))
    remember(lotta, "Likes rye bread.", principal=make_principal(lotta), scope="agent")
    task(rest), note(rest), note(rest, "Another")
    return rest


def test_it_says_what_is_at_stake(browser: Client, coder: Rest) -> None:
    words = text_of(browser.get(PAGE))
    assert "Erase coder for good?" in words
    for held in ("1 belief that only it could read", "1 task", "2 scratch notes"):
        assert held in words
    assert "diary" not in words.split("It has")[1]
    assert PAGE in browser.get("/settings/agents/coder").content.decode()
    assert "Erase coder for good?" in text_of(browser.get(PAGE, headers=htmx("dialog")))


@pytest.mark.parametrize(("beliefs", "left"), [("review", ["needs_review"]), ("purge", [])])
def test_it_does_what_was_chosen(browser: Client, coder: Rest, beliefs: str, left: list[str]) -> None:
    answer = browser.post(PAGE, {"beliefs": beliefs, "confirm": "coder"}, follow=True)
    assert "coder was erased." in text_of(answer)
    assert not Agent.objects.filter(name="coder").exists()
    assert list(GovernanceItem.objects.values_list("status", flat=True)) == left
    assert coder.get("/items").status == 401
    assert browser.get(PAGE).status_code == 404


@pytest.mark.parametrize(
    "given",
    [{}, {"beliefs": "review"}, {"beliefs": "review", "confirm": "Coder"}, {"beliefs": "x", "confirm": "coder"}],
)
def test_half_an_answer_erases_nothing(browser: Client, coder: Rest, given: dict[str, str]) -> None:
    answer = browser.post(PAGE, given)
    assert answer.status_code == 422
    assert "to mend" in text_of(answer)
    assert coder.get("/items").status == 200


def test_what_takes_longer_is_shown_as_going_on(browser: Client, coder: Rest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(erasing_views, "erase_agent", lambda **asked: erase_agent(**asked, patience_s=-1))
    answer = browser.post(PAGE, {"beliefs": "purge", "confirm": "coder"}, follow=True)
    assert "coder is being erased. It can do nothing any more." in text_of(answer)
    assert re.search("coder .*is being erased", text_of(browser.get("/settings/agents")))
    assert Erasure.objects.get().agent is not None
    refused = browser.post("/settings/tokens", {"agent": "coder", "abilities": ["read"]})
    assert refused.status_code in {409, 422}
    assert "being erased" in text_of(refused)
    assert not ApiToken.objects.filter(agent__name="coder", revoked_at=None).exists()


def test_nobody_erases_an_agent_of_somebody_else(coder: Rest) -> None:
    other = make_owner("tom")
    answer = browser_of(other).post(PAGE, {"beliefs": "purge", "confirm": "coder"})
    assert answer.status_code == 404
    assert coder.get("/items").status == 200


def test_everything_goes_and_the_way_in_with_it(browser: Client, lotta: User, coder: Rest) -> None:
    other = make_owner("tom")
    remember(other, "Likes oats.")
    assert "/settings/erase" in browser.get("/settings").content.decode()
    assert browser.post("/settings/erase", {"confirm": "tom"}).status_code == 422
    assert "Erase everything of lotta for good?" in text_of(browser.get("/settings/erase"))
    answer = browser.post("/settings/erase", {"confirm": "lotta"}, follow=True)
    assert answer.redirect_chain[-1][0].startswith("/login")
    assert "Everything of lotta was erased." in text_of(answer)
    assert set(User.objects.values_list("username", flat=True)) == {"tom"}
    assert browser.get("/memories").status_code == 302
    assert list(GovernanceItem.objects.values_list("text", flat=True)) == ["Likes oats."]


def test_what_is_left_of_an_owner_goes_on_without_them(
    browser: Client, lotta: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing_views, "erase_owner", lambda **asked: erase_owner(**asked, patience_s=-1))
    answer = browser.post("/settings/erase", {"confirm": "lotta"}, follow=True)
    assert "Everything of lotta is being erased." in text_of(answer)
    assert not User.objects.get().is_active
    assert make_person(make_owner("tom")).user_name == "tom"
