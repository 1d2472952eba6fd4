"""How the dashboard looks to a person, and what each agent works with."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from pawflow_web.identity.models import Agent, User, UserSettings
from pawflow_web.identity.services import revoke_token
from tests.factories import AUTOMATION, make_owner, make_token
from tests.web.people import browser_of, htmx, text_of

WANTED = {"theme": "dark", "density": "compact", "time_zone": "Europe/Berlin", "single_keys": "on"}


def kept(user: User) -> UserSettings:
    return UserSettings.objects.get(user=user)


def test_what_is_saved_is_how_the_next_page_looks(lotta: User, browser: Client) -> None:
    assert '<html lang="en"' in browser.get("/settings").content.decode()
    assert browser.post("/settings", WANTED)["Location"] == "/settings"
    page = browser.get("/settings")
    html = " ".join(page.content.decode().split())
    assert '<html lang="en" data-theme="dark" data-density="compact" >' in html
    assert 'data-keys="off"' not in html
    assert "Saved." in text_of(page)
    assert kept(lotta).time_zone == "Europe/Berlin"


def test_single_keys_can_be_switched_off_and_on(lotta: User, browser: Client) -> None:
    browser.post("/settings", {**WANTED, "single_keys": ""})
    assert 'data-keys="off"' in browser.get("/menu").content.decode()
    browser.post("/settings", WANTED)
    assert 'data-keys="off"' not in browser.get("/menu").content.decode()


@pytest.mark.parametrize("field", ["theme", "density", "time_zone"])
def test_a_value_that_is_not_offered_changes_nothing(lotta: User, browser: Client, field: str) -> None:
    answer = browser.post("/settings", {**WANTED, field: "Atlantis/Deep"})
    assert answer.status_code == 422
    assert 'role="alert"' in answer.content.decode()
    assert (kept(lotta).theme, kept(lotta).density, kept(lotta).time_zone) == ("system", "comfortable", "UTC")


def test_a_zone_of_an_old_name_stays_until_another_is_chosen(lotta: User, browser: Client) -> None:
    UserSettings.objects.filter(user=lotta).update(time_zone="US/Eastern")
    assert '<option value="US/Eastern" selected>' in browser.get("/settings").content.decode()
    browser.post("/settings", {**WANTED, "time_zone": "US/Eastern"})
    assert (kept(lotta).theme, kept(lotta).time_zone) == ("dark", "US/Eastern")


def test_the_menu_of_the_account_changes_one_thing_and_leads_back(lotta: User, browser: Client) -> None:
    answer = browser.post("/settings/look", {"theme": "light", "back": "/memories?q=tabs"})
    assert answer["Location"] == "/memories?q=tabs"
    assert (kept(lotta).theme, kept(lotta).density) == ("light", "comfortable")
    elsewhere = browser.post("/settings/look", {"density": "compact", "back": "https://evil.example/"})
    assert elsewhere["Location"] == "/settings"
    browser.post("/settings/look", {"theme": "pink"})
    assert (kept(lotta).theme, kept(lotta).density) == ("light", "compact")
    assert browser.get("/settings/look").status_code == 405


@pytest.mark.parametrize("path", ["/settings", "/settings/agents", "/settings/agents/coder"])
def test_only_a_person_gets_there(db: None, path: str) -> None:
    assert browser_of().get(path)["Location"] == f"/login?next={path}"


# --- agents ---------------------------------------------------------------------------------------------------


def test_each_agent_says_what_it_works_with_and_whose_words_it_brings(lotta: User, browser: Client) -> None:
    assert "No agent yet" in text_of(browser.get("/settings/agents"))
    make_token(lotta, agent="coder")
    make_token(lotta, agent="coder", origin=AUTOMATION)
    make_token(lotta, agent="nightly", origin=None)
    Agent.objects.filter(name="nightly").update(profile="secure", reads_sensitive=True)
    shown = text_of(browser.get("/settings/agents"))
    assert "coder never seen works with everything it may see context as a digest" in shown
    assert "2 tokens: an automation, your own words" in shown
    assert "secure: nothing stored is put into its context reads what is sensitive 1 token: origin unknown" in shown


def test_a_revoked_token_is_no_token_left(lotta: User, browser: Client) -> None:
    make_token(lotta, agent="coder")
    revoke_token(user=lotta, ref=lotta.tokens.get().ref)
    assert "no token left" in text_of(browser.get("/settings/agents"))


def test_what_an_agent_works_with_is_changed_by_a_form(lotta: User, browser: Client) -> None:
    make_token(lotta, agent="coder")
    wanted = {"profile": "demo", "memory_render": "scoped", "reads_sensitive": "on"}
    assert browser.post("/settings/agents/coder", wanted)["Location"] == "/settings/agents"
    agent = Agent.objects.get(name="coder")
    assert (agent.profile, agent.memory_render, agent.reads_sensitive) == ("demo", "scoped", True)
    page = browser.get("/settings/agents")
    assert "It holds from the next call of coder." in text_of(page)
    chosen = re.findall(
        r'name="(\w+)" value="(\w+)"[^>]* checked', browser.get("/settings/agents/coder").content.decode()
    )
    assert chosen == [("profile", "demo"), ("memory_render", "scoped")]


def test_the_form_of_an_agent_comes_alone_into_the_dialog(lotta: User, browser: Client) -> None:
    make_token(lotta, agent="coder")
    part = browser.get("/settings/agents/coder", headers=htmx("dialog")).content.decode()
    assert part.strip().startswith("<form")
    assert "<html" not in part


@pytest.mark.parametrize("field", ["profile", "memory_render"])
def test_what_an_agent_cannot_be_is_refused(lotta: User, browser: Client, field: str) -> None:
    make_token(lotta, agent="coder")
    before = Agent.objects.values().get(name="coder")
    wanted = {"profile": "demo", "memory_render": "scoped", field: "owner"}
    assert browser.post("/settings/agents/coder", wanted).status_code == 422
    assert Agent.objects.values().get(name="coder") == before


def test_somebody_elses_agent_is_not_there(lotta: User, browser: Client) -> None:
    make_token(make_owner("mallory"), agent="spy")
    wanted = {"profile": "demo", "memory_render": "scoped"}
    for ask in (browser.get, lambda path: browser.post(path, wanted)):
        foreign, never = ask("/settings/agents/spy"), ask("/settings/agents/none")
        assert (foreign.status_code, never.status_code) == (404, 404)
        assert foreign.content == never.content
    assert Agent.objects.get(name="spy").profile == "assistant"
    assert "spy" not in text_of(browser.get("/settings/agents"))


def test_many_agents_are_paged_and_cost_no_more(lotta: User, browser: Client) -> None:
    make_token(lotta, agent="agent-000")
    with CaptureQueriesContext(connection) as few:
        browser.get("/settings/agents")
    for number in range(1, 60):
        make_token(lotta, agent=f"agent-{number:03}")
    with CaptureQueriesContext(connection) as many:
        page = browser.get("/settings/agents")
    assert len(many) == len(few)
    assert "agent-049" in text_of(page)
    assert "agent-050" not in text_of(page)
    assert "agent-050" in text_of(browser.get("/settings/agents?after=agent-049"))
