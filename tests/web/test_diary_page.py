"""The panel of diaries: whose there are, what their entries say, and what a person does about them."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from conversations.services import create_conversation
from memory.models import Diary, DiaryEntry
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from tests.factories import AUTOMATION, GITHUB_TOKEN, make_owner, make_person, make_principal
from tests.memory.diary import HOSTILE, write, write_many
from tests.web.people import browser_of, htmx, text_of


@pytest.fixture
def coder(lotta: User) -> Principal:
    return make_principal(lotta, agent="coder")


@pytest.fixture
def nightly(lotta: User) -> Principal:
    return make_principal(lotta, agent="nightly", origin=AUTOMATION)


def at(entry: DiaryEntry, *parts: int) -> None:
    DiaryEntry.objects.filter(pk=entry.pk).update(created_at=datetime(*parts, tzinfo=UTC))  # type: ignore[arg-type]


def shown(page: str) -> list[str]:
    """The references of the entries in the list."""
    return re.findall(r'<li class="item[^>]*id="diary-(\w{12})"', page)


def test_the_entries_of_a_diary_stand_under_their_days(browser: Client, coder: Principal) -> None:
    for entry, moment in zip(
        write_many(coder, 3), [(2025, 3, 12, 9, 5), (2025, 3, 12, 16, 10), (2025, 3, 14)], strict=True
    ):
        at(entry, *moment)
    page = browser.get("/diary")
    text = text_of(page)
    assert page.status_code == 200
    assert "<title>Diary of coder · PawFlow</title>" in page.content.decode()
    assert re.search(r"Friday, 14 March 2025 I noticed thing number 2\. 00:00", text)
    assert re.search(r"Wednesday, 12 March 2025 I noticed thing number 1\. 16:10 .* thing number 0\. 09:05", text)
    assert text.count("12 March 2025") == 1


def test_each_agent_that_has_written_has_a_tab_and_the_last_writer_comes_first(
    lotta: User, browser: Client, coder: Principal, nightly: Principal
) -> None:
    write(coder, "I am the coder.")
    write(nightly, "I ran at night.")
    make_principal(lotta, agent="silent")
    page = browser.get("/diary").content.decode()
    assert re.findall(r'href="/diary\?agent=(\w+)"', page)[:2] == ["coder", "nightly"]
    assert "I ran at night." in page
    assert "I am the coder." not in page
    assert "agent=silent" not in page
    assert "I am the coder." in browser.get("/diary?agent=coder").content.decode()
    assert "silent has written nothing yet." in text_of(browser.get("/diary?agent=silent"))
    assert browser.get("/diary?agent=nobody").status_code == 404


def test_the_list_is_narrowed_by_type_and_to_what_waits(browser: Client, coder: Principal) -> None:
    write(coder, "I saw it.")
    decided, flagged = write(coder, "I decided it.", sort="decision"), write(coder, HOSTILE)
    assert shown(browser.get("/diary?type=decision").content.decode()) == [decided.ref]
    assert shown(browser.get("/diary?type=waiting").content.decode()) == [flagged.ref]
    assert "No such entry." in text_of(browser.get("/diary?type=reflection"))
    wrong = browser.get("/diary?type=golden")
    assert (wrong.status_code, shown(wrong.content.decode())) == (422, [])
    part = browser.get("/diary?type=decision", headers=htmx("diary-body")).content.decode()
    assert part.lstrip().startswith('<div class="stack" id="diary-body"')
    assert "<title>Diary of coder · PawFlow</title>" in part
    assert shown(part) == [decided.ref]


def test_what_is_kept_out_says_why_and_is_let_in(browser: Client, coder: Principal, nightly: Principal) -> None:
    write(coder, HOSTILE)
    write(coder, f"I deployed with {GITHUB_TOKEN} today.")
    text = text_of(browser.get("/diary"))
    assert text.count("Kept out of contexts reads like an order to an agent") == 1
    assert text.count("Kept out of contexts a secret was taken out") == 1
    assert GITHUB_TOKEN not in text
    entry = write(nightly, "I ran at night.")
    assert "Kept out of contexts from an automation" in text_of(browser.get("/diary?agent=nightly"))

    part = browser.post(f"/diary/{entry}/admission", {"admitted": "yes"}, headers=htmx(f"diary-{entry.ref}"))
    html = part.content.decode()
    assert html.lstrip().startswith(f'<li class="item is-active" id="diary-{entry.ref}"')
    assert "Kept out" not in text_of(part)
    assert "Contexts of nightly may show this entry." in text_of(part)
    entry.refresh_from_db()
    assert entry.admitted

    answer = browser.post(f"/diary/{entry}/admission", {"admitted": "no"})
    assert (answer.status_code, answer["Location"]) == (302, f"/diary/{entry}")
    assert "Kept out. No context of nightly shows this entry." in text_of(browser.get(f"/diary/{entry}"))
    entry.refresh_from_db()
    assert not entry.admitted


def test_entries_go_on_behind_the_last_without_a_day_twice(browser: Client, coder: Principal) -> None:
    refs = [entry.ref for entry in write_many(coder, 25)][::-1]
    first = browser.get("/diary").content.decode()
    more = re.search(r'id="diary-more".*?href="([^"]+)"', first, re.DOTALL)
    assert more is not None
    url = more[1].replace("&amp;", "&")
    part = browser.get(url, headers=htmx("diary-more")).content.decode()
    page = browser.get(url).content.decode()
    assert shown(first) + shown(part) == refs
    assert shown(page) == shown(part)
    assert first.count('<li class="day">') == 1
    assert "day" not in re.findall(r'<li class="(\w+)', part)
    assert "Back to the newest" in page
    assert "<html" not in part
    assert browser.get("/diary?cursor=abc").status_code == 422


def test_an_entry_has_a_page_with_all_its_words(lotta: User, browser: Client, coder: Principal) -> None:
    place, _ = create_conversation(principal=make_person(lotta), title="Release talk", external_id=None)
    long = write(coder.within(place.pk, place.ref), "I saw\n" + "much " * 300, sort="learning", tags=["<b>bold</b>"])
    row = browser.get("/diary").content.decode()
    assert f'href="/diary/{long}"' in row
    assert long.text not in row
    for named in (str(long), long.ref):
        page = browser.get(f"/diary/{named}")
        assert long.text in page.content.decode()
        assert "Learning," in text_of(page)
        assert "Conversation Release talk" in text_of(page)
        assert "&lt;b&gt;bold&lt;/b&gt;" in page.content.decode()


def test_what_looks_like_markup_or_hides_is_shown_as_what_it_is(browser: Client, coder: Principal) -> None:
    entry = write(coder, "<script>alert(1)</script> pass\u200bword \u202eadmin\u202c {{ 7|add:1 }}")
    for path in ("/diary", f"/diary/{entry}", f"/diary/{entry}/delete"):
        html = browser.get(path).content.decode()
        assert "<script>alert" not in html
        assert "&lt;script&gt;alert(1)" in html
        assert "U+202E" in html


def test_an_entry_is_deleted_after_a_question(browser: Client, coder: Principal) -> None:
    gone, kept = write(coder, "I was wrong."), write(coder, "I was right.")
    question = browser.get(f"/diary/{gone}/delete", headers=htmx("dialog"))
    assert "Delete this entry of coder?" in text_of(question)
    assert "<html" not in question.content.decode()
    assert DiaryEntry.objects.count() == 2
    answer = browser.post(f"/diary/{gone}/delete", follow=True)
    assert "Deleted." in text_of(answer)
    assert shown(answer.content.decode()) == [kept.ref]
    assert browser.get(f"/diary/{gone}").status_code == 404
    assert browser.get(f"/diary/{gone}/delete").status_code == 404


def test_a_diary_is_closed_and_opened_again(browser: Client, coder: Principal) -> None:
    write(coder)
    assert "Open: your other agents may read it by its name." in text_of(browser.get("/diary"))
    closed = text_of(browser.post("/diary/closing", {"agent": "coder", "closed": "yes"}, follow=True))
    assert "Closed. No other agent reads the diary of coder." in closed
    assert "coder (closed)" in closed
    assert Diary.objects.get().closed
    again = text_of(browser.post("/diary/closing", {"agent": "coder", "closed": "no"}, follow=True))
    assert "coder (closed)" not in again
    assert not Diary.objects.get().closed
    assert browser.post("/diary/closing", {"agent": "nobody", "closed": "yes"}).status_code == 404


def test_it_says_whether_its_agent_was_asked_for_a_reflection(lotta: User, browser: Client, coder: Principal) -> None:
    write_many(coder, 4)
    assert "asked for a reflection" not in text_of(browser.get("/diary"))
    first = write(coder)
    DiaryEntry.objects.filter(pk__lte=first.pk).update(created_at=datetime(2025, 3, 3, 12, tzinfo=UTC))
    told = "coder will be asked for a reflection with its next context (5 entries since 3 Mar 2025)."
    assert told in text_of(browser.get("/diary"))
    Diary.objects.create(agent_id=coder.agent_id, user=lotta, asked_at=timezone.now() - timedelta(hours=1))
    told = "coder has been asked for a reflection (5 entries since 3 Mar 2025)."
    assert told in text_of(browser.get("/diary"))
    write(coder, sort="reflection")
    assert "asked for a reflection" not in text_of(browser.get("/diary"))


def test_without_entries_it_says_what_a_diary_is(lotta: User, browser: Client) -> None:
    make_principal(lotta, agent="silent")
    page = browser.get("/diary")
    assert "What an agent writes for itself. It starts by itself after the first sessions." in text_of(page)
    assert 'href="/settings/tokens"' in page.content.decode()


def test_a_stranger_finds_nothing_and_changes_nothing(lotta: User, coder: Principal) -> None:
    entry = write(coder, "I saw the vault.")
    stranger = browser_of(make_owner("mallory"))
    for path in ("/diary/{}", "/diary/{}/delete"):
        there, never = (stranger.get(path.format(ref)) for ref in (str(entry), "di_0123456789ab"))
        assert (there.status_code, never.status_code) == (404, 404)
        assert there.content == never.content
    for path, fields in (
        (f"/diary/{entry}/admission", {"admitted": "no"}),
        (f"/diary/{entry}/delete", {}),
        ("/diary/closing", {"agent": "coder", "closed": "yes"}),
    ):
        assert stranger.post(path, fields).status_code == 404
        assert browser_of().post(path, fields).status_code == 302
        assert browser_of(lotta).get(path).status_code in {200, 404, 405}
    assert "vault" not in stranger.get("/diary").content.decode()
    assert stranger.get("/diary?agent=coder").status_code == 404
    entry.refresh_from_db()
    assert entry.admitted
    assert not Diary.objects.exists()


def test_a_way_to_change_something_is_no_page(browser: Client, coder: Principal) -> None:
    entry = write(coder)
    assert [browser.get(path).status_code for path in (f"/diary/{entry}/admission", "/diary/closing")] == [405, 405]
    assert [browser.post(path).status_code for path in ("/diary", f"/diary/{entry}")] == [405, 405]


def test_the_page_costs_as_much_for_a_long_diary_as_for_a_short_one(
    browser: Client, coder: Principal, django_assert_max_num_queries: Any
) -> None:
    write(coder)
    with django_assert_max_num_queries(15):
        browser.get("/diary")
    for entry in write_many(coder, 40):
        DiaryEntry.objects.filter(pk=entry.pk).update(text="x" * 8000, admitted=False)
    with django_assert_max_num_queries(15):
        page = browser.get("/diary")
    assert len(page.content) <= 60_000


# --- where else it is met -----------------------------------------------------------------------------------------


def test_the_context_preview_leads_from_a_line_to_its_entry(browser: Client, coder: Principal) -> None:
    entry = write_many(coder, 5)[-1]
    page = browser.get("/memories/context?agent=coder").content.decode()
    assert f'<a href="/diary/{entry}" title="Entry 1 of its diary, the newest first.">' in page
    assert "Your diary (past observations)" in page
    assert "Reflection due" in page
    assert not Diary.objects.exists()


@pytest.mark.parametrize(("letters", "place"), [("diary", "/diary"), ("Diary", "/diary")])
def test_it_is_found_by_its_name(browser: Client, letters: str, place: str) -> None:
    assert browser.get("/find", {"q": letters})["Location"] == place
    assert 'data-go="d"' in browser.get("/").content.decode()
