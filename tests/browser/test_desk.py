"""To-do lists and scratch notes: worked through with the keyboard, too late for an agent, and without scripts."""

import pytest
from playwright.sync_api import Page, expect

from memory.desk.places import Place
from memory.models import ScratchNote, TodoTask
from memory.scratch.services import NoteWords, create_note, update_note
from memory.todo.services import TaskWords, create_task, update_task
from pawflow_web.identity.models import User
from pawflow_web.identity.principal import Principal
from tests.browser.conftest import Check, Enter
from tests.browser.people import sign_in
from tests.browser.watch import Watch
from tests.factories import GITHUB_TOKEN, make_conversation, make_owner, make_principal
from tests.live import Live
from tests.memory.notes import within
from tests.web.beliefs import HOSTILE

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def lotta(transactional_db: None) -> User:
    return make_owner("lotta")


@pytest.fixture
def coder(lotta: User) -> Principal:
    return make_principal(lotta, agent="coder")


def fill(coder: Principal) -> tuple[TodoTask, ScratchNote]:
    """A list and notes as they are after an hour of work; gives the last of each."""
    place = Place.of(coder)
    first, _ = create_task(place=place, given=TaskWords("Run the migration", status="in_progress", owner="coder"))
    create_task(place=place, given=TaskWords(HOSTILE, description=f"with {GITHUB_TOKEN}"))
    create_task(place=place, given=TaskWords("x" * 250, status="completed"))
    last, _ = create_task(place=place, given=TaskWords("Write the notes", blocked_by=[f"td_{first.ref}"]))
    create_note(place=place, given=NoteWords("API shapes", "Both are strings.", ["api"], 1))
    create_note(place=place, given=NoteWords(HOSTILE, f"with {GITHUB_TOKEN}", None, 30))
    return last, create_note(
        place=place, given=NoteWords("Rollback plan", "Stop the canary.\nThen the rest.", ["deploy"])
    )


@pytest.mark.parametrize(("width", "scheme"), [("wide", "light"), ("phone", "dark"), ("small", "light")])
def test_the_panels_are_accessible_and_fit(
    enter: Enter, live: Live, lotta: User, coder: Principal, check: Check, watch: Watch, width: str, scheme: str
) -> None:
    watch.expect(409)
    task, note = fill(coder)
    page = enter(lotta, width=width, scheme=scheme)
    for name, path in {
        "todo": "/todo?agent=coder&conversation=&status=any",
        "todo-nothing": "/todo?agent=coder&conversation=&q=quagga",
        "todo-empty": "/todo?agent=&conversation=",
        "task": f"/todo/td_{task.ref}",
        "task-delete": f"/todo/td_{task.ref}/delete",
        "scratchpad": "/scratchpad",
        "scratchpad-empty": "/scratchpad?agent=&conversation=",
        "note": f"/scratchpad/sp_{note.ref}",
    }.items():
        page.goto(live.base + path)
        check(page, f"{name}-{scheme}-{width}")
    page.goto(f"{live.base}/scratchpad")
    page.locator(f"#scratchpad-{note.ref}-link").click()
    expect(page.locator("#dialog").get_by_label("What it says")).to_have_value("Stop the canary.\nThen the rest.")
    update_note(note=note, given=NoteWords(content="Stop everything."))
    page.locator("#dialog").get_by_label("What it says").fill("Stop the canary first.")
    page.locator("#dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_be_focused()
    sides = page.locator("#dialog .side-card")
    expect(sides.first).to_contain_text("Stop everything.")
    expect(sides.last.get_by_label("What it says")).to_have_value("Stop the canary first.")
    beside = [side.bounding_box() for side in sides.all()]
    assert beside[0] is not None
    assert beside[1] is not None
    assert (beside[0]["y"] == beside[1]["y"]) is (width == "wide")
    check(page, f"note-conflict-{scheme}-{width}")
    page.locator("#dialog").get_by_role("link", name="Take theirs").click()
    expect(page.locator("#dialog").get_by_label("What it says")).to_have_value("Stop everything.")
    assert ScratchNote.objects.get(pk=note.pk).revision == 2


def test_a_list_is_worked_through_with_the_keyboard(
    enter: Enter, live: Live, lotta: User, coder: Principal, watch: Watch
) -> None:
    watch.expect(409)
    task, _note = fill(coder)
    page = enter(lotta)
    page.goto(f"{live.base}/todo")
    page.keyboard.press("n")
    page.keyboard.type("Call the client")
    page.keyboard.press("Enter")
    expect(page.locator("#todo-list .item")).to_have_count(4)
    expect(page.locator("#todo-coverage")).to_contain_text("5 tasks: 1 in progress, 3 to do, 1 done")
    added = TodoTask.objects.get(subject="Call the client")
    assert added.agent_id == coder.agent_id
    page.keyboard.press("j")
    expect(page.locator(f"#todo-{added.ref}-link")).to_be_focused()
    page.keyboard.press("x")
    expect(page.locator(f"#todo-{added.ref}")).to_have_attribute("data-status", "completed")
    expect(page.locator(f"#todo-{added.ref}-link")).to_be_focused()
    page.keyboard.press("x")
    expect(page.locator(f"#todo-{added.ref}")).to_have_attribute("data-status", "pending")
    page.keyboard.press("b")
    expect(page.locator(f"#todo-{added.ref}")).to_have_attribute("data-status", "in_progress")
    page.keyboard.press("j")
    expect(page.locator(f"#todo-{task.ref}-link")).to_be_focused()
    page.keyboard.press("Enter")
    subject = page.locator("#dialog").get_by_label("What is to be done")
    subject.fill("Write all the notes")
    update_task(task=task, given=TaskWords(subject="Write no notes"))
    subject.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Your text is safe.")
    page.locator("#dialog").get_by_role("button", name="Keep mine").click()
    expect(page.locator(f"#todo-{task.ref}-link")).to_be_focused()
    expect(page.locator(f"#todo-{task.ref}-link")).to_have_text("Write all the notes")
    page.keyboard.press("d")
    expect(page.locator("#dialog h2")).to_have_text("Delete this task?")
    page.locator("#dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(f"#todo-{task.ref}")).to_have_count(0)
    assert not TodoTask.objects.filter(pk=task.pk).exists()


def test_another_list_is_chosen_and_what_is_added_goes_there(
    enter: Enter, live: Live, lotta: User, coder: Principal
) -> None:
    fill(coder)
    talk = make_conversation(lotta, title="Release 2.4")
    create_note(place=Place.of(within(coder, talk)), given=NoteWords("Inside", "In the talk."))
    page = enter(lotta)
    page.goto(f"{live.base}/scratchpad")
    expect(page.locator("#scratchpad-list .item")).to_have_count(1)
    page.get_by_label("Conversation").select_option("No conversation")
    expect(page.locator("#scratchpad-list .item")).to_have_count(3)
    page.locator("#scratchpad-add-open").click()
    page.get_by_label("Topic").fill("Outside")
    page.get_by_label("What it says").fill("Of any talk.")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.locator("#scratchpad-list .item")).to_have_count(4)
    assert ScratchNote.objects.get(topic="Outside").place == Place.of(coder)
    row = page.locator(".item", has_text="API shapes")
    row.get_by_role("button", name="Keep a week").click()
    expect(row).to_contain_text("6 d left")


def test_without_scripts(plain_page: Page, live: Live, lotta: User, coder: Principal) -> None:
    task, note = fill(coder)
    page = plain_page
    sign_in(page, live.base, lotta)
    page.goto(f"{live.base}/todo")
    page.locator(f"#todo-{task.ref}").get_by_role("button", name="Tick off").click()
    expect(page.locator("#toasts")).to_contain_text("Saved.")
    expect(page.locator("#todo-list .item")).to_have_count(2)
    page.get_by_role("link", name="Clear what is done").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("#toasts")).to_contain_text("2 tasks deleted.")
    page.goto(f"{live.base}/scratchpad")
    page.get_by_role("link", name="Rollback plan").click()
    update_note(note=note, given=NoteWords(topic="Changed"))
    page.get_by_label("What it says").fill("Mine.")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("alert")).to_contain_text("somebody changed it while you wrote")
    page.get_by_role("button", name="Keep mine").click()
    expect(page.locator("#toasts")).to_contain_text("Saved.")
    assert ScratchNote.objects.get(pk=note.pk).content == "Mine."
