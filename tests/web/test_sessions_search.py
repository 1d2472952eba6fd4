"""Searching everything that was ever said: what is found, what narrows it, and what the page says about itself."""

import re
from collections.abc import Callable
from dataclasses import replace

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from conversations.models import Conversation
from conversations.pages import searching
from conversations.services import create_conversation, update_conversation
from pawflow_web.identity.models import User
from tests.conversations.turns import told, turn
from tests.factories import make_conversation, make_owner, make_person, make_project, make_token
from tests.recall.asking import indexed
from tests.recall.pi_lines import said, source, talk
from tests.surfaces.conftest import Rest
from tests.web.people import browser_of, htmx, text_of
from tests.web.session_files import canary, many, send_file, send_fixture, talked

Find = Callable[..., str]
# Statements of a page, whatever was found.
SEARCH_MOST, LIST_MOST = 16, 9


@pytest.fixture
def find(browser: Client) -> Find:
    """``find("q=canary")``: what a person reads on the page."""
    return lambda query: text_of(browser.get(f"/sessions?{query}"))


@pytest.fixture
def shop(lotta: User) -> Conversation:
    return send_file(lotta, "~/pi/shop.jsonl", canary())


def hits(page: str) -> list[str]:
    """The addresses of what was found, in order."""
    return [found.replace("&amp;", "&") for found in re.findall(r'class="item-link" href="([^"]+)"', page)]


@pytest.mark.parametrize("is_indexed", [False, True])
def test_a_word_is_found_marked_and_leads_to_its_entry(
    browser: Client, lotta: User, shop: Conversation, *, is_indexed: bool
) -> None:
    if is_indexed:
        indexed(lotta)
    page = browser.get("/sessions?q=canary").content.decode()
    assert "The &lt;b&gt;<mark>canary</mark>&lt;/b&gt; was red" in page
    assert hits(page) == [f"/sessions/{shop.ref}?entry=0&back=%2Fsessions%3Fq%3Dcanary#e-0"]
    assert "Searched the one session: 1 found." in page
    reader = browser.get(hits(page)[0]).content.decode()
    assert re.search(r'<li class="item entry[^>]*id="e-0" aria-current="true"', reader)
    assert "<mark>canary</mark>" in reader
    assert 'href="/sessions?q=canary">Back to what was found' in reader


def test_what_was_told_leads_to_its_turn(browser: Client, lotta: User) -> None:
    talk = make_conversation(lotta)
    told(Rest(make_token(lotta)), talk.ref, turn("Hello."), turn("The canary is green."), run="r.1")
    (found,) = hits(browser.get("/sessions?q=green").content.decode())
    assert found == f"/sessions/{talk.ref}?from=r.1%3A2&back=%2Fsessions%3Fq%3Dgreen#t-r.1-2"
    assert "The canary is green." in text_of(browser.get(found))


@pytest.mark.parametrize(
    ("query", "number"),
    [
        ("q=canary+wait", 2),
        ("q=canary+wait&match=all", 0),
        ("q=canary+hour&match=all", 1),
        ("q=took+an+HOUR&match=phrase", 1),
        ("q=an+took&match=phrase", 0),
        ("q=r.d%2C+and&match=regex", 1),
        ("q=r.d%2C+but&match=regex", 0),
    ],
)
def test_words_phrases_and_expressions(browser: Client, shop: Conversation, query: str, number: int) -> None:
    page = browser.get(f"/sessions?{query}").content.decode()
    assert len(hits(page)) == number
    assert f": {number} found." in page
    assert (number > 0) is ("<mark>" in page)


@pytest.mark.parametrize(
    ("narrow", "number"),
    [
        ("role=user", 2),
        ("role=toolResult", 1),
        ("tool=bash", 2),
        ("tool=read", 0),
        ("kind=pi", 1),
        ("kind=codex", 0),
        ("kind=pi&q=nowhere", 0),
        ("project=web-shop&q=rollback", 2),
        ("agent=nobody&q=rollback", 0),
        ("since=2026-03-01&q=rollback", 2),
        ("since=2026-03-02&q=rollback", 0),
        ("until=2026-03-01&q=rollback", 2),
        ("until=2026-02-28&q=rollback", 0),
    ],
)
def test_filters_narrow_what_is_found(
    browser: Client, lotta: User, shop: Conversation, narrow: str, number: int
) -> None:
    update_conversation(conversation=shop, project=make_project(lotta, "Web shop"))
    page = browser.get(f"/sessions?{narrow}").content.decode()
    assert len(hits(page)) == number


def test_outcomes_and_branches(find: Find, lotta: User) -> None:
    for name in ("pi/branched.jsonl", "pi/trace_branch.jsonl"):
        send_fixture(lotta, name)
    assert ": 2 found." in find("outcome=failed")
    assert ": 1 found." in find("outcome=timed_out")
    assert ": 0 found." in find("q=walrusqueue")
    assert ": 2 found." in find("q=walrusqueue&branches=all")


def test_a_project_holds_what_was_filed_and_what_was_held_in_its_directory(
    find: Find, browser: Client, lotta: User, shop: Conversation
) -> None:
    project = make_project(lotta, "Web shop")
    assert "There is no session to search." in find("project=web-shop&q=canary")
    assert "0 sessions" in find("project=web-shop")
    project.root = "/srv"
    project.save()
    assert ": 1 found." in find("project=web-shop&q=canary")
    assert hits(browser.get("/sessions?project=web-shop").content.decode()) == [f"/sessions/{shop.ref}"]


def test_an_agent_is_who_told_or_the_sub_agent(find: Find, browser: Client, lotta: User) -> None:
    talk = make_conversation(lotta)
    told(Rest(make_token(lotta, agent="coder")), talk.ref, turn("The canary is green."))
    told(Rest(make_token(lotta, agent="writer")), make_conversation(lotta).ref, turn("The canary is red."), run="r2")
    assert ": 2 found." in find("q=canary")
    assert ": 1 found." in find("q=canary&agent=coder")
    assert hits(browser.get("/sessions?agent=coder").content.decode()) == [f"/sessions/{talk.ref}"]
    child = send_fixture(lotta, "claude-code/agent.jsonl")
    agent = child.session.state["agent"]
    assert hits(browser.get(f"/sessions?agent={agent}").content.decode()) == [f"/sessions/{child.ref}"]


def test_one_session_is_searched_alone(find: Find, browser: Client, lotta: User, shop: Conversation) -> None:
    send_file(lotta, "~/pi/other.jsonl", talked([("user", "Another canary.")]))
    assert ": 2 found." in find("q=canary")
    page = browser.get(f"/sessions?q=canary&session={shop.ref}")
    assert ": 1 found." in text_of(page)
    assert f'type="hidden" name="session" value="{shop.ref}"' in page.content.decode()
    assert "There is no session to search." in find("q=canary&session=0123456789ab")


def test_older_sessions_are_searched_by_opening_them(
    browser: Client, lotta: User, shop: Conversation, settings: object
) -> None:
    send_file(lotta, "~/pi/newer.jsonl", talked([("user", "Another canary.")]))
    env = settings.ENV  # type: ignore[attr-defined]
    settings.ENV = replace(env, recall=replace(env.recall, hot_sessions=1))  # type: ignore[attr-defined]
    page = browser.get("/sessions?q=canary").content.decode()
    assert "An older session" in page
    (cold,) = [found for found in hits(page) if "session=" in found]
    assert hits(browser.get(cold).content.decode())[0].startswith(f"/sessions/{shop.ref}?entry=0")


def test_the_next_page_goes_on_and_keeps_the_question(
    browser: Client, lotta: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searching, "HITS", 2)
    send_file(lotta, "~/pi/many.jsonl", many(5))
    url, seen = "/sessions?q=entry&kind=pi", []
    for number in (2, 2, 1):
        part = browser.get(url, headers=htmx("sessions-more" if seen else "sessions-list")).content.decode()
        assert len(hits(part)) == number
        seen += hits(part)
        more = re.findall(r'hx-get="([^"]+offset=[^"]+)"', part)
        url = more[0].replace("&amp;", "&") if more else ""
    assert not url
    assert len(set(seen)) == 5


def test_htmx_gets_the_results_alone_and_the_address_keeps_the_state(browser: Client, shop: Conversation) -> None:
    answer = browser.get("/sessions?q=canary&match=&kind=&role=user", headers=htmx("sessions-list"))
    part = answer.content.decode()
    assert answer["HX-Replace-Url"] == "/sessions?q=canary&role=user"
    assert part.lstrip().startswith('<div class="stack" id="sessions-list">')
    assert 'id="sessions-coverage" hx-swap-oob="true"' in part
    assert "<form" not in part
    whole = browser.get("/sessions?q=canary&role=user").content.decode()
    assert 'value="canary"' in whole
    assert '<option value="user" selected>' in whole
    assert "Whose words: Person" in text_of(browser.get("/sessions?q=canary&role=user"))


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("q=%28&match=regex", "The expression cannot be read"),
        ("q=a&since=yesterday", "yesterday"),
        ("q=a&kind=golden", "golden is not one of the available choices"),
        ("q=a&project=nowhere", "nowhere is not one of the available choices"),
        ("q=a&offset=-1", "greater than or equal to 0"),
    ],
)
def test_what_cannot_be_asked_is_said(browser: Client, shop: Conversation, query: str, said: str) -> None:
    answer = browser.get(f"/sessions?{query}")
    assert answer.status_code in {200, 422}
    assert said in answer.content.decode()
    assert "Nothing was searched." in answer.content.decode()


def test_encrypted_and_temporary_words_are_not_found_and_that_is_said(find: Find, lotta: User) -> None:
    rest = Rest(make_token(lotta))
    for place, kind in enumerate(({}, {"encrypted": True}, {"temporary": True})):
        made, _new = create_conversation(principal=make_person(lotta), title="Talk", **kind)
        told(rest, made.ref, turn("The zebra is striped."), run=f"r{place}")
    page = find("q=zebra")
    assert "Searched the one session: 1 found." in page
    assert "Left out: 1 encrypted and 1 temporary conversations, which are never searched." in page
    assert "3 sessions" in find("")
    assert "sealed at rest" in find("")
    assert "temporary" in find("")


def test_what_lies_on_other_branches_is_offered(lotta: User, find: Find, browser: Client) -> None:
    tree = talk("root", "left heron") + source(said(2, "right robin", role="assistant", parent=0))
    send_file(lotta, "~/pi/tree.jsonl", tree)
    assert "2 entries" in find("")
    assert "1 on another branch" in find("")
    page = browser.get("/sessions?q=heron").content.decode()
    assert 'href="/sessions?q=heron&amp;branches=all"' in page
    assert ": 1 found." in find("q=heron&branches=all")
    # There nothing more can be offered.
    assert "branches that were left, too" not in find("q=nothing&branches=all")


def test_why_it_is_not_complete_is_said_in_words(find: Find, lotta: User, shop: Conversation) -> None:
    assert "Not complete" not in find("q=canary")
    send_file(lotta, "~/pi/bad.jsonl", canary() + b"{oh no\n")
    page = find("q=canary")
    assert "Searched all of 2 sessions: 2 found." in page
    assert "Not complete: 1 session could not be read whole." in page
    assert "Of sessions that are not whole: some lines could not be read." in page


def test_nobody_finds_what_somebody_else_said(shop: Conversation, find: Find) -> None:
    assert ": 1 found." in find("q=canary")
    tom = browser_of(make_owner("tom"))
    for query in ("q=canary", f"q=canary&session={shop.ref}"):
        page = text_of(tom.get(f"/sessions?{query}"))
        assert "There is no session to search." in page
        assert "rollback" not in page


def test_hostile_words_stay_words(browser: Client, shop: Conversation) -> None:
    page = browser.get("/sessions?q=%3Cscript%3Ealert%28ran%29").content.decode()
    assert "<script>window" not in page
    assert "&lt;<mark>script</mark>&gt;window.<mark>ran</mark>" in page
    assert "&lt;script&gt;alert(ran)" in page


def test_a_search_costs_a_bounded_number_of_statements(browser: Client, lotta: User) -> None:
    counts = []
    for number in (1, 6):
        for place in range(number):
            send_file(lotta, f"~/pi/{number}-{place}.jsonl", canary())
        indexed(lotta)
        for page in ("/sessions?q=canary", "/sessions"):
            with CaptureQueriesContext(connection) as asked:
                answer = browser.get(page)
            assert len(hits(answer.content.decode())) == number + (number > 1)
            counts.append(len([query for query in asked if "SAVEPOINT" not in query["sql"]]))
    assert counts[:2] == counts[2:]
    assert counts[0] <= SEARCH_MOST
    assert counts[1] <= LIST_MOST
