"""Another day on the pages: which it is, what was there, every link staying in it, and nothing that writes."""

import re
from datetime import datetime

import pytest
from django.http import HttpResponseRedirect
from django.test import Client, RequestFactory
from django.utils import timezone

from pawflow_web.identity.models import User, UserSettings
from pawflow_web.web.time_travel import time_travel
from review.lifecycle import accept, forget, reject
from review.models import GovernanceItem
from tests.factories import make_person
from tests.web.beliefs import fill, propose, remember
from tests.web.people import htmx, rows, text_of


def listed(browser: Client, query: str) -> list[str]:
    answer = browser.get(f"/memories{query}")
    assert answer.status_code == 200, text_of(answer)
    return rows(answer.content.decode())


def stamp(moment: datetime) -> str:
    return moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def main_of(page: str) -> str:
    return page[page.index("<main") : page.index("</main>")]


# --- the line on top ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("as_of=2025-04-01", "You are looking at 1 April 2025, as it is known now."),
        ("as_of=2025-04", "You are looking at the last day of April 2025, as it is known now."),
        ("as_of=2025", "You are looking at the last day of 2025, as it is known now."),
        ("as_of=2025-04-01T10:00:00Z", "You are looking at 1 April 2025, 12:00:00 CEST, as it is known now."),
        ("as_of=1743501600", "You are looking at 1 April 2025, 12:00:00 CEST, as it is known now."),
        ("known_at=2025-04-03", "You are looking at now, as it was known on 3 April 2025."),
        (
            "as_of=2025-04-01&known_at=2025-04-03",
            "You are looking at 1 April 2025, as it was known on 3 April 2025.",
        ),
    ],
)
def test_it_says_the_day_in_words_in_the_persons_zone(lotta: User, browser: Client, query: str, sentence: str) -> None:
    UserSettings.objects.filter(user=lotta).update(time_zone="Europe/Berlin")
    item = remember(lotta, "The canary is green.")
    for path in ("/memories", f"/items/{item.ref}"):
        page = browser.get(f"{path}?{query}")
        assert f"{sentence} Nothing can be changed from here. Back to now" in text_of(page)
        assert '<main class="main then"' in page.content.decode()
        assert f'<a href="{path}" data-now>Back to now</a>' in page.content.decode()
    for path in ("/memories", f"/items/{item.ref}"):
        page = browser.get(path)
        assert "You are looking at" not in text_of(page)
        assert '<main class="main"' in page.content.decode()


def test_back_to_now_keeps_what_else_was_asked(lotta: User, browser: Client) -> None:
    page = browser.get("/memories?q=canary&as_of=2025-04-01&tag=a&tag=b").content.decode()
    assert '<a href="/memories?q=canary&amp;tag=a&amp;tag=b" data-now>Back to now</a>' in page


def test_a_page_without_a_past_says_that_it_shows_now(lotta: User, browser: Client) -> None:
    for path in ("/jobs", "/settings", "/review", "/menu"):
        page = browser.get(f"{path}?as_of=2025-04-01")
        assert page.status_code == 200
        assert "This page has no past: what stands here is now. Nothing can be changed from here." in text_of(page)


# --- what was there -----------------------------------------------------------------------------------------------


def test_the_list_shows_what_was_true_on_the_day(lotta: User, browser: Client) -> None:
    old = remember(lotta, "Lives in Lisbon.", valid_from="2019")
    new = remember(lotta, "Lives in Porto.", valid_from="2024-06-01", supersedes=old.ref)
    assert listed(browser, "") == [new.ref]
    assert listed(browser, "?as_of=2024-05-31") == [old.ref]
    assert listed(browser, "?as_of=2024-06-01") == [new.ref]
    assert listed(browser, "?as_of=2018") == []
    assert "1 belief of that day" in text_of(browser.get("/memories?as_of=2024-05-31"))


def test_the_list_shows_what_was_known_on_the_day(lotta: User, browser: Client) -> None:
    old = remember(lotta, "Lives in Lisbon.")
    then = timezone.now()
    new = remember(lotta, "Lives in Porto.", supersedes=old.ref)
    assert listed(browser, f"?known_at={stamp(then)}") == [old.ref]
    assert listed(browser, f"?known_at={stamp(timezone.now())}") == [new.ref]
    assert listed(browser, f"?known_at={stamp(then)}&q=lives") == [old.ref]


def test_a_person_sees_what_became_of_it_since_when_they_ask_for_a_status(lotta: User, browser: Client) -> None:
    person = make_person(lotta)
    kept, dropped, denied = (remember(lotta, f"Service {name} is up.") for name in ("a", "b", "c"))
    waits = propose(lotta, "Service d is up.")
    then = timezone.now()
    forget(principal=person, reference=dropped.ref)
    reject(principal=person, reference=denied.ref)
    accept(principal=person, reference=waits.ref)
    day = f"known_at={stamp(then)}"

    assert listed(browser, f"?{day}") == [kept.ref], "what recall would say: nothing that was taken back since"
    assert listed(browser, f"?{day}&status=any") == [denied.ref, dropped.ref, kept.ref]
    assert listed(browser, f"?{day}&status=rejected") == [denied.ref]
    assert listed(browser, f"?{day}&status=any&q=service") == sorted(
        [denied.ref, dropped.ref, kept.ref], key=lambda ref: -GovernanceItem.objects.get(ref=ref).pk
    )


def test_before_the_journal_began_nothing_was_known_and_it_says_so(lotta: User, browser: Client) -> None:
    assert "Nothing was known here on that day, and nothing is yet." in text_of(browser.get("/memories?known_at=2020"))
    remember(lotta, "Lives in Lisbon.", valid_from="2019")
    page = browser.get("/memories?known_at=2020")
    assert rows(page.content.decode()) == []
    began = timezone.now().strftime("%-d %B %Y")
    assert f"Nothing was known here on that day: the journal begins on {began}" in text_of(page)
    only_world = text_of(browser.get("/memories?as_of=2018"))
    assert "the journal begins" not in only_world
    assert "Only what was in use on that day" in only_world


@pytest.mark.parametrize("name", ["as_of", "known_at"])
@pytest.mark.parametrize("value", ["yesterday", "2025-13", "2025-04-01T10:00:00", "20250401", "-1"])
def test_a_day_that_is_none_is_told_and_kept(lotta: User, browser: Client, name: str, value: str) -> None:
    item = remember(lotta, "The canary is green.")
    for path in ("/memories", f"/items/{item.ref}", "/jobs", "/review"):
        page = browser.get(f"{path}?{name}={value}")
        html, text = page.content.decode(), text_of(page)
        assert page.status_code == 422
        assert f"“{value}” names no day and no moment." in text
        assert f'type="text" name="{name}"' in html.replace("\n", " ")
        assert f'value="{value}"' in html
        assert "The canary is green." not in text
    part = browser.get(f"/memories?{name}={value}", headers=htmx("memories-list"))
    assert part.status_code == 422
    assert "Nothing was searched." in text_of(part)


def test_a_belief_tells_whether_agents_could_read_it_on_the_day(lotta: User, browser: Client) -> None:
    before = timezone.now()
    old = remember(lotta, "Lives in Lisbon.", valid_from="2019")
    waits = propose(lotta, "Service d is up.")
    between = timezone.now()
    remember(lotta, "Lives in Porto.", valid_from="2024-06-01", supersedes=old.ref)
    accept(principal=make_person(lotta), reference=waits.ref)
    for item, query, sentence in (
        (old, "as_of=2024-05-31", "As it is known now, it held on that day."),
        (old, "as_of=2024-06-01", "As it is known now, it did not hold on that day."),
        (old, f"known_at={stamp(before)}", "It was not known here yet: it came on"),
        (old, f"known_at={stamp(between)}", "Your agents could read it then."),
        (old, f"known_at={stamp(between)}&as_of=2018", "It was in use here then, but for another time than that day."),
        (old, f"known_at={stamp(timezone.now())}", "It was in use here then, but for another time than that day."),
        (waits, f"known_at={stamp(between)}", "It was known here, but no agent could read it then."),
        (waits, f"known_at={stamp(timezone.now())}", "Your agents could read it then."),
    ):
        page = browser.get(f"/items/{item.ref}?{query}")
        assert sentence in text_of(page), (query, text_of(page))
    reject(principal=make_person(lotta), reference=old.ref)
    told = text_of(browser.get(f"/items/{old.ref}?as_of=2024-05-31"))
    assert "No agent may read it now, so none is told of it for that day either." in told


def test_a_belief_of_another_day_hides_what_came_later(lotta: User, browser: Client) -> None:
    old = remember(lotta, "Lives in Lisbon.", valid_from="2019")
    then = stamp(timezone.now())
    new = remember(lotta, "Lives in Porto.", valid_from="2024-06-01", supersedes=old.ref)
    now, day = browser.get(f"/items/{old.ref}"), browser.get(f"/items/{old.ref}?known_at={then}")
    assert "Lives in Porto." in text_of(now)
    assert "True until" in text_of(now)
    for later in ("Lives in Porto.", "True until", "Replaced by", new.ref, "Who reads it", "Reject"):
        assert later not in text_of(day), later


# --- nothing writes -----------------------------------------------------------------------------------------------


def test_nothing_on_a_page_of_another_day_writes(lotta: User, browser: Client) -> None:
    fill(lotta)
    item = GovernanceItem.objects.filter(status="active").earliest("pk")
    pages = (
        "/memories?status=any&as_of=2035",
        f"/items/{item.ref}?as_of=2035",
        "/review?as_of=2035",
        "/jobs?as_of=2035",
    )
    for path in pages:
        html = browser.get(path).content.decode()
        actions = re.findall(r'<form[^>]*method="post"[^>]*action="([^"]*)"', html)
        assert set(actions) <= {"/logout"}, path
        assert re.findall(r"hx-post|hx-delete|formaction", html) == [], path
        now = browser.get(path.partition("?")[0]).content.decode()
        assert 'method="post"' in main_of(now) or path.startswith("/jobs"), "the control: now it does"
    html = main_of(browser.get("/memories?as_of=2035").content.decode())
    assert 'type="checkbox"' not in html
    assert "memories-add" not in html


def test_a_write_that_names_another_day_is_refused_by_the_server(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    before = GovernanceItem.objects.filter(pk=item.pk).values().get()
    for path, data in (
        ("/memories", {"text": "Tabs."}),
        ("/memories/bulk", {"ref": f"{item.ref}:1", "verb": "reject"}),
        (f"/items/{item.ref}/act/forget", {}),
        ("/settings/tokens", {"agent": "coder", "abilities": ["read"]}),
    ):
        for query in ("as_of=2025-04-01", "known_at=2025", "as_of=yesterday"):
            for headers in ({}, htmx("memories-list")):
                refused = browser.post(f"{path}?{query}", data, headers=headers)
                assert refused.status_code == 409, (path, query)
                assert "Nothing can be changed from another day." in text_of(refused)
    assert GovernanceItem.objects.filter(pk=item.pk).values().get() == before
    assert GovernanceItem.objects.count() == 1
    assert browser.post("/memories?as_of=", {"text": "Tabs."}).status_code == 302, "the control: now it is stored"


def test_signing_out_is_possible_on_any_day(lotta: User, browser: Client) -> None:
    assert 'action="/logout"' in browser.get("/memories?as_of=2025").content.decode()
    assert browser.post("/logout?as_of=2025").status_code == 302


# --- every link stays ---------------------------------------------------------------------------------------------


def test_every_link_stays_in_the_day(lotta: User, browser: Client) -> None:
    for number in range(25):
        remember(lotta, f"Service {number} is up.", tags=["up"])
    item = GovernanceItem.objects.latest("pk")
    day = "as_of=2035-04-01&known_at=2036"
    for path in (f"/memories?{day}", f"/memories?tag=up&{day}", f"/items/{item.ref}?{day}", f"/jobs?{day}"):
        html = browser.get(path).content.decode()
        links = re.findall(r'<a ([^>]*href="/[^"]*"[^>]*)>', html) + re.findall(
            r'<\w+ ([^>]*hx-get="/[^"]*"[^>]*)>', html
        )
        assert len(links) > 5
        lost = [
            link
            for link in links
            if "data-now" not in link and "data-own-time" not in link
            for url in re.findall(r'(?:href|hx-get)="(/[^"]*)"', link)
            if not ("as_of=2035-04-01" in url and "known_at=2036" in url) and not url.startswith(("/admin", "/api"))
        ]
        assert lost == [], path


def test_the_next_page_and_a_detail_are_of_the_same_day(lotta: User, browser: Client) -> None:
    refs = [remember(lotta, f"Service {number} is up.").ref for number in range(25)][::-1]
    then = stamp(timezone.now())
    remember(lotta, "Service 26 is up.")
    first = browser.get(f"/memories?known_at={then}").content.decode()
    more = re.search(r'id="memories-more".*?href="([^"]+)"', first, re.DOTALL)
    assert more is not None
    part = browser.get(more[1].replace("&amp;", "&"), headers=htmx("memories-more")).content.decode()
    assert rows(first) + rows(part) == refs
    assert "hx-post" not in part
    detail = browser.get(f"/items/{refs[0]}?known_at={then}", headers=htmx("memories-detail")).content.decode()
    assert "<form" not in detail
    assert "known_at=" in detail


def test_a_search_form_carries_the_day_and_a_chip_leads_out_of_it(lotta: User, browser: Client) -> None:
    html = browser.get("/memories?as_of=2025-04-01&known_at=2025-05").content.decode()
    assert html.count('name="as_of"') == 2  # the shell's field and the filter's own
    assert '<a class="chip" href="/memories?known_at=2025-05" data-now>True on: 2025-04-01' in html
    assert '<a class="chip" href="/memories?as_of=2025-04-01" data-now>As known on: 2025-05' in html
    jobs = browser.get("/find?as_of=2025-04-01").content.decode()
    assert '<input type="hidden" name="as_of" value="2025-04-01">' in jobs


def test_a_way_on_keeps_the_day(rf: RequestFactory, lotta: User) -> None:
    request = rf.get("/memories?as_of=2025")
    request.user = lotta
    for location, kept in (
        ("/items/aaaaaaaaaaaa", "/items/aaaaaaaaaaaa?as_of=2025"),
        ("/login?next=/memories", "/login?next=/memories"),
        ("https://example.org/", "https://example.org/"),
    ):
        answer = time_travel(lambda _request, location=location: HttpResponseRedirect(location))(request)
        assert answer["Location"] == kept
