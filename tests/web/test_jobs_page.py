"""The panel of jobs: what runs, what ran, what comes by itself, and whether anybody does it."""

import re
from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from pawflow_web.identity.models import User
from pawflow_web.jobs.models import JobRun, WorkerBeat
from pawflow_web.jobs.page import span
from pawflow_web.jobs.services import beat, fail_run, finish_run, open_run, plan_task, report_progress, start_run
from tests.factories import make_owner
from tests.web.beliefs import remember
from tests.web.people import browser_of, htmx, text_of


@pytest.fixture
def browser(lotta: User) -> Client:
    beat("here:/srv/search")
    return browser_of(lotta)


def began(user: User, kind: str = "rebuild") -> JobRun:
    run = open_run(kind, user=user)
    start_run(run)
    return run


def ago(run: JobRun, **span_: float) -> None:
    JobRun.objects.filter(pk=run.pk).update(started_at=timezone.now() - timedelta(**span_))


def test_what_runs_shows_how_far_it_is_and_can_be_cancelled(lotta: User, browser: Client) -> None:
    run, waiting = began(lotta), open_run("rebuild", user=lotta)
    report_progress(run, done=1200, total=2400, current="line 1,200")
    ago(run, seconds=60)
    page = browser.get("/jobs")
    html, text = page.content.decode(), text_of(page)
    assert f'id="job-{run.ref}"' in html
    assert re.search(r"line 1,200 1,200 of 2,400 1 min \d s left", text)
    assert '<progress value="1200" max="2400"' in html
    assert "Waits for its turn" in text
    assert html.count("/cancel") == 4  # two forms, each with and without script
    assert 'hx-trigger="every 2s"' in html
    assert waiting.ref in html


def test_nothing_is_asked_again_while_nothing_runs(lotta: User, browser: Client) -> None:
    finish_run(began(lotta), result={})
    html = browser.get("/jobs").content.decode()
    assert "every 2s" not in html
    assert "Nothing runs and nothing waits for its turn." in html


def test_what_ended_says_how_and_how_long_it_took(lotta: User, browser: Client) -> None:
    done, failed = began(lotta), began(lotta)
    ago(done, minutes=3, seconds=20)
    finish_run(done, result={"items": {"proposed": 619, "duplicates": 0}, "source": "notes of mine", "dry_run": False})
    fail_run(failed, error="The file <b>memory.md</b> cannot be read.")
    page = browser.get("/jobs")
    text = text_of(page)
    assert "proposed 619, duplicates 0" in text
    assert "notes of mine" not in text
    assert "took 3 min 20 s" in text
    assert "&lt;b&gt;memory.md&lt;/b&gt;" in page.content.decode()
    assert f"#{failed.ref}" in text


def test_ended_jobs_go_on_behind_the_newest(lotta: User, browser: Client) -> None:
    refs = []
    for _ in range(25):
        run = began(lotta)
        finish_run(run, result={})
        refs.insert(0, run.ref)
    first = browser.get("/jobs").content.decode()
    more = re.search(r'id="jobs-more".*?href="([^"]+)"', first, re.DOTALL)
    assert more is not None
    url = more[1].replace("&amp;", "&")
    part = browser.get(url, headers=htmx("jobs-more")).content.decode()
    page = browser.get(url).content.decode()
    shown = [re.findall(r'<li class="item[^>]*id="job-(\w+)"', html) for html in (first, part, page)]
    assert shown[0] + shown[1] == refs
    assert shown[2] == shown[1]
    assert "<html" not in part
    assert browser.get("/jobs?cursor=abc").status_code == 422


def test_what_comes_by_itself_stands_there_with_its_time(lotta: User, browser: Client) -> None:
    assert "Nothing is planned yet." in text_of(browser.get("/jobs"))
    plan_task("thin_uses", at=timezone.now() + timedelta(hours=5, minutes=1), user=lotta)
    remember(lotta, "The canary is green.", ttl_days=3)
    plan_task("secret_work_of_bob", at=timezone.now(), user=make_owner("bob"))
    text = text_of(browser.get("/jobs"))
    assert "Records of use older than 90 days are forgotten in 5 h A belief expires in 2 days" in text
    assert "secret" not in text


def test_it_says_who_does_the_work_and_when_nobody_does(lotta: User, browser: Client) -> None:
    text = text_of(browser.get("/jobs"))
    assert "Worker on here alive seen just now" in text
    assert "/srv/search" not in text
    assert "No worker is alive." not in text
    WorkerBeat.objects.update(at=timezone.now() - timedelta(minutes=9, seconds=5))
    text = text_of(browser.get("/jobs"))
    assert "No worker is alive. One was last seen 9 min ago ." in text
    assert "manage.py worker" in text


@pytest.mark.parametrize("script", [False, True])
def test_cancelling_answers_with_what_is_left(lotta: User, browser: Client, script: bool) -> None:
    run, other = open_run("rebuild", user=lotta), began(lotta)
    headers = htmx("jobs-live") if script else {}
    answer = browser.post(f"/jobs/{run.ref}/cancel", headers=headers)
    run.refresh_from_db()
    assert run.state == "cancelled"
    if script:
        html = answer.content.decode()
        assert answer.headers["HX-Trigger"] == "jobs-changed"
        assert html.lstrip().startswith('<section class="stack" id="jobs-live"')
        assert run.ref not in html
        assert other.ref in html
        assert "Rebuild is cancelled." in text_of(answer)
    else:
        assert (answer.status_code, answer.headers["Location"]) == (302, "/jobs")
        assert "Rebuild is cancelled. What it has stored until then stays." in text_of(browser.get("/jobs"))

    asked = browser.post(f"/jobs/{other.ref}/cancel", headers=htmx("jobs-live"))
    assert "Rebuild ends as soon as it can." in text_of(asked)
    assert "It was asked to end." in text_of(asked)
    refused = browser.post(f"/jobs/{run.ref}/cancel", headers=htmx("jobs-live"))
    assert refused.status_code == 409
    assert "can no longer be cancelled" in text_of(refused)


def test_a_later_look_tells_the_list_only_when_something_ended(lotta: User, browser: Client) -> None:
    run = began(lotta)
    html = browser.get("/jobs").content.decode()
    url = re.search(r'id="jobs-live".*?hx-get="([^"]+)"', html, re.DOTALL)
    assert url is not None
    same = browser.get(url[1], headers=htmx("jobs-live"))
    assert "HX-Trigger" not in same.headers
    assert "shell-news" not in same.content.decode()

    finish_run(run, result={})
    ended = browser.get(url[1], headers=htmx("jobs-live"))
    assert ended.headers["HX-Trigger"] == "jobs-changed"
    assert 'id="shell-news"' in ended.content.decode()
    assert "every 2s" not in ended.content.decode()
    listed = browser.get("/jobs", headers=htmx("jobs-ended")).content.decode()
    assert run.ref in listed
    assert listed.lstrip().startswith('<section class="stack" id="jobs-ended"')


def test_jobs_of_others_do_not_exist(lotta: User, browser: Client) -> None:
    theirs, nobodys = began(make_owner("bob")), began(lotta)
    JobRun.objects.filter(pk=nobodys.pk).update(user=None)
    html = browser.get("/jobs").content.decode()
    assert theirs.ref not in html
    assert nobodys.ref not in html
    for run in (theirs, nobodys):
        foreign, never = browser.post(f"/jobs/{run.ref}/cancel"), browser.post("/jobs/0123456789ab/cancel")
        assert (foreign.status_code, never.status_code) == (404, 404)
    assert JobRun.objects.filter(cancel_requested_at=None).count() == 2


def test_the_navigation_counts_what_runs(lotta: User, browser: Client) -> None:
    assert re.search(r'data-nav-count="jobs"\s+hidden', browser.get("/jobs").content.decode())
    began(lotta)
    open_run("rebuild", user=lotta)
    page = browser.get("/jobs").content.decode()
    assert re.search(r'data-nav-count="jobs"\s*>2<span class="vh"> running', page)


@pytest.mark.parametrize("rows", [1, 20])
def test_it_costs_the_same_for_one_and_for_twenty(
    lotta: User, browser: Client, django_assert_num_queries: DjangoAssertNumQueries, rows: int
) -> None:
    for _ in range(rows):
        began(lotta)
        finish_run(began(lotta), result={})
    browser.get("/jobs")
    with django_assert_num_queries(QUERIES):
        browser.get("/jobs")


# session, person, settings; open with now, ended with now, plans and the next expiry, workers with now;
# navigation: waiting, in use, running, seal
QUERIES = 14


def test_it_needs_a_person() -> None:
    assert browser_of().get("/jobs").status_code == 302
    assert browser_of().post("/jobs/0123456789ab/cancel").status_code == 302


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.2, "under a second"),
        (0.6, "1 s"),
        (59, "59 s"),
        (200, "3 min 20 s"),
        (3600, "1 h 0 min"),
        (93_600, "1 d 2 h"),
        (-5, "under a second"),
    ],
)
def test_lengths_are_said_in_two_units(seconds: float, words: str) -> None:
    assert span(timedelta(seconds=seconds)) == words
