"""The scratchpad: whose notes are looked at, how long they are kept still, and what a person changes."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.desk.places import Place
from memory.models import ScratchNote
from memory.scratch.services import NoteWords, create_note, update_note
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from pawflow_web.lib.db import StatementNow
from tests.factories import GITHUB_TOKEN, make_conversation, make_owner, make_person, make_principal
from tests.memory.notes import within
from tests.web.beliefs import HOSTILE
from tests.web.people import at, browser_of, field, htmx, text_of

OWN = "/scratchpad?agent=coder&conversation="


@pytest.fixture
def coder(lotta: User) -> Principal:
    return make_principal(lotta, agent="coder")


def jot(
    principal: Principal, topic: str = "Rollback plan", content: str = "First.\nThen.", **more: object
) -> ScratchNote:
    return create_note(place=Place.of(principal), given=NoteWords(topic, content, **more))  # type: ignore[arg-type]


def left(note: ScratchNote, **time: float) -> None:
    ScratchNote.objects.filter(pk=note.pk).update(expires_at=StatementNow() + timedelta(**time, seconds=30))


def topics(answer: HttpResponse) -> list[str]:
    links = re.findall(r'id="scratchpad-\w{12}-link"[^>]*>([^<]*)<', answer.content.decode(), re.DOTALL)
    return [link.strip() for link in links]


def url(note: ScratchNote, more: str = "") -> str:
    return f"/scratchpad/sp_{note.ref}{more}"


def test_the_list_that_was_changed_last_opens_and_others_are_chosen(
    browser: Client, lotta: User, coder: Principal
) -> None:
    talk = make_conversation(lotta)
    jot(make_person(lotta), "Mine"), jot(coder, "Own", tags=["deploy"]), jot(within(coder, talk), "Inside")
    assert topics(browser.get("/scratchpad")) == ["Inside"]
    page = browser.get(OWN)
    assert topics(page) == ["Own"]
    for words in ("1 of 200", "First.", "#deploy", "6 d left"):
        assert words in text_of(page)
    assert "Then." not in text_of(page)
    assert topics(browser.get("/scratchpad?agent=")) == ["Mine"]
    assert topics(browser.get(f"{OWN}&q=DEPLOY")) == ["Own"]
    assert "1 found" in text_of(browser.get(f"{OWN}&q=deploy"))
    assert "Nothing matches “quagga”" in text_of(browser.get(f"{OWN}&q=quagga"))
    part = browser.get(f"{OWN}&q=first", headers=htmx("scratchpad-list")).content.decode()
    assert part.lstrip().startswith('<div class="stack" id="scratchpad-list"')
    assert 'id="scratchpad-place" hx-swap-oob="true"' in part
    assert browser.get("/scratchpad?agent=nobody").status_code == 404


def test_what_is_soon_gone_says_so_and_can_be_kept(browser: Client, coder: Principal) -> None:
    note, gone = jot(coder), jot(coder, "Gone")
    for time, words, offered in (
        ({"hours": 25}, "1 d left", False),
        ({"hours": 5}, "5 h left", True),
        ({"minutes": 40}, "40 min left", True),
        ({"minutes": 0}, "0 min left", True),
    ):
        left(note, **time)
        row = browser.get(OWN).content.decode().partition(f'id="scratchpad-{note.ref}"')[2].partition("</li>")[0]
        assert words in row
        # in the menu of a row otherwise
        assert ("Keep a week" in row.partition("<details")[0]) is offered
        assert row.count("Keep a week") == 1
        assert ("#warn" in row) is ("min" in words)
    kept = browser.post(url(note, "/keep"), headers=htmx(f"scratchpad-{note.ref}"))
    assert "6 d left" in text_of(kept)
    assert "Kept for a week." in text_of(kept)
    assert browser.post(url(note, "/keep"))["Location"] == OWN
    ScratchNote.objects.filter(pk=gone.pk).update(expires_at=StatementNow())
    assert topics(browser.get(OWN)) == ["Rollback plan"]
    for answer in (browser.get(url(gone)), browser.post(url(gone, "/keep")), browser.post(url(gone), {"topic": "x"})):
        assert answer.status_code == 404


def test_an_empty_panel_says_what_it_is_for(browser: Client) -> None:
    page = text_of(browser.get("/scratchpad"))
    assert "Notes that expire" in page
    assert "Connect an agent" in page
    assert "0 of 200" in page


def test_a_person_adds_changes_and_deletes(browser: Client, lotta: User, coder: Principal) -> None:
    form = {"topic": "Plan", "content": "a\r\nb", "tags": "x, y ,", "ttl_hours": "", "agent": "coder"}
    form |= {"conversation": ""}
    assert browser.post("/scratchpad", form)["Location"] == OWN
    note = ScratchNote.objects.get()
    assert (note.content, note.tags, note.place) == ("a\nb", ["x", "y"], Place(lotta.pk, coder.agent_id))
    part = browser.post("/scratchpad", {**form, "ttl_hours": "721"}, headers=htmx("scratchpad-add"))
    assert part.status_code == 422
    assert 'id="scratchpad-add" open' in part.content.decode()
    assert browser.post("/scratchpad", form, headers=htmx("scratchpad-add")).status_code == 201
    row = browser.post(url(note), {**form, "topic": "New", "revision": "1"}, headers=at("/scratchpad"))
    assert row["HX-Retarget"] == f"#scratchpad-{note.ref}"
    before = note.expires_at
    note.refresh_from_db()
    assert (note.topic, note.expires_at, note.revision) == ("New", before, 2)
    longer = browser.post(url(note), {**form, "topic": "Newer", "ttl_hours": "720", "revision": "2"})
    assert longer["Location"] == OWN
    assert "29 d left" in text_of(browser.get(OWN))
    assert "Delete this note?" in text_of(browser.get(url(note, "/delete"), headers=htmx("dialog")))
    gone = browser.post(url(note, "/delete"), headers=at("/scratchpad"))
    assert gone["HX-Trigger"] == "dialog-close, items-changed"
    assert not ScratchNote.objects.filter(pk=note.pk).exists()


@pytest.mark.parametrize("script", [False, True])
def test_a_change_that_comes_too_late_shows_both_versions(browser: Client, coder: Principal, script: bool) -> None:
    note = jot(coder, content="As it was.", tags=["same"])
    update_note(note=note, given=NoteWords(content="As the agent sees it."))
    form = {"topic": "Rollback plan", "content": "As I see it.", "tags": "same", "ttl_hours": "", "revision": "1"}
    headers = at("/scratchpad") if script else {}
    late = browser.post(url(note), form, headers=headers)
    page = late.content.decode()
    assert late.status_code == 409
    assert ("<html" in page) is not script
    theirs = page.partition('aria-label="Theirs, now saved"')[2].partition("</section>")[0]
    assert "As the agent sees it." in theirs
    assert "same" not in theirs
    assert "As I see it." in page.partition('aria-label="Yours"')[2]
    assert ScratchNote.objects.get().content == "As the agent sees it."
    kept = browser.post(url(note), {**form, "revision": field(page, "revision")}, headers=headers)
    assert kept.status_code in {200, 302}
    assert ScratchNote.objects.get().content == "As I see it."


def test_what_was_found_in_words_is_told(browser: Client, coder: Principal) -> None:
    jot(coder, HOSTILE, f"with {GITHUB_TOKEN}")
    jot(coder, "Harmless", HOSTILE)
    text = text_of(browser.get(OWN))
    assert "Topic: this reads like an instruction to the agent" in text
    assert "What it says: a secret was taken out (GitHub token)." in text
    assert text.count("No context shows it.") == 1


def test_more_rows_cost_no_more_statements(browser: Client, coder: Principal) -> None:
    counts = []
    for _ in range(2):
        for number in range(10):
            jot(coder, f"Note {number}")
        with CaptureQueriesContext(connection) as asked:
            assert browser.get("/scratchpad").status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 15


def test_a_stranger_finds_nothing(coder: Principal) -> None:
    note, mallory = jot(coder), browser_of(make_owner("mallory"))
    for more in ("", "/delete", "/keep"):
        for send in (mallory.get, mallory.post):
            there, never = (send(f"/scratchpad/sp_{ref}{more}") for ref in (note.ref, "0123456789ab"))
            assert there.status_code == never.status_code
            assert there.status_code in {404, 405}
            assert there.content.replace(note.ref.encode(), b"-") == never.content.replace(b"0123456789ab", b"-")
    assert topics(mallory.get("/scratchpad")) == []
    assert browser_of().get("/scratchpad").status_code == 302
    assert ScratchNote.objects.get().revision == 1
