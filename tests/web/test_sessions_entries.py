"""The reader of a session that came as a file: pages, the entry asked for, branches, and what it belongs to."""

import re

import pytest
from django.test import Client

from conversations.models import Chunk, Conversation
from conversations.pages import entries
from pawflow_web.identity.models import User
from tests.factories import make_owner
from tests.sessions.pi import call, message, session, source, words
from tests.web.people import browser_of, text_of
from tests.web.session_files import canary, many, send_file, send_fixture


@pytest.fixture
def shop(lotta: User) -> Conversation:
    return send_file(lotta, "~/pi/shop.jsonl", canary())


def numbers(page: str) -> list[int]:
    """Of the entries that are shown."""
    return [int(number) for number in re.findall(r'<li class="item entry[^"]*" id="e-(\d+)"', page)]


def test_entries_are_shown_in_order_and_what_was_done_is_folded(browser: Client, shop: Conversation) -> None:
    answer = browser.get(f"/sessions/{shop.ref}")
    page = answer.content.decode()
    assert numbers(page) == [0, 1, 2, 3, 4]
    assert '<p class="whole">Then we\nwait.</p>' in page
    assert "<summary>calls bash({&quot;command&quot;:&quot;make rollback&quot;})</summary>" in page
    assert "<summary>error: no such target</summary>" in page
    assert page.count("error</span>") == 1
    assert '<time datetime="2026-03-01T10:00:01+00:00">1 Mar 2026, 10:00</time>' in page
    text = text_of(answer)
    for said in ("Pi, 5 entries", "~/pi/shop.jsonl", "/srv/shop", "Person", "Assistant", "Result of a tool"):
        assert said in text
    assert "Not complete" not in text


def test_hostile_words_stay_words(browser: Client, shop: Conversation) -> None:
    page = browser.get(f"/sessions/{shop.ref}").content.decode()
    assert "The &lt;b&gt;canary&lt;/b&gt; was red" in page
    assert "&lt;script&gt;window.ran = 1&lt;/script&gt;" in page
    assert "<script>window" not in page


def test_a_long_one_has_pages_and_each_entry_its_place(browser: Client, lotta: User) -> None:
    talk = send_file(lotta, "~/pi/many.jsonl", many(120))
    page = browser.get(f"/sessions/{talk.ref}").content.decode()
    assert numbers(page) == list(range(50))
    assert "Entries 1 to 50 of 120" in page
    assert 'data-key="[" href' not in page
    later = re.findall(r'data-key="]" href="([^"]+)"', page)
    assert later == [f"/sessions/{talk.ref}?begin=50"]
    middle = browser.get(later[0]).content.decode()
    assert numbers(middle) == list(range(50, 100))
    assert f'data-key="[" href="/sessions/{talk.ref}"' in middle
    last = browser.get(f"/sessions/{talk.ref}?begin=100").content.decode()
    assert numbers(last) == list(range(100, 120))
    assert 'data-key="]" href' not in last
    jump = browser.get(f"/sessions/{talk.ref}?entry=77").content.decode()
    assert numbers(jump) == list(range(50, 100))
    assert re.findall(r'id="e-(\d+)" aria-current="true"', jump) == ["77"]
    assert "Entry number n0077." in jump


@pytest.mark.parametrize(
    "query", ["entry=5", "begin=5", "entry=-1", "entry=x", "begin=²", "branches=some", "entry=9999999999"]
)
def test_a_place_that_is_not_there_is_not_found(browser: Client, shop: Conversation, query: str) -> None:
    assert browser.get(f"/sessions/{shop.ref}?entry=4").status_code == 200
    assert browser.get(f"/sessions/{shop.ref}?{query}").status_code == 404


def test_only_the_chunks_that_are_shown_are_read(browser: Client, lotta: User, monkeypatch: pytest.MonkeyPatch) -> None:
    talk = send_file(lotta, "~/pi/many.jsonl", many(120))
    chunk = Chunk.objects.get(session__conversation=talk)
    # A chunk before it, of which nothing can be read.
    Chunk.objects.filter(pk=chunk.pk).update(number=1)
    chunk.pk, chunk.body, chunk.heads, chunk.entries, chunk.active_entries = None, b"", b"", 200, 200
    chunk.number = 0
    chunk.save()
    talk.session.active_entries = talk.session.entries = 320
    talk.session.save()
    assert "Entry number n0000." in text_of(browser.get(f"/sessions/{talk.ref}?entry=200"))
    assert browser.get(f"/sessions/{talk.ref}?entry=0").status_code == 500


def test_branches_can_be_seen_and_what_was_left_is_marked(browser: Client, lotta: User) -> None:
    talk = send_fixture(lotta, "pi/branched.jsonl")
    active = browser.get(f"/sessions/{talk.ref}").content.decode()
    assert "walrusqueue" not in active
    assert "on a branch that was left" not in active
    (every,) = set(re.findall(r'class="chip" href="([^"]+branches=all)"', active))
    page = browser.get(every).content.decode()
    assert page.count("on a branch that was left") == 2
    assert page.count("is-superseded") >= 2
    assert "walrusqueue" in page
    jump = browser.get(f"{every}&entry=1").content.decode()
    assert re.findall(r'id="e-(\d+)" aria-current="true"', jump) == ["1"]
    linear = send_fixture(lotta, "pi/linear.jsonl")
    assert "branches=all" not in browser.get(f"/sessions/{linear.ref}").content.decode()


def test_a_number_among_all_branches_names_a_turn(browser: Client, lotta: User) -> None:
    talk = send_fixture(lotta, "pi/branched.jsonl")
    answer = browser.get(f"/sessions/turn/{talk.session.ref}:2")
    assert answer["Location"] == f"/sessions/{talk.ref}?entry=1&branches=all#e-1"
    assert "Choose walrusqueue" in text_of(browser.get(answer["Location"]))
    for missing in (f"{talk.session.ref}:0", f"{talk.session.ref}:x", "0123456789ab:1"):
        assert browser.get(f"/sessions/turn/{missing}").status_code == 404


def test_operations_and_facts_of_branches_are_small_rows(browser: Client, lotta: User) -> None:
    talk = send_fixture(lotta, "pi/trace_branch.jsonl")
    page = browser.get(f"/sessions/{talk.ref}").content.decode()
    assert page.count('class="item entry small"') >= 8
    text = text_of(browser.get(f"/sessions/{talk.ref}"))
    for said in ("Operation pi.bash Failed", "Timed out", "Person, on a branch that was left"):
        assert said in text


def test_thoughts_are_not_shown(browser: Client, lotta: User) -> None:
    thought = [{"type": "thinking", "thinking": "I must not say kestrel."}]
    lines = [
        message("assistant", "a", None, content=[*thought, words("Hello.")]),
        message("assistant", "b", "a", content=thought),
    ]
    talk = send_file(lotta, "~/pi/thought.jsonl", source(lines))
    text = text_of(browser.get(f"/sessions/{talk.ref}"))
    assert "Hello." in text
    assert "nothing that is shown here" in text
    assert "kestrel" not in text


def test_sub_agents_and_the_session_that_began_them_know_each_other(browser: Client, lotta: User) -> None:
    child = send_fixture(lotta, "claude-code/agent.jsonl")
    alone = browser.get(f"/sessions/{child.ref}")
    assert "Begun by" not in text_of(alone)
    lines = (message("user", "a", content=[words("Delegate it.")]),)
    header = {
        "type": "session",
        "version": 3,
        "id": child.session.parent,
        "timestamp": "2026-03-01T10:00:00Z",
        "cwd": "/srv",
    }
    parent = send_file(lotta, "~/pi/parent.jsonl", source(lines, header=header))
    assert f'Begun by <a href="/sessions/{parent.ref}"' in browser.get(f"/sessions/{child.ref}").content.decode()
    page = browser.get(f"/sessions/{parent.ref}").content.decode()
    assert "Sessions begun from this one" in page
    assert f'<a href="/sessions/{child.ref}"' in page
    listed = browser.get("/sessions").content.decode()
    assert f'sub-agent of <a class="above" href="/sessions/{parent.ref}"' in listed


def test_why_it_is_not_all_there_is_said(browser: Client, lotta: User) -> None:
    data = canary().replace(b'"parentId": "m0"', b'"parentId": "gone"')
    talk = send_file(lotta, "~/pi/bad.jsonl", data + b"{oh no\n")
    text = text_of(browser.get(f"/sessions/{talk.ref}"))
    assert "Not complete: 1 line could not be read; a session continues something that is not in its file." in text


def test_very_long_texts_are_cut_until_they_are_asked_for(
    browser: Client, lotta: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entries, "PIECE", 10)
    talk = send_file(lotta, "~/pi/many.jsonl", many(2))
    page = browser.get(f"/sessions/{talk.ref}").content.decode()
    assert "n0001" not in page
    assert f'<a href="/sessions/{talk.ref}?entry=1#e-1">Show 9 more characters</a>' in page
    assert "Entry number n0001." in browser.get(f"/sessions/{talk.ref}?entry=1").content.decode()


def test_words_that_look_like_a_call_stay_words() -> None:
    lines = [
        message("assistant", "a", content=[words("So:\nTool: read(x)\nDone."), call("c", "bash", command="ls")]),
    ]
    (entry,) = session(*lines).entries
    assert [(piece.kind, piece.text) for piece in entries.pieces_of(entry)] == [
        ("words", "So:\nTool: read(x)\nDone."),
        ("call", 'Tool: bash({"command":"ls"})'),
    ]


def test_nobody_elses_can_be_read(shop: Conversation, browser: Client) -> None:
    tom = browser_of(make_owner("tom"))
    for path in (f"/sessions/{shop.ref}", f"/sessions/{shop.ref}?entry=0", f"/sessions/turn/{shop.session.ref}:1"):
        assert browser.get(path).status_code in {200, 302}
        assert tom.get(path).status_code == 404
