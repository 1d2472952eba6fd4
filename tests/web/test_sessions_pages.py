"""Sessions in the browser: which there are, what was said in one, and the end of one."""

import re

import pytest
from django.test import Client

from conversations.models import Conversation, Turn
from conversations.pages import reader
from pawflow_web.identity.models import User
from tests.conversations.turns import told, turn
from tests.factories import make_conversation, make_owner, make_token
from tests.surfaces.conftest import Rest
from tests.web.people import browser_of, htmx, text_of


@pytest.fixture
def coder(lotta: User) -> Rest:
    return Rest(make_token(lotta))


@pytest.fixture
def talk(lotta: User, coder: Rest) -> Conversation:
    found = make_conversation(lotta, title="About <b>staging</b>")
    call = {"kind": "tool_call", "tool": "bash", "content": {"command": "make deploy"}}
    done = {"kind": "tool_result", "tool": "bash", "content": "deployed"}
    answer = {"role": "assistant", "steps": [call, done, {"kind": "message", "content": "It is out."}]}
    told(coder, found.ref, turn("Deploy <script>staging</script>, please."), answer)
    return found


def test_they_are_listed_with_the_last_changed_first(browser: Client, lotta: User, talk: Conversation) -> None:
    assert "Nothing was said yet" in text_of(browser_of(make_owner("tom")).get("/sessions"))
    make_conversation(lotta, title="Later")
    page = text_of(browser.get("/sessions"))
    assert page.index("Later") < page.index("About ")
    assert "2 turns" in page
    assert 'href="/sessions"' in browser.get("/").content.decode()


def test_a_session_shows_what_was_said_and_folds_what_was_done(browser: Client, talk: Conversation) -> None:
    page = browser.get(f"/sessions/{talk.ref}").content.decode()
    assert "Deploy &lt;script&gt;staging&lt;/script&gt;, please." in page
    assert page.count("<details>\n<summary>") == 2
    assert "make deploy" in page
    assert [*re.findall(r'id="(t-[^"]+)"', page)] == ["t-r1-1", "t-r1-2"]


def test_a_turn_leads_to_its_place(browser: Client, talk: Conversation) -> None:
    answer = browser.get("/sessions/turn/r1:2")
    assert answer["Location"] == f"/sessions/{talk.ref}?from=r1%3A2#t-r1-2"
    page = text_of(browser.get(answer["Location"]))
    assert "It is out." in page
    assert "please" not in page
    assert "From the beginning" in page
    for missing in ("/sessions/turn/r1:3", "/sessions/turn/x", f"/sessions/{talk.ref}?from=r9:1", "/sessions/nowhere"):
        assert browser.get(missing).status_code == 404


def test_long_ones_go_on_by_a_button(
    browser: Client, coder: Rest, talk: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reader, "TURNS", 2)
    told(coder, talk.ref, *(turn(f"Turn {n}") for n in range(3)))
    page = browser.get(f"/sessions/{talk.ref}").content.decode()
    (later,) = set(re.findall(r'hx-get="(/sessions/[^"]+from=[^"]+)"', page))
    part = browser.get(later, headers=htmx("session-more")).content.decode()
    assert re.findall(r'id="(t-[^"]+)"', part) == ["t-r1-3", "t-r1-4"]
    assert "<h1" not in part


def test_it_is_deleted_after_a_question(browser: Client, talk: Conversation) -> None:
    assert "Delete this conversation for good?" in text_of(browser.get(f"/sessions/{talk.ref}/delete"))
    answer = browser.post(f"/sessions/{talk.ref}/delete", follow=True)
    assert "Deleted, with all that was said in it." in text_of(answer)
    assert not Turn.objects.exists()
    assert browser.get(f"/sessions/{talk.ref}").status_code == 404


def test_nobody_elses_can_be_read_or_deleted(talk: Conversation) -> None:
    tom = browser_of(make_owner("tom"))
    for path in (f"/sessions/{talk.ref}", f"/sessions/{talk.ref}/delete", "/sessions/turn/r1:1"):
        assert tom.get(path).status_code == 404
    assert tom.post(f"/sessions/{talk.ref}/delete").status_code == 404
    assert Turn.objects.count() == 2
