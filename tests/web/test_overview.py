"""The Overview: what can be trusted, what needs the person, what happened since they last looked."""

import re
from datetime import timedelta
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory.notes.find import recall_notes
from pawflow_web.identity.models import ApiToken, User, UserClock, UserSettings
from pawflow_web.jobs.models import JobRun, WorkerBeat
from pawflow_web.jobs.services import open_run
from pawflow_web.jobs.services.beats import beat
from review.lifecycle import accept, edit, end, forget, reject
from review.models import GovernanceItem, Privacy
from review.readership.use import flush, record
from tests.factories import AUTOMATION, GITHUB_TOKEN, make_owner, make_person, make_principal, make_token
from tests.review.beliefs import age
from tests.web.beliefs import HOSTILE, bring_file, contradict, fill, propose, remember
from tests.web.people import browser_of, htmx, rows, text_of


def feed_of(page: Any) -> list[str]:
    """The lines of the feed, without their times and the way to older ones."""
    html = page.content.decode()
    feed = html[html.index('class="feed') :]
    found = re.findall(r"<li>\s*<time.*?</time>(.*?)</li>", feed[: feed.index("</ol>")], re.DOTALL)
    return [" ".join(re.sub(r"<[^>]+>", " ", line).split()) for line in found]


def older_of(page: Any) -> str:
    found = re.search(r'href="(/overview/news\?before=\d+)"', page.content.decode())
    return found[1] if found else ""


def came_back(user: User) -> None:
    """The visit before ended at this moment, and another has begun."""
    now = timezone.now()
    UserSettings.objects.filter(user=user).update(last_looked_at=now, looked_until=now)


# --- the sentence ---------------------------------------------------------------------------------------------


def test_the_sentence_counts_what_agents_can_use_and_what_waits(lotta: User, browser: Client) -> None:
    remember(lotta, "The canary is green.")
    assert "Your agents can use 1 belief . Nothing waits for you." in text_of(browser.get("/"))
    contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    propose(lotta, HOSTILE)
    shown = text_of(browser.get("/"))
    assert "Your agents can use 2 beliefs . 2 wait for you , and 1 of those contradicts something in use." in shown
    assert "Review 2, about 1 min" in shown
    assert "Contradictions 1" in shown
    assert "Flagged 1" in shown


def test_what_no_agent_may_read_is_not_counted_as_usable(lotta: User, browser: Client) -> None:
    for number in range(3):
        remember(lotta, f"Service {number} is up.")
    items = list(GovernanceItem.objects.filter(user=lotta).order_by("pk"))
    assert "can use 3 beliefs" in text_of(browser.get("/"))
    forget(principal=make_person(lotta), reference=items[0].ref)
    remember(lotta, f"The deploy token is {GITHUB_TOKEN} for now.")
    assert "can use 2 beliefs" in text_of(browser.get("/"))
    GovernanceItem.objects.filter(pk=items[1].pk).update(privacy=Privacy.SENSITIVE)
    assert "can use 1 belief " in text_of(browser.get("/"))
    agent = make_principal(lotta, agent="nurse")
    lotta.agents.filter(name="nurse").update(reads_sensitive=True)
    assert "can use 2 beliefs" in text_of(browser.get("/"))
    assert agent.agent_name == "nurse"


def test_somebody_elses_beliefs_jobs_and_wishes_count_for_nothing(lotta: User, browser: Client) -> None:
    remember(lotta, "The canary is green.")
    before = text_of(browser.get("/"))
    mallory = make_owner("mallory")
    fill(mallory, 8)
    open_run("import", user=mallory)
    kept = remember(mallory, "Old habit.")
    forget(principal=make_principal(mallory, agent="ci-bot", origin=AUTOMATION), reference=kept.ref)
    assert text_of(browser.get("/")) == before


def test_an_archive_request_waits_too(lotta: User, browser: Client) -> None:
    kept = remember(lotta, "Old habit.")
    assert "Archive requests" not in text_of(browser.get("/"))
    forget(principal=make_principal(lotta, agent="ci-bot", origin=AUTOMATION), reference=kept.ref)
    assert "Archive requests 1" in text_of(browser.get("/"))


# --- the first day --------------------------------------------------------------------------------------------


def test_an_empty_memory_asks_what_the_agent_already_believes(lotta: User, browser: Client) -> None:
    page = browser.get("/")
    assert "Nothing here yet. What does your agent already believe?" in text_of(page)
    assert "Connect an agent" in text_of(page)
    remember(lotta, "The canary is green.")
    assert "Nothing here yet" not in text_of(browser.get("/"))


def test_setting_up_ticks_itself_and_goes_when_it_is_done(lotta: User, browser: Client) -> None:
    waiting = propose(lotta, "The canary is green.")
    ApiToken.objects.update(last_used_at=None)
    shown = text_of(browser.get("/"))
    assert "Finish setting up Dismiss Connect an agent done: Bring what you have 1 belief Decide over a belief" in shown
    make_principal(lotta, agent="coder")
    assert "done: Connect an agent coder called just now" in text_of(browser.get("/"))
    accept(principal=make_person(lotta), reference=waiting.ref)
    assert "Finish setting up" not in text_of(browser.get("/"))
    assert UserSettings.objects.get(user=lotta).setup_closed_at is not None


def test_setting_up_can_be_dismissed(lotta: User, browser: Client) -> None:
    remember(lotta, "The canary is green.")
    assert "Finish setting up" in text_of(browser.get("/"))
    assert browser.get("/overview/setup").status_code == 405
    assert browser.post("/overview/setup")["Location"] == "/"
    assert "Finish setting up" not in text_of(browser.get("/"))


# --- what happened --------------------------------------------------------------------------------------------


def test_the_feed_begins_where_the_last_visit_ended(lotta: User, browser: Client) -> None:
    remember(lotta, "The canary is green.")
    first = browser.get("/")
    assert "What happened" in text_of(first)
    assert feed_of(first) == ["You brought The canary is green."]
    came_back(lotta)
    second = browser.get("/")
    assert "Since just now" in text_of(second)
    assert "Nothing since you last looked." in text_of(second)
    assert feed_of(second) == []
    assert feed_of(browser.get(older_of(second))) == ["You brought The canary is green."]
    propose(lotta, "The canary is yellow.")
    assert feed_of(browser.get("/")) == ["ci-bot brought The canary is yellow."]
    assert feed_of(browser.get(older_of(browser.get("/")))) == ["You brought The canary is green."]


def test_a_secret_stays_masked_in_the_feed(lotta: User, browser: Client) -> None:
    remember(lotta, f"The deploy token is {GITHUB_TOKEN} for now.")
    page = browser.get("/")
    assert feed_of(page) == ["You brought ••••"]
    assert "ghp_" not in page.content.decode()


def test_older_lines_come_by_a_key_until_there_are_none(lotta: User, browser: Client) -> None:
    for number in range(30):
        item = propose(lotta, f"Service {number} is up.")
        reject(principal=make_person(lotta), reference=item.ref)
    page = browser.get("/")
    seen = feed_of(page)
    assert len(seen) == 12
    while url := older_of(page):
        page = browser.get(url)
        seen += feed_of(page)
    assert len(seen) == 60
    assert seen[0] == "You rejected Service 29 is up."
    assert seen[-1] == "ci-bot brought Service 0 is up."
    assert len(set(seen)) == 60
    assert "<html" not in browser.get("/overview/news?before=9", headers=htmx("x")).content.decode()


@pytest.mark.parametrize("before", ["", "0", "-3", "x", "9" * 30, "99999999"])
def test_a_bad_key_shows_the_beginning_or_nothing(lotta: User, browser: Client, before: str) -> None:
    remember(lotta, "The canary is green.")
    assert browser.get("/overview/news", {"before": before}).status_code == 200


# --- jobs, use, health ----------------------------------------------------------------------------------------


def test_what_runs_is_shown_with_its_progress(lotta: User, browser: Client) -> None:
    remember(lotta, "The canary is green.")
    assert "<progress" not in browser.get("/").content.decode()
    run = open_run("import", user=lotta)
    JobRun.objects.filter(pk=run.pk).update(state="running", started_at=timezone.now(), done=612, total=904)
    page = browser.get("/")
    assert "612 of 904" in text_of(page)
    assert '<progress value="612" max="904"' in page.content.decode()


def test_what_agents_used_comes_by_itself(lotta: User, browser: Client) -> None:
    remember(lotta, "The canary is green.")
    assert 'hx-get="/overview/at-work" hx-trigger="load"' in browser.get("/").content.decode()
    assert "No agent was shown any since yesterday." in text_of(browser.get("/overview/at-work"))
    from review.readership import use

    coder = make_principal(lotta, agent="coder")
    for _ in range(2):
        found = recall_notes(principal=coder, query="canary", limit=5)
        use.record(coder, "recall", [hit.item for hit in found.hits])
    use.flush()
    part = browser.get("/overview/at-work", headers=htmx("overview-at-work"))
    assert "The canary is green. 2 times" in text_of(part)
    assert "<html" not in part.content.decode()


def test_health_is_quiet_when_all_is_well_and_first_when_it_is_not(lotta: User, browser: Client) -> None:
    remember(lotta, "The canary is green.")
    beat("here")
    shown = text_of(browser.get("/"))
    assert "Health Worker at work Search index up to date" in shown
    assert "Journal Journal intact, 1 entry, checked just now" in shown
    assert shown.index("Waiting for you") < shown.index("Health")
    WorkerBeat.objects.update(at=timezone.now() - timedelta(minutes=5))
    shown = text_of(browser.get("/"))
    assert "Worker last seen 5 min ago: imports, sweeps and the index wait .venv/bin/python manage.py worker" in shown
    assert shown.index("Health") < shown.index("Waiting for you")
    WorkerBeat.objects.all().delete()
    assert "Worker none is running" in text_of(browser.get("/"))


def test_a_broken_journal_comes_before_all_else_with_what_to_do(lotta: User, browser: Client) -> None:
    remember(lotta, "The canary is green.")
    beat("here")
    UserClock.objects.filter(user=lotta).update(head="f" * 64)
    shown = text_of(browser.get("/"))
    assert "Health Journal Journal broken at entry 1" in shown
    assert ".venv/bin/python manage.py verify_journal --owner lotta" in shown


# --- what it costs --------------------------------------------------------------------------------------------


def test_more_beliefs_cost_no_more_statements(lotta: User, browser: Client) -> None:
    beat("here")
    make_token(lotta)
    remember(lotta, "The canary is green.")
    browser.get("/")
    with CaptureQueriesContext(connection) as few:
        browser.get("/")
    fill(lotta, 50)
    bring_file(lotta, [f"Service {number} belongs to a team." for number in range(50)])
    browser.get("/")
    with CaptureQueriesContext(connection) as many:
        page = browser.get("/")
    assert len(many) <= len(few)
    assert len(many) <= 15, [query["sql"][:100] for query in many]
    assert len(page.content) <= 60_000
    with CaptureQueriesContext(connection) as part:
        browser.get("/overview/at-work", headers=htmx("overview-at-work"))
    assert len(part) <= 7


@pytest.mark.parametrize("path", ["/", "/overview/news", "/overview/at-work", "/find", "/menu"])
def test_only_a_person_gets_there(db: None, path: str) -> None:
    assert browser_of().get(path)["Location"] == f"/login?next={path}"


def test_the_numbers_lead_to_what_they_count(lotta: User, browser: Client) -> None:
    person = make_person(lotta)
    kept, long, old, gone, private = (
        remember(lotta, words)
        for words in ("Likes bread.", "Likes rye.", "Likes spelt.", "Likes oats.", "Likes wheat.")
    )
    ahead = timezone.now() + timedelta(days=400)
    end(principal=person, reference=gone.ref, ended_at=timezone.now() - timedelta(days=1), precision="instant")
    end(principal=person, reference=long.ref, ended_at=ahead, precision="instant")
    edit(principal=person, reference=private.ref, revision=private.revision, changes={"privacy": "sensitive"})
    record(make_principal(lotta, agent="coder"), "recall", [long])
    flush()
    age(old, 100), age(long, 100)

    shown = browser.get("/").content.decode()
    usable = re.search(r'Your agents can use <a href="([^"]+)">(\d+) beliefs', shown)
    assert usable is not None
    assert usable[2] == "3"
    assert set(rows(browser.get(usable[1].replace("&amp;", "&")).content.decode())) == {kept.ref, long.ref, old.ref}

    card = browser.get("/overview/at-work", headers=htmx("overview-at-work")).content.decode()
    unused = re.search(r'<a class="hint" href="([^"]+)">\s*(\d+) not used for 90 days', card)
    assert unused is not None
    assert unused[2] == "1"
    assert rows(browser.get(unused[1].replace("&amp;", "&")).content.decode()) == [old.ref]
