"""The memories panel: finding, adding, taking out of use."""

import re

import pytest
from django.test import Client

from pawflow_web.identity.models import User
from review.lifecycle import reject
from review.models import GovernanceItem, Status
from review.transitions import TABLE
from tests.factories import make_owner, make_person, make_principal
from tests.web.beliefs import HOSTILE, bring_file, fill, propose, remember
from tests.web.people import htmx, rows, text_of


def listed(browser: Client, query: str = "") -> list[str]:
    return rows(browser.get(f"/memories{query}").content.decode())


def test_what_is_in_use_stands_there_the_newest_first(lotta: User, browser: Client) -> None:
    older, newer = remember(lotta, "The canary is green."), remember(lotta, "Staging is in Frankfurt.")
    waits = propose(lotta, "Staging is in Dublin.")
    gone = remember(lotta, "The office is on the third floor.")
    reject(principal=make_person(lotta), reference=gone.ref)
    assert listed(browser) == [newer.ref, older.ref]
    assert listed(browser, "?status=any") == [gone.ref, waits.ref, newer.ref, older.ref]
    assert listed(browser, "?status=rejected") == [gone.ref]
    assert "2 beliefs in use" in text_of(browser.get("/memories"))


def test_every_filter_of_the_list_narrows(lotta: User, browser: Client) -> None:
    coder = make_principal(lotta, agent="coder")
    one = remember(lotta, "Tabs in Makefiles.", principal=coder, tags=["style", "make"], category="preferences")
    other = remember(lotta, "Staging is in Frankfurt.", tags=["deploy"], category="facts")
    for query in (
        "?scope=agent",
        "?agent=coder",
        "?category=preferences",
        "?tag=style",
        "?tag=style&tag=make",
        "?q=makefile",
    ):
        assert listed(browser, query) == [one.ref], query
    for query in ("?scope=global", "?tag=deploy", "?category=facts"):
        assert listed(browser, query) == [other.ref], query
    for query in ("?kind=note", "?origin=user_channel", "?privacy=normal", "?pinned=false", "?as_of=2035-01-01"):
        assert listed(browser, query) == [other.ref, one.ref], query
    for query in ("?tag=style&tag=deploy", "?pinned=true", "?kind=fact"):
        assert listed(browser, query) == [], query


def test_a_search_marks_the_words_and_says_how_many_were_searched(lotta: User, browser: Client) -> None:
    remember(lotta, "Deploys go through the Frankfurt cluster.")
    remember(lotta, "The canary is green.")
    answer = browser.get("/memories?q=frankfurt+deploying")
    page = answer.content.decode()
    assert "<mark>Frankfurt</mark>" in page
    assert "<mark>Deploys</mark>" in page
    assert "1 of 2 searched, by words" in text_of(answer)
    assert '<a class="chip" href="/memories">text: frankfurt deploying' in page


def test_a_filter_that_cannot_be_is_told(lotta: User, browser: Client) -> None:
    remember(lotta, "The canary is green.")
    for query in ("?status=golden", "?as_of=yesterday"):
        answer = browser.get(f"/memories{query}")
        assert answer.status_code == 422
        assert rows(answer.content.decode()) == []
        assert "Nothing was searched." in text_of(answer)
    assert browser.get("/memories?cursor=abc").status_code == 422
    assert browser.get("/memories?status=active&as_of=").status_code == 200


def test_load_more_goes_on_where_the_list_ended(lotta: User, browser: Client) -> None:
    refs = [remember(lotta, f"Service {n} is up.").ref for n in range(25)][::-1]
    first = browser.get("/memories?scope=global").content.decode()
    more = re.search(r'<li class="more-rows".*?href="([^"]+)"', first, re.DOTALL)
    assert more is not None
    part = browser.get(more[1].replace("&amp;", "&"), headers=htmx("memories-more")).content.decode()
    assert rows(first) + rows(part) == refs
    assert part.lstrip().startswith("<li")


def test_typing_swaps_the_list_and_its_coverage(lotta: User, browser: Client) -> None:
    remember(lotta, "The canary is green.")
    page = browser.get("/memories?q=canary", headers=htmx("memories-list")).content.decode()
    assert page.lstrip().startswith('<div class="stack" id="memories-list"')
    assert 'id="memories-coverage" hx-swap-oob="true"' in page
    assert "<html" not in page


def test_words_of_ones_own_are_in_use_at_once(lotta: User, browser: Client) -> None:
    form = {"text": "The canary is green.", "tags": "deploy, Canary ", "scope": "global", "category": "facts"}
    assert browser.post("/memories", {**form, "ttl_days": "30"}).status_code == 302
    item = GovernanceItem.objects.get()
    assert (item.status, item.memory.tags, item.memory.category) == ("active", ["deploy", "canary"], "facts")
    assert item.expires_at is not None
    assert "Remembered. In use: every agent of yours may read it." in text_of(browser.get("/memories"))


def test_a_person_writes_for_one_of_their_agents(lotta: User, browser: Client) -> None:
    coder, other = make_principal(lotta, agent="coder"), make_principal(lotta, agent="other")
    assert browser.post("/memories", {"text": "Tabs.", "scope": "agent", "agent": "coder"}).status_code == 302
    item = GovernanceItem.objects.get()
    assert GovernanceItem.objects.recallable(coder).filter(pk=item.pk).exists()
    assert not GovernanceItem.objects.recallable(other).filter(pk=item.pk).exists()
    strange = browser.post("/memories", {"text": "Spaces.", "scope": "agent", "agent": "nobody"})
    assert strange.status_code == 422
    assert browser.post("/memories", {"text": "Spaces.", "scope": "agent"}).status_code == 422
    assert browser.post("/memories", {"text": "Spaces.", "scope": "private"}).status_code == 422
    assert GovernanceItem.objects.count() == 1


@pytest.mark.parametrize("script", [False, True])
def test_what_was_typed_is_kept_when_it_is_refused(lotta: User, browser: Client, script: bool) -> None:
    headers = htmx("memories-add") if script else {}
    answer = browser.post("/memories", {"text": "Tabs & spaces.", "ttl_days": "0"}, headers=headers)
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Tabs &amp; spaces." in page
    assert ("<html" in page) is not script
    assert "greater than or equal to 1" in page


def test_the_gate_tells_what_it_made_of_the_words(lotta: User, browser: Client) -> None:
    def say(text: str) -> str:
        return text_of(browser.post("/memories", {"text": text}, headers=htmx("memories-add")))

    assert "Remembered." in say("The canary is green.")
    known = GovernanceItem.objects.get()
    again = say("the canary is GREEN")
    assert f"Already known as #{known.ref}. Look at it Nothing was added." in again
    assert "Kept, but it waits for you." in (waits := say(HOSTILE))
    assert "Why: reads like an instruction to the agent." in waits
    reject(principal=make_person(lotta), reference=known.ref, comment="wrong colour")
    refused = browser.post("/memories", {"text": "The canary is green!"}, headers=htmx("memories-add"))
    assert refused.status_code == 409
    assert re.search(r"You rejected this on \d+ \w+ \d{4} \(“wrong colour”\), so it was not stored\.", text_of(refused))
    assert f'href="/items/{known.ref}"' in refused.content.decode()
    assert "The canary is green!" in refused.content.decode()


def test_rows_go_by_forget_and_reject(lotta: User, browser: Client) -> None:
    kept, dropped, denied = (remember(lotta, f"Service {n} is up.") for n in range(3))
    row = browser.post(f"/items/{denied.ref}/reject", headers=htmx(f"memories-{denied.ref}"))
    page = row.content.decode()
    assert f'id="memories-{denied.ref}"' in page
    assert 'data-status="rejected"' in page
    assert "Rejected. Service 2 is up." in text_of(row).replace(" .", ".")
    plain = browser.post(f"/items/{dropped.ref}/forget", {"back": "/memories?scope=global"})
    assert plain["Location"] == "/memories?scope=global"
    assert browser.post(f"/items/{kept.ref}/forget", {"back": "//evil.example"})["Location"] == f"/items/{kept.ref}"
    assert listed(browser) == []
    assert set(listed(browser, "?status=stale")) == {kept.ref, dropped.ref}


def test_chosen_rows_go_together(lotta: User, browser: Client) -> None:
    items = bring_file(lotta, ["One is up.", "Two is up.", "Three is up."])
    refs = [item.ref for item in items]
    browser.post("/memories/bulk", {"verb": "accept", "ref": refs[:2], "back": "/memories"})
    assert "2 accepted." in text_of(browser.get("/memories"))
    answer = browser.post(
        "/memories/bulk", {"verb": "forget", "ref": [*refs, "aaaaaaaaaaaa"]}, headers=htmx("memories-list")
    )
    assert "3 taken out of use. 1 not: 1 gone." in text_of(answer)
    assert set(GovernanceItem.objects.values_list("status", flat=True)) == {"stale"}


def test_chosen_rows_go_as_they_stood_on_the_screen(lotta: User, browser: Client) -> None:
    changed, same = remember(lotta, "One is up."), remember(lotta, "Two is up.")
    page = browser.get("/memories").content.decode()
    chosen = re.findall(r'name="ref" form="memories-bulk" value="([^"]+)"', page)
    assert chosen == [f"{same.ref}:1", f"{changed.ref}:1"]
    GovernanceItem.objects.filter(pk=changed.pk).update(revision=2)
    answer = browser.post("/memories/bulk", {"verb": "forget", "ref": chosen}, headers=htmx("memories-list"))
    assert "1 taken out of use. 1 not: 1 changed meanwhile." in text_of(answer)
    assert listed(browser) == [changed.ref]


def test_nothing_of_another_person_is_found_or_moved(lotta: User, browser: Client) -> None:
    theirs = remember(make_owner("bo"), "The canary is green.")
    mine = remember(lotta, "The canary is yellow.")
    assert listed(browser, "?status=any") == listed(browser, "?q=canary") == [mine.ref]
    for verb in ("accept", "reject", "forget", "restore"):
        assert browser.post(f"/items/{theirs.ref}/{verb}").status_code == 404
    browser.post("/memories/bulk", {"verb": "forget", "ref": [theirs.ref]})
    theirs.refresh_from_db()
    assert theirs.status == "active"


def test_an_empty_store_says_what_to_do(lotta: User, browser: Client) -> None:
    assert "Connect an agent" in text_of(browser.get("/memories"))
    assert "Clear filters" in text_of(browser.get("/memories?q=frankfrut"))


def test_a_search_by_two_tags_keeps_both_when_it_is_sent_again(lotta: User, browser: Client) -> None:
    remember(lotta, "The canary is green.", tags=["deploy", "canary"])
    for asked, kept in (
        ("tag=deploy&tag=canary", ["deploy"]),
        ("tag=deploy&tag=", ["deploy"]),
        ("tag=deploy", []),
        ("", []),
    ):
        page = browser.get(f"/memories?{asked}").content.decode().partition('<form class="toolbar"')[2]
        assert re.findall(r'<input type="hidden" name="tag" value="([^"]*)">', page) == kept, asked


@pytest.mark.parametrize("asked", ["tag={long}&tag=canary", "tag=canary&tag={long}"])
def test_every_tag_that_is_asked_for_has_to_be_one(browser: Client, asked: str) -> None:
    assert browser.get("/memories?" + asked.format(long="x" * 500)).status_code == 422
    assert browser.get("/memories?" + asked.format(long="x" * 50)).status_code == 200


def test_the_menu_of_a_row_offers_what_its_status_allows(lotta: User, browser: Client) -> None:
    fill(lotta, 6)
    page = browser.get("/memories?status=any").content.decode()
    seen = set()
    for row in re.findall(r'<li class="item.*?</li>', page, re.DOTALL):
        found = re.search(r'data-ref="(\w+)" data-status="(\w+)"', row)
        assert found is not None
        seen.add(found[2])
        verbs = set(re.findall(rf'(?:href|formaction)="/items/{found[1]}/(\w+)"', row))
        allowed = {verb for verb in ("correct", "forget", "reject") if verb in TABLE[Status(found[2])]}
        assert verbs - {"pin", "unpin"} == allowed
        assert bool(verbs & {"pin", "unpin"}) == (found[2] == "active")
    assert {"active", "needs_review", "stale", "rejected"} <= seen
