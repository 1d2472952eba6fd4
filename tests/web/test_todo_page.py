"""The to-do panel: whose list is looked at, what its rows say, and what a person changes."""

import re

import pytest
from django.db import connection
from django.http import HttpResponse
from django.test import Client
from django.test.utils import CaptureQueriesContext

from memory.desk.places import Place
from memory.models import TodoTask
from memory.todo.services import TaskWords, create_task, update_task
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from tests.factories import GITHUB_TOKEN, make_conversation, make_owner, make_person, make_principal
from tests.memory.notes import within
from tests.web.beliefs import HOSTILE
from tests.web.people import at, browser_of, field, htmx, text_of

OWN = "/todo?agent=coder&conversation="


@pytest.fixture
def coder(lotta: User) -> Principal:
    return make_principal(lotta, agent="coder")


def add(principal: Principal, subject: str = "Write the notes", **more: object) -> TodoTask:
    return create_task(place=Place.of(principal), given=TaskWords(subject=subject, **more))[0]  # type: ignore[arg-type]


def subjects(answer: HttpResponse) -> list[str]:
    """Of the rows of a list, in their order."""
    links = re.findall(r'id="todo-\w{12}-link"[^>]*>([^<]*)<', answer.content.decode(), re.DOTALL)
    return [link.strip() for link in links]


def url(task: TodoTask, more: str = "") -> str:
    return f"/todo/td_{task.ref}{more}"


# --- lists --------------------------------------------------------------------------------------------------------


def test_the_list_that_was_changed_last_opens_and_others_are_chosen(
    browser: Client, lotta: User, coder: Principal
) -> None:
    talk = make_conversation(lotta, title="Release 2.4")
    add(make_person(lotta), "Mine"), add(coder, "Own"), add(within(coder, talk), "Inside")
    page = browser.get("/todo")
    assert subjects(page) == ["Inside"]
    assert '<option value="coder" selected>' in page.content.decode()
    assert f'<option value="{talk.ref}" selected>Release 2.4</option>' in page.content.decode()
    assert subjects(browser.get(OWN)) == ["Own"]
    assert subjects(browser.get("/todo?agent=")) == ["Mine"]
    assert subjects(browser.get(f"/todo?agent=coder&conversation={talk.ref}")) == ["Inside"]
    assert subjects(browser.get(f"/todo?agent=&conversation={talk.ref}")) == []
    for query in ("agent=nobody", "agent=coder&conversation=0123456789ab"):
        assert browser.get(f"/todo?{query}").status_code == 404


def test_what_is_open_stands_there_unless_another_status_is_chosen(browser: Client, coder: Principal) -> None:
    add(coder, "Done", status="completed"), add(coder, "Begun", status="in_progress"), add(coder, "Later")
    page = browser.get(OWN)
    assert subjects(page) == ["Later", "Begun"]
    assert "3 tasks: 1 in progress, 1 to do, 1 done" in text_of(page)
    for status, found in (("completed", ["Done"]), ("pending", ["Later"]), ("any", ["Later", "Begun", "Done"])):
        assert subjects(browser.get(f"{OWN}&status={status}")) == found
    assert subjects(browser.get(f"{OWN}&q=BEGU")) == ["Begun"]
    assert "Nothing matches “quagga”" in text_of(browser.get(f"{OWN}&q=quagga"))
    assert "Nothing of this status" in text_of(browser.get(f"{OWN}&q=done"))
    part = browser.get(f"{OWN}&q=later", headers=htmx("todo-list")).content.decode()
    assert part.lstrip().startswith('<div class="stack" id="todo-list"')
    assert 'id="todo-coverage" hx-swap-oob="true"' in part
    assert 'id="todo-place" hx-swap-oob="true"' in part


def test_a_long_list_goes_on(browser: Client, coder: Principal) -> None:
    for number in range(30):
        add(coder, f"Task {number}")
    first = browser.get(OWN)
    more = re.search(r'<li class="more-rows".*?href="([^"]+)"', first.content.decode(), re.DOTALL)
    assert more is not None
    part = browser.get(more[1].replace("&amp;", "&"), headers=htmx("todo-more"))
    assert part.content.decode().lstrip().startswith("<li")
    assert subjects(first) + subjects(part) == [f"Task {number}" for number in range(29, -1, -1)]


def test_an_empty_panel_says_what_it_is_for(browser: Client) -> None:
    page = text_of(browser.get("/todo"))
    assert "Nothing to do" in page
    assert "An agent's working list" in page
    assert "Connect an agent" in page


def test_a_row_says_what_it_waits_for_and_what_was_found(browser: Client, coder: Principal) -> None:
    first = add(coder, "First <b>of</b> all", owner="coder", description="Two words.")
    second = add(coder, "Second", blocked_by=[f"td_{first.ref}"])
    add(coder, HOSTILE, description=f"with {GITHUB_TOKEN}")
    page = browser.get(OWN)
    text = text_of(page)
    assert "waits for First &lt;b&gt;of&lt;/b&gt; all" in text
    assert "What is to be done: this reads like an instruction to the agent" in text
    assert "No context shows it." in text
    assert "Details: a secret was taken out (GitHub token)." in text
    assert GITHUB_TOKEN not in page.content.decode()
    update_task(task=first, given=TaskWords(status="completed"))
    assert "waits for" not in text_of(browser.get(OWN))
    assert "First" in text_of(browser.get(url(second)))


def test_more_rows_cost_no_more_statements(browser: Client, coder: Principal) -> None:
    counts = []
    for _ in range(2):
        for number in range(10):
            first = add(coder, f"Task {number}")
            add(coder, f"After {number}", blocked_by=[f"td_{first.ref}"])
        with CaptureQueriesContext(connection) as asked:
            assert browser.get("/todo").status_code == 200
        counts.append(len(asked))
    assert counts[0] == counts[1] <= 15


# --- changes ------------------------------------------------------------------------------------------------------


def test_a_person_adds_to_a_list(browser: Client, lotta: User, coder: Principal) -> None:
    talk = make_conversation(lotta)
    form = {"subject": "Call the client", "description": "", "owner": "", "agent": "coder", "conversation": talk.ref}
    added = browser.post("/todo", form)
    assert (added.status_code, added["Location"]) == (302, f"/todo?agent=coder&conversation={talk.ref}")
    task = TodoTask.objects.get()
    assert task.place == Place(lotta.pk, coder.agent_id, talk.pk)
    part = browser.post("/todo", {**form, "agent": "", "conversation": ""}, headers=htmx("todo-add"))
    assert (part.status_code, part["HX-Trigger"]) == (201, "items-changed")
    assert TodoTask.objects.in_list(Place(lotta.pk)).count() == 1


@pytest.mark.parametrize("script", [False, True])
def test_what_was_typed_is_kept_when_it_is_refused(browser: Client, coder: Principal, script: bool) -> None:
    form = {"subject": "\u200b", "description": "Tabs & spaces.", "agent": "coder", "conversation": ""}
    answer = browser.post("/todo", form, headers=htmx("todo-add") if script else {})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "Tabs &amp; spaces." in page
    assert 'id="todo-add" open' in page
    assert ("<html" in page) is not script
    assert not TodoTask.objects.exists()


def test_a_row_is_ticked_off_begun_and_taken_back(browser: Client, coder: Principal) -> None:
    task = add(coder)
    for to, said in (("completed", "Done."), ("pending", "To do again."), ("in_progress", "Begun.")):
        task.refresh_from_db()
        answer = browser.post(
            url(task, "/status"), {"to": to, "revision": task.revision}, headers=htmx(f"todo-{task.ref}")
        )
        assert answer.status_code == 200
        assert f'id="todo-{task.ref}"' in answer.content.decode()
        assert f'data-status="{to}"' in answer.content.decode()
        assert said in text_of(answer)
    stale = browser.post(url(task, "/status"), {"to": "completed", "revision": 1}, headers=htmx(f"todo-{task.ref}"))
    assert stale.status_code == 409
    assert 'data-status="in_progress"' in stale.content.decode()
    assert "It was changed meanwhile" in text_of(stale)
    plain = browser.post(url(task, "/status"), {"to": "completed", "revision": 4})
    assert (plain.status_code, plain["Location"]) == (302, OWN)
    assert browser.post(url(task, "/status"), {"to": "burnt"}).status_code == 422
    assert TodoTask.objects.get().status == "completed"


def test_a_task_is_changed_in_the_dialog_and_as_a_page(browser: Client, coder: Principal) -> None:
    other, task = add(coder, "Other"), add(coder, "Task", metadata={"ticket": "REL-7"}, external_id="call-1")
    page = browser.get(url(task))
    for words in ("Task td_", "REL-7", "call-1", "Other"):
        assert words in text_of(page)
    part = browser.get(url(task), headers=htmx("dialog")).content.decode()
    assert part.lstrip().startswith("<form")
    form = {"subject": "New", "status": "in_progress", "description": "a\r\nb", "active_form": "Doing", "owner": "me"}
    form |= {"blocked_by": [f"td_{other.ref}"], "revision": "1"}
    row = browser.post(url(task), form, headers=at("/todo"))
    assert row["HX-Retarget"] == f"#todo-{task.ref}"
    assert row["HX-Trigger"] == "dialog-close"
    assert "data-focus" in row.content.decode()
    task.refresh_from_db()
    assert (task.subject, task.status, task.description, task.owner, task.revision) == (
        "New", "in_progress", "a\nb", "me", 2,
    )  # fmt: skip
    assert [tie.blocker for tie in task.waiting.all()] == [other]
    elsewhere = browser.post(url(task), {**form, "revision": "2", "subject": "Newer"}, headers=at(url(task)))
    assert elsewhere["HX-Redirect"] == OWN
    plain = browser.post(url(task), {**form, "revision": "3", "subject": "Newest", "blocked_by": []})
    assert (plain.status_code, plain["Location"]) == (302, OWN)
    task.refresh_from_db()
    assert (task.subject, task.waiting.count()) == ("Newest", 0)
    refused = browser.post(url(task), {**form, "subject": "", "description": "kept & shown"})
    assert refused.status_code == 422
    assert "kept &amp; shown" in refused.content.decode()


@pytest.mark.parametrize("script", [False, True])
def test_a_change_that_comes_too_late_shows_both_versions(browser: Client, coder: Principal, script: bool) -> None:
    task = add(coder, "Task", description="As it was.")
    form = {"subject": "Task", "status": "pending", "description": "As I see it.", "active_form": "", "owner": ""}
    update_task(task=task, given=TaskWords(description="As the agent sees it.", status="in_progress"))
    headers = at("/todo") if script else {}
    late = browser.post(url(task), {**form, "revision": "1"}, headers=headers)
    page, text = late.content.decode(), text_of(late)
    assert late.status_code == 409
    assert ("<html" in page) is not script
    assert "somebody changed it while you wrote" in text
    theirs = page.partition('aria-label="Theirs, now saved"')[2].partition("</section>")[0]
    assert "As the agent sees it." in theirs
    assert "in progress" in theirs
    assert "As I see it." not in theirs
    assert "As I see it." in page.partition('aria-label="Yours"')[2]
    assert f'href="{url(task)}"' in page.partition("Keep mine")[2]
    assert TodoTask.objects.get().description == "As the agent sees it."
    # the form that stands there now knows the version that it was shown beside
    again = {**form, "revision": field(page, "revision")}
    update_task(task=task, given=TaskWords(owner="coder"))
    assert browser.post(url(task), again, headers=headers).status_code == 409
    kept = browser.post(url(task), {**form, "revision": "3"}, headers=headers)
    assert kept.status_code in {200, 302}
    task.refresh_from_db()
    assert (task.description, task.status, task.owner) == ("As I see it.", "pending", "")


def test_deleting_asks_first(browser: Client, coder: Principal) -> None:
    task, done = add(coder), add(coder, "Done", status="completed")
    question = browser.get(url(task, "/delete"), headers=htmx("dialog"))
    assert "Delete this task?" in text_of(question)
    assert TodoTask.objects.count() == 2
    gone = browser.post(url(task, "/delete"), headers=at("/todo"))
    assert gone["HX-Trigger"] == "dialog-close, items-changed"
    assert browser.get(url(task)).status_code == 404
    assert browser.post(url(done, "/delete"))["Location"] == OWN
    assert not TodoTask.objects.exists()


def test_clearing_deletes_what_is_done_in_that_list(browser: Client, coder: Principal, lotta: User) -> None:
    add(coder, "Done", status="completed"), add(coder, "Also", status="completed"), add(coder, "Open")
    add(make_person(lotta), "Mine", status="completed")
    asked = browser.get("/todo/clear?agent=coder&conversation=")
    assert "Delete the 2 tasks that are done?" in text_of(asked)
    form = {name: field(asked.content.decode(), name) for name in ("agent", "conversation")}
    assert browser.post("/todo/clear", form)["Location"] == OWN
    assert set(TodoTask.objects.values_list("subject", flat=True)) == {"Open", "Mine"}
    assert "2 tasks deleted." in text_of(browser.get(OWN))


def test_a_stranger_finds_nothing(coder: Principal) -> None:
    task, mallory = add(coder), browser_of(make_owner("mallory"))
    for more in ("", "/delete", "/status"):
        for send in (mallory.get, mallory.post):
            there, never = (send(f"/todo/td_{ref}{more}") for ref in (task.ref, "0123456789ab"))
            assert there.status_code == never.status_code
            assert there.status_code in {404, 405}
            assert there.content.replace(task.ref.encode(), b"-") == never.content.replace(b"0123456789ab", b"-")
    assert subjects(mallory.get("/todo")) == []
    assert mallory.get("/todo?agent=coder").status_code == 404
    assert browser_of().get("/todo").status_code == 302
    assert TodoTask.objects.get().revision == 1
