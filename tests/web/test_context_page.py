"""The context preview: byte for byte what the agent gets, why each line is there, and what is not."""

import re
from datetime import timedelta
from html.parser import HTMLParser

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from pawflow_web.identity.models import User
from pawflow_web.identity.services import update_agent
from pawflow_web.lib import blocks
from review.lifecycle import edit, end, reject
from review.models import GovernanceItem, ItemUse, UseEvent
from tests.factories import make_conversation, make_owner, make_person, make_person_token, make_project, make_token
from tests.memory.conftest import unhurried
from tests.surfaces.conftest import Rest
from tests.web.beliefs import fill, propose, remember
from tests.web.people import browser_of, htmx, text_of

__all__ = ["unhurried"]
pytestmark = pytest.mark.usefixtures("unhurried")

QUERIES_MOST = 28  # a whole context, and with a comparison the memory of another day
BYTES_MOST = 60_000
ODD = 'Says <b>"no" & \'yes\'</b> {{ 7|add:"1" }}  twice'


@pytest.fixture
def coder(lotta: User) -> Rest:
    return Rest(make_token(lotta, agent="coder"))


class Blocks(HTMLParser):
    """The text of every element of the class ``lines``, without what is struck out."""

    def __init__(self, page: str) -> None:
        super().__init__(convert_charrefs=True)
        self.texts: list[str] = []
        self._depth = 0
        self._struck = False
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        if self._depth:
            self._depth += 1
        elif "lines" in classes:
            self._depth = 1
            self.texts.append("")
        self._struck = self._struck or tag == "del"

    def handle_endtag(self, tag: str) -> None:
        self._depth -= bool(self._depth)
        self._struck = self._struck and tag != "del"

    def handle_data(self, data: str) -> None:
        if self._depth and not self._struck:
            self.texts[-1] += data


def page_of(browser: Client, query: str = "?agent=coder", path: str = "context") -> str:
    answer = browser.get(f"/memories/{path}{query}")
    assert answer.status_code == 200, text_of(answer)
    return str(answer.content.decode())


def shown(page: str) -> str:
    return "\n\n".join(Blocks(page).texts)


def links(page: str) -> dict[str, str]:
    """The words of every line that leads to a belief, by its reference."""
    return dict(re.findall(r'<a href="/items/(\w+)" title="[^"]+">([^<]*)</a>', page))


def sent(rest: Rest, query: str = "") -> str:
    """Both parts of what an agent gets."""
    got = rest.get(f"/context{query}").json
    return "\n\n".join(part for part in (got["system"], got["text"]) if part)


@pytest.mark.parametrize("render", ["digest", "scoped"])
@pytest.mark.parametrize("query", ["", "&query=service+port&budget=900", "&query=bread%20%26%20rye"])
def test_it_is_what_the_agent_gets_byte_for_byte(
    lotta: User, browser: Client, coder: Rest, render: str, query: str
) -> None:
    fill(lotta, 12)
    remember(lotta, ODD)
    remember(lotta, "Bread & rye.\nOn two lines.", category="preferences")
    for n in range(8):
        remember(lotta, f"Service {n} answers on a port.")
    update_agent(user=lotta, name="coder", memory_render=render)
    got = coder.get(f"/context?{query.lstrip('&')}").json
    page = page_of(browser, f"?agent=coder{query}")
    assert got["text"]
    assert shown(page) == f"{got['system']}\n\n{got['text']}"
    assert f"{got['chars']:,} of {got['budget']:,} characters, about" in page


def test_it_is_what_the_agent_gets_in_its_conversation_and_project(lotta: User, browser: Client, coder: Rest) -> None:
    talk, project = make_conversation(lotta, external_id="client-7"), make_project(lotta)
    words = {"text": "Only said here.", "scope": "conversation"}
    theirs = coder.post(f"/tools/remember?conversation={talk.ref}", words).json["ref"]
    for query in (f"conversation={talk.ref}", f"conversation=client-7&project={project.slug}"):
        page = page_of(browser, f"?agent=coder&{query}")
        assert shown(page) == sent(coder, f"?{query}")
        assert theirs in links(page)
    assert theirs not in links(page_of(browser))


def test_every_belief_is_a_link_that_says_why_it_is_there(lotta: User, browser: Client, coder: Rest) -> None:
    facts = [remember(lotta, f"Bread recipe number {n}.") for n in range(6)]
    liked = remember(lotta, "Prefers pytest.", category="preferences")
    page = page_of(browser, "?agent=coder&query=bread")
    assert set(links(page)) == {item.ref for item in (*facts, liked)}
    assert links(page)[liked.ref] == f"- Prefers pytest. #{liked.number}\n"
    assert f'<a href="/items/{liked.ref}" title="Belief 6 of this block, facts and preferences (L1).">' in page
    assert f'<a href="/items/{facts[0].ref}" title="Belief 1 of this block. It holds: bread.">' in page


def test_it_says_what_is_left_out_and_why(lotta: User, browser: Client, coder: Rest) -> None:
    fill(lotta, 12)
    for n in range(8):
        remember(lotta, f"Bread recipe number {n}.")
    waiting = GovernanceItem.objects.filter(status="needs_review").count()
    answer = browser.get("/memories/context?agent=coder")
    assert f"{waiting} beliefs , until you accept" in text_of(answer)
    assert "0 beliefs, never sent" in text_of(answer)
    assert re.search(r"Persistent memory: \d+ beyond the most of their sort\.", text_of(answer))
    private, secret = (remember(lotta, f"Bread recipe number {n}.") for n in ("x", "y"))
    assert {secret.ref, private.ref} <= set(links(page_of(browser)))
    edit(principal=make_person(lotta), reference=private.ref, revision=1, changes={"privacy": "sensitive"})
    edit(principal=make_person(lotta), reference=secret.ref, revision=1, changes={"privacy": "secret"})
    answer = browser.get("/memories/context?agent=coder")
    assert "1 belief, never sent" in text_of(answer)
    assert "1 belief, unless you let this agent read it" in text_of(answer)
    assert not {secret.ref, private.ref} & set(links(answer.content.decode()))
    update_agent(user=lotta, name="coder", reads_sensitive=True)
    answer = browser.get("/memories/context?agent=coder")
    assert "unless you let" not in text_of(answer)
    assert private.ref in links(answer.content.decode())


@pytest.mark.parametrize(
    ("fault", "words"),
    [(ZeroDivisionError, "left out, it failed, and the log says why."), (None, "left out, no line of it fits")],
)
def test_a_block_that_is_missing_is_named(
    lotta: User,
    browser: Client,
    coder: Rest,
    monkeypatch: pytest.MonkeyPatch,
    fault: type[Exception] | None,
    words: str,
) -> None:
    remember(lotta, "The canary is green.")

    def build(_: blocks.Ask) -> blocks.Content:
        if fault is not None:
            raise fault
        return blocks.Content((blocks.Group("", (blocks.Line("x" * 1000),)),))

    summary = blocks.Block("thread_summary", "Talk so far", "turn", build, cap=500, deadline_ms=60_000)
    assert "Talk so far" not in text_of(browser.get("/memories/context?agent=coder"))
    monkeypatch.setattr(blocks.registry, "_entries", {**blocks.registry._entries, "thread_summary": summary})
    answer = browser.get("/memories/context?agent=coder")
    assert f"Talk so far: {words}" in text_of(answer)
    assert shown(answer.content.decode()) == sent(coder)
    assert "The canary is green." in sent(coder)


def test_a_secure_agent_receives_nothing_and_the_page_says_why(lotta: User, browser: Client, coder: Rest) -> None:
    remember(lotta, "The canary is green.")
    assert "The canary is green." in shown(page_of(browser))
    update_agent(user=lotta, name="coder", profile="secure")
    for path in ("context", "markdown"):
        assert "coder receives nothing." in (page := page_of(browser, path=path))
        assert "canary" not in page
        assert Blocks(page).texts == []
    assert sent(coder) == coder.get("/memory.md").body.decode() == ""


def test_nobody_looks_into_what_is_not_theirs(lotta: User, browser: Client, coder: Rest) -> None:
    bo = make_owner("bo")
    make_token(bo, agent="writer")
    talk, project = make_conversation(bo), make_project(bo)
    page_of(browser_of(bo), "?agent=writer")
    for path in ("context", "markdown"):
        taken, never = (browser.get(f"/memories/{path}?agent={name}") for name in ("writer", "nobody"))
        assert taken.status_code == never.status_code == 404
    for query in (f"conversation={talk.ref}", f"project={project.slug}", "conversation=aaaaaaaaaaaa"):
        answer = browser.get(f"/memories/context?agent=coder&{query}")
        assert answer.status_code == 404
        assert "Nothing was looked up." in text_of(answer)
    for path in ("context", "markdown"):
        assert browser_of().get(f"/memories/{path}")["Location"].startswith("/login")


def test_what_cannot_be_asked_is_told(lotta: User, browser: Client, coder: Rest) -> None:
    tomorrow = (timezone.localdate() + timedelta(days=1)).isoformat()
    for query in ("budget=12", "compare=golden", f"compare={tomorrow}", "query=" + "x" * 4001):
        answer = browser.get(f"/memories/context?agent=coder&{query}")
        assert answer.status_code == 422, query
        assert "Nothing was looked up." in text_of(answer)


def test_without_an_agent_it_says_how_to_get_one(lotta: User, browser: Client) -> None:
    assert "No agent yet" in (page := page_of(browser, ""))
    assert 'href="/settings/tokens"' in page


def test_without_a_name_it_is_the_agent_that_called_last(lotta: User, browser: Client) -> None:
    for name in ("alpha", "beta"):
        make_token(lotta, agent=name)
    assert '<option value="alpha" selected>' in page_of(browser, "")
    lotta.tokens.filter(agent__name="beta").update(last_used_at=timezone.now())
    assert '<option value="beta" selected>' in page_of(browser, "")


def test_looking_counts_as_no_use_and_changes_nothing(lotta: User, browser: Client, coder: Rest) -> None:
    item = remember(lotta, "The canary is green.")
    for path in ("context", "markdown"):
        assert item.ref in links(page_of(browser, path=path))
        assert browser.post(f"/memories/{path}").status_code == 405
    assert not UseEvent.objects.exists()
    assert not ItemUse.objects.exists()


@pytest.mark.parametrize("render", ["digest", "scoped"])
def test_compared_it_shows_what_the_memory_gained_and_lost(
    lotta: User, browser: Client, coder: Rest, render: str
) -> None:
    update_agent(user=lotta, name="coder", memory_render=render)
    old, same = remember(lotta, "The database is in Dublin."), remember(lotta, "The canary is green.")
    denied = remember(lotta, "The office is on the third floor.")
    then = timezone.now()
    new = remember(lotta, "The database is in Frankfurt.", supersedes=old.ref)
    reject(principal=make_person(lotta), reference=denied.ref)
    page = page_of(browser, f"?agent=coder&compare={then:%Y-%m-%dT%H:%M:%S.%fZ}")
    added, gone = (set(links("".join(re.findall(f"<{tag}>(.*?)</{tag}>", page, re.DOTALL)))) for tag in ("ins", "del"))
    assert (added, gone) == ({new.ref}, {old.ref})
    assert same.ref in links(page)
    assert denied.ref not in links(page)
    assert shown(page) == sent(coder)
    assert "Copy all" not in page
    assert "Copy all" in (plain := page_of(browser))
    assert "<ins>" not in plain


def test_compared_it_shows_what_is_gone_when_nothing_is_left(lotta: User, browser: Client, coder: Rest) -> None:
    item = remember(lotta, "The canary is green.")
    then = f"{timezone.now():%Y-%m-%dT%H:%M:%S.%fZ}"
    end(principal=make_person(lotta), reference=item.ref)
    page = page_of(browser, f"?agent=coder&compare={then}")
    assert f'<del><a href="/items/{item.ref}"' in page
    assert shown(page).rstrip() == sent(coder)
    assert coder.get("/context").json["text"] == ""


def test_choosing_another_agent_swaps_the_body(browser: Client, coder: Rest) -> None:
    part = browser.get("/memories/context?agent=coder", headers=htmx("context-body")).content.decode()
    assert part.lstrip().startswith('<div class="stack" id="context-body">')


@pytest.mark.parametrize("reader", ["person", "coder"])
def test_as_markdown_it_is_memory_md_byte_for_byte(lotta: User, browser: Client, coder: Rest, reader: str) -> None:
    fill(lotta, 6)
    remember(lotta, ODD)
    rest, agent = (coder, "coder") if reader == "coder" else (Rest(make_person_token(lotta)), "")
    for query in ("", "query=staging"):
        text = rest.get(f"/memory.md?{query}").body.decode()
        page = page_of(browser, f"?agent={agent}&{query}", path="markdown")
        assert "staging" in text
        assert shown(page) == text
        assert len(links(page)) == text.count("\n- ")
    assert 'href="/memories/markdown"' in browser.get("/memories").content.decode()


def test_more_beliefs_cost_no_more_queries_and_little_weight(lotta: User, browser: Client, coder: Rest) -> None:
    counts = []
    for many in (1, 60):
        for n in range(many):
            remember(lotta, f"Service {many}/{n} belongs to team {n}. " + "It is long. " * 20)
        propose(lotta, f"Service {many} is up.")
        for path in ("context?agent=coder&query=service", "context?agent=coder&compare=2020-01-01", "markdown"):
            with CaptureQueriesContext(connection) as asked:
                answer = browser.get(f"/memories/{path}")
            # Outside of a transaction, as in a serving process, nothing is a savepoint.
            queries = [query["sql"][:90] for query in asked if "SAVEPOINT" not in query["sql"]]
            assert len(queries) <= QUERIES_MOST, queries
            assert len(answer.content) <= BYTES_MOST
            counts.append(len(queries))
    # one more for the rows of what the words call to mind
    assert counts[3:] == [counts[0] + 1, *counts[1:3]]
