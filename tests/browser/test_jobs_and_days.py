"""The panel of jobs while they run, and the pages of another day, as a person sees and walks them."""

from datetime import timedelta

import pytest
from django.utils import timezone
from playwright.sync_api import expect

from pawflow_web.identity.models import User
from pawflow_web.jobs.models import JobRun, WorkerBeat
from pawflow_web.jobs.services import beat, fail_run, finish_run, open_run, plan_task, report_progress, start_run
from review.models import GovernanceItem, ItemUse
from tests.browser.conftest import SCHEMES, WIDTHS, Check, Enter
from tests.browser.watch import Watch
from tests.factories import make_owner
from tests.live import Live
from tests.web.beliefs import fill, remember

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lotta(transactional_db: None) -> User:
    user = make_owner("lotta")
    fill(user, 12)
    return user


def began(user: User, *, minutes: int = 1) -> JobRun:
    run = open_run("rebuild", user=user)
    start_run(run)
    JobRun.objects.filter(pk=run.pk).update(started_at=timezone.now() - timedelta(minutes=minutes))
    run.refresh_from_db()
    return run


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("width", WIDTHS)
def test_they_are_accessible_and_fit(
    enter: Enter, live: Live, lotta: User, watch: Watch, check: Check, width: str, scheme: str
) -> None:
    page = enter(lotta, width=width, scheme=scheme)
    page.goto(f"{live.base}/jobs")
    check(page, f"jobs-empty-{scheme}-{width}")

    beat("study.example:/srv/search")
    beat("attic.example:/srv/search")
    WorkerBeat.objects.filter(node__startswith="attic").update(at=timezone.now() - timedelta(minutes=9))
    plan_task("thin_uses", at=timezone.now() + timedelta(hours=5), user=lotta)
    finish_run(began(lotta, minutes=3), result={"items": {"read": 619, "written": 607, "left out": 12}})
    fail_run(began(lotta), error="memory.jsonl could not be read: line 7 is no JSON. Nothing of it was stored.")
    report_progress(began(lotta), done=1200, total=2400, current="a-file-with-a-long-name/" * 6 + "memory.jsonl")
    open_run("rebuild", user=lotta)
    page.goto(f"{live.base}/jobs")
    check(page, f"jobs-{scheme}-{width}")

    used = GovernanceItem.objects.filter(status="active").latest("pk")
    ItemUse.objects.create(item=used, user=lotta, count=47, last_at=timezone.now())
    page.goto(f"{live.base}/memories")
    check(page, f"memories-used-{scheme}-{width}")
    watch.expect(422)
    for name, path in {
        "then-memories": "/memories?as_of=2035-04-01&known_at=2035-04-03",
        "then-search": "/memories?q=staging&as_of=2035-04-01",
        "then-empty": "/memories?known_at=2020",
        "then-item": f"/items/{used.ref}?as_of=2035-04-01",
        "then-jobs": "/jobs?as_of=2035-04-01",
        "no-such-day": f"/items/{used.ref}?as_of=yesterday",
        "no-such-day-memories": "/memories?as_of=yesterday",
    }.items():
        page.goto(live.base + path)
        check(page, f"{name}-{scheme}-{width}")


def test_a_job_is_followed_without_a_reload_and_can_be_cancelled(enter: Enter, live: Live, lotta: User) -> None:
    run, other = began(lotta), open_run("rebuild", user=lotta)
    page = enter(lotta)
    page.goto(f"{live.base}/jobs")
    page.evaluate("window.same = true")
    running = page.locator(f"#jobs-live #job-{run.ref}")
    report_progress(run, done=612, total=904, current="review/lifecycle.py")
    expect(running).to_contain_text("612 of 904")
    expect(running.get_by_role("progressbar")).to_have_attribute("value", "612")

    page.locator(f"#job-{other.ref}-cancel").focus()
    report_progress(run, done=700, total=904, current="review/ledger.py")
    expect(running).to_contain_text("700 of 904")
    expect(page.locator(f"#job-{other.ref}-cancel")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("#toasts")).to_contain_text("Rebuild is cancelled.")
    expect(page.locator(f"#jobs-ended #job-{other.ref}")).to_contain_text("Cancelled")

    finish_run(run, result={"files": 904})
    expect(page.locator(f"#jobs-ended #job-{run.ref}")).to_contain_text("files 904")
    expect(page.locator("#jobs-live")).to_contain_text("Nothing runs")
    expect(page.locator('.side [data-nav-count="jobs"]')).to_be_hidden()
    assert page.evaluate("window.same")


def test_t_opens_the_day_and_every_way_stays_in_it_until_back_to_now(
    enter: Enter, live: Live, transactional_db: None
) -> None:
    lotta = make_owner("lotta")
    old = remember(lotta, "Lives in Lisbon.", valid_from="2019")
    new = remember(lotta, "Lives in Porto.", valid_from="2024-06-01", supersedes=old.ref)
    page = enter(lotta)
    page.goto(f"{live.base}/memories")
    expect(page.locator("#memories-list .item")).to_have_count(1)
    expect(page.locator("#memories-list")).to_contain_text("Lives in Porto.")

    page.keyboard.press("t")
    expect(page.locator("#day-as_of")).to_be_focused()
    page.locator("#day-as_of").fill("2024-05-31")
    page.keyboard.press("Enter")
    page.wait_for_url("**/memories?as_of=2024-05-31*")
    expect(page.locator("main.then")).to_contain_text("You are looking at 31 May 2024, as it is known now.")
    expect(page.locator("#memories-list")).to_contain_text("Lives in Lisbon.")
    expect(page.locator("main form[method=post]")).to_have_count(0)
    expect(page.locator("#memories-add")).to_have_count(0)

    # Searching in place, opening the row, another panel and back: still that day.
    page.keyboard.press("/")
    page.keyboard.type("lives")
    expect(page.locator("#memories-coverage")).to_contain_text("by words, of that day")
    page.wait_for_url("**as_of=2024-05-31**")
    page.locator("#memories-list .item-link").click()
    expect(page.locator("#memories-detail")).to_contain_text("As it is known now, it held on that day.")
    page.locator("#memories-detail").get_by_text("Everything about this belief").click()
    page.wait_for_url(f"**/items/{old.ref}?as_of=2024-05-31*")
    expect(page.locator("main.then h1")).to_have_text("Lives in Lisbon.")
    expect(page.locator("main")).not_to_contain_text("Reject")
    page.keyboard.press("g")
    page.keyboard.press("m")
    page.wait_for_url("**/memories?as_of=2024-05-31*")

    page.locator("main").get_by_role("link", name="Back to now").click()
    page.wait_for_url("**/memories")
    expect(page.locator("#memories-list .item")).to_have_attribute("data-ref", new.ref)
    expect(page.locator("main.then")).to_have_count(0)


def test_keys_of_decisions_do_nothing_on_another_day(enter: Enter, live: Live, lotta: User) -> None:
    item = GovernanceItem.objects.filter(status="active").latest("pk")
    page = enter(lotta)
    page.goto(f"{live.base}/memories?as_of=2035")
    for key in ("j", "r", "f", "p", "x", "a", "e", "n", "u", "."):
        page.keyboard.press(key)
    page.goto(f"{live.base}/items/{item.ref}?as_of=2035")
    for key in ("r", "f", "p", "a", "e", "u", "."):
        page.keyboard.press(key)
    page.goto(f"{live.base}/memories")
    expect(page.locator("#memories-list")).to_contain_text(item.text)
    item.refresh_from_db()
    assert (item.status, item.pinned, item.revision) == ("active", False, 1)
