"""More than a request waits for: the question, the line above the queue, its end, and the way back."""

import re
import time

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from pawflow_web.identity.models import User
from pawflow_web.jobs.models import JobRun
from review.models import Batch, GovernanceItem
from review.queue.background import work
from tests.factories import make_owner
from tests.web.beliefs import HOSTILE, bring_file, contradict, propose, remember
from tests.web.people import browser_of, htmx, text_of

MANY = 26


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job from 26 on."""
    for module in ("pages.queue.many", "queue.background"):
        monkeypatch.setattr(f"review.{module}.WAIT_MOST", 25)


@pytest.fixture
def lotta(db: None) -> User:
    return make_owner("lotta")


@pytest.fixture
def browser(lotta: User) -> Client:
    return browser_of(lotta)


def field(page: str, name: str) -> str:
    found = re.search(rf'name="{name}" value="([^"]*)"', page)
    assert found is not None, name
    return found[1]


def waiting() -> int:
    return GovernanceItem.objects.filter(status="needs_review").count()


def finish() -> None:
    while work(time.monotonic() + 60):
        pass


def sure(browser: Client, path: str, given: dict[str, str], target: str = "review-list") -> tuple[dict[str, str], str]:
    """The question, and the form as somebody sends it who says yes."""
    question = browser.post(path, given, headers=htmx(target))
    page = question.content.decode()
    names = ("sure", "upto", "question")
    return {**given, **{name: field(page, name) for name in names}}, text_of(question)


def test_all_that_match_are_a_job_with_its_line_and_its_way_back(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"Service {n} is up." for n in range(MANY)])
    propose(lotta, HOSTILE)
    contradict(lotta, "Staging is in Dublin.", "Staging is in Frankfurt.")
    given, question = sure(browser, "/review/bulk", {"verb": "accept", "whole": "on", "reason": "looks fine"})
    assert f"Accept {MANY + 2} beliefs?" in question
    assert "1 is flagged, 1 contradicts something." in question

    answer = browser.post("/review/bulk", given, headers=htmx("review-list"))
    assert answer["HX-Trigger"] == "dialog-close"
    assert f"Accepting {MANY + 2} in the background." in text_of(answer)
    assert 'hx-trigger="every 1s"' in answer.content.decode()
    assert waiting() == MANY + 2
    assert "No worker is alive, so it waits until one is." in text_of(answer)

    finish()
    line = browser.get("/review", headers=htmx("review-many"))
    assert f"{MANY} accepted. 2 not: 1 flagged, 1 in contradiction." in text_of(line)
    assert "every 1s" not in line.content.decode()
    assert f"Undo {MANY}" in text_of(line)
    assert 'data-nav-count="review"' in line.content.decode()
    show = re.search(r'href="(/review\?among=[^"]+)">Show them', line.content.decode())
    assert show is not None
    assert "2 chosen ones" in text_of(browser.get(show[1]))

    undo = re.search(r'action="(/review/batches/\w+/undo)"', line.content.decode())
    assert undo is not None
    back = browser.post(undo[1], headers={**htmx(""), "HX-Current-URL": "http://127.0.0.1/review"})
    assert back["HX-Retarget"] == "#review-list"
    assert f"Taking back {MANY} in the background." in text_of(back)
    finish()
    page = browser.get("/review")
    assert f"{MANY} taken back." in text_of(page)
    assert "review-many-undo" not in page.content.decode()
    assert waiting() == MANY + 2


def test_the_same_form_twice_is_one_job(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"Service {n} is up." for n in range(MANY)])
    given, _question = sure(browser, "/review/bulk", {"verb": "reject", "whole": "on"})
    for _ in range(2):
        assert browser.post("/review/bulk", given).status_code == 302
    finish()
    assert browser.post("/review/bulk", given).status_code == 422
    assert (JobRun.objects.count(), Batch.objects.count(), waiting()) == (1, 1, 0)
    assert f"{MANY} rejected." in text_of(browser.get("/review"))


def test_what_came_after_the_question_stays(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"Service {n} is up." for n in range(MANY)])
    given, _question = sure(browser, "/review/bulk", {"verb": "accept", "whole": "on"})
    later = bring_file(lotta, ["This came later."])[0]
    browser.post("/review/bulk", given)
    finish()
    later.refresh_from_db()
    assert (later.status, waiting()) == ("needs_review", 1)


def test_a_whole_file_of_many(lotta: User, browser: Client) -> None:
    bring_file(lotta, [*(f"Service {n} is up." for n in range(MANY)), HOSTILE])
    page = browser.get("/review").content.decode()
    assert f"Accept these {MANY}" in page
    question = browser.get("/review/file?file=memory.jsonl", headers=htmx("dialog")).content.decode()
    given = {name: field(question, name) for name in ("file", "upto", "question")}
    bring_file(lotta, ["This came later."])
    answer = browser.post("/review/file", given, headers=htmx("review-list"))
    assert f"Accepting {MANY} in the background." in text_of(answer)
    finish()
    assert set(GovernanceItem.objects.waiting().values_list("text", flat=True)) == {HOSTILE, "This came later."}


def test_a_search_is_kept_as_names_and_not_as_words(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"The zanzibar canary {n} is green." for n in range(MANY)])
    propose(lotta, "Service 1 is up.")
    given, question = sure(browser, "/review/bulk?q=zanzibar", {"verb": "accept", "whole": "on"})
    assert f"Accept {MANY} beliefs?" in question
    browser.post("/review/bulk?q=zanzibar", given)
    run = JobRun.objects.get()
    assert "zanzibar" not in str(run.arguments)
    assert len(run.arguments["named"]) == MANY
    finish()
    assert waiting() == 1


def test_many_rows_and_the_list_of_memories(lotta: User, browser: Client) -> None:
    for n in range(MANY):
        remember(lotta, f"Service {n} is up.")
    given, question = sure(
        browser, "/memories/bulk", {"verb": "forget", "whole": "on", "back": "/memories"}, "memories-list"
    )
    assert f"Forget {MANY} beliefs?" in question
    answer = browser.post("/memories/bulk", given, headers=htmx("memories-list"))
    assert f"Forgetting {MANY} in the background." in text_of(answer)
    assert re.search(r'href="/review">See how far it is', answer.content.decode())
    finish()
    assert GovernanceItem.objects.filter(status="stale").count() == MANY
    assert f"{MANY} taken out of use." in text_of(browser.get("/review"))


def test_it_is_cancelled_from_its_line(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"Service {n} is up." for n in range(MANY)])
    given, _question = sure(browser, "/review/bulk", {"verb": "accept", "whole": "on"})
    page = browser.post("/review/bulk", given, headers=htmx("review-list")).content.decode()
    cancel = re.search(r'hx-post="(/review/many/\w+/cancel)"', page)
    assert cancel is not None
    assert browser_of(make_owner("bo")).post(cancel[1]).status_code == 404
    assert browser_of(lotta).get(cancel[1]).status_code == 405
    line = browser.post(cancel[1], headers=htmx("review-many"))
    assert "Cancelled. 0 accepted." in text_of(line)
    assert "review-many-undo" not in line.content.decode()
    # Once more, when it has ended, it only says so.
    assert browser.post(cancel[1]).status_code == 302
    finish()
    assert waiting() == MANY


def test_the_way_back_is_closed_while_it_goes_on(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"Service {n} is up." for n in range(MANY)])
    given, _question = sure(browser, "/review/bulk", {"verb": "accept", "whole": "on"})
    browser.post("/review/bulk", given)
    page = browser.get("/memories").content.decode()
    undo = re.search(r'action="(/review/batches/\w+/undo)"', page)
    assert undo is not None
    refused = browser.post(undo[1])
    assert refused.status_code == 409
    assert "A job is still at these decisions." in text_of(refused)
    finish()
    assert browser.post(undo[1]).status_code == 302
    finish()
    assert waiting() == MANY


def test_another_person_sees_no_line(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"Service {n} is up." for n in range(MANY)])
    given, _question = sure(browser, "/review/bulk", {"verb": "accept", "whole": "on"})
    browser.post("/review/bulk", given)
    assert "review-many" in browser.get("/review").content.decode()
    assert "review-many" not in browser_of(make_owner("bo")).get("/review").content.decode()


def test_the_list_of_jobs_tells_it_in_words(lotta: User, browser: Client) -> None:
    bring_file(lotta, [f"Service {n} is up." for n in range(MANY)])
    given, _question = sure(browser, "/review/bulk", {"verb": "accept", "whole": "on"})
    browser.post("/review/bulk", given)
    finish()
    assert f"A decision over many {MANY} accepted." in text_of(browser.get("/jobs"))
    job = browser.get("/api/v1/jobs").json()["items"][0]
    assert (job["kind"], job["state"], job["result"]["done"]) == ("review_bulk", "done", MANY)


def test_a_line_costs_three_statements_and_none_costs_none(lotta: User, browser: Client) -> None:
    def asked() -> int:
        with CaptureQueriesContext(connection) as queries:
            browser.get("/review")
        return len(queries)

    bring_file(lotta, [f"Service {n} is up." for n in range(MANY)])
    before = asked()
    given, _question = sure(browser, "/review/bulk", {"verb": "accept", "whole": "on", "reason": ""})
    browser.post("/review/bulk", given)
    assert asked() <= before + 3
