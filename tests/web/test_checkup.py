"""The check-up tells what a memory file holds, and keeps nothing of it."""

import logging
import tempfile
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from django.apps import apps
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import connection
from django.http import HttpResponse

from pawflow_web.identity.models import User
from review.lifecycle import reject
from review.models import GovernanceItem
from review.search.index import catch_up
from tests.factories import GITHUB_TOKEN, make_owner, make_person
from tests.web.beliefs import remember
from tests.web.memory_files import CANARY, INSTRUCTION, SMALL, of_lines
from tests.web.people import browser_of, htmx, text_of


def check(user: User, text: str, **headers: str) -> HttpResponse:
    return browser_of(user).post("/imports/check", {"text": text}, headers=headers)


def test_the_page_says_what_it_is_for(lotta: User) -> None:
    page = text_of(browser_of(lotta).get("/checkup"))

    assert "Nothing of it is stored." in page
    assert "Check it" in page


def test_it_answers_in_sentences_and_marks_the_lines(lotta: User) -> None:
    answer = check(lotta, SMALL)
    page = text_of(answer)

    assert answer.status_code == 200
    assert "9 beliefs." in page
    for sentence in (
        "1 holds a secret.",
        "1 tries to instruct the agent.",
        "2 may contradict each other.",
        "1 is said twice.",
        "1 is personal.",
        "Left out: 1 code block.",
        "line 7",
        "the same as line 6",
        "the numbers differ",
    ):
        assert sentence in page, sentence
    assert f"<mark>{INSTRUCTION[:28]}" in answer.content.decode()
    assert "Send 8 to review" in text_of(check(lotta, SMALL, **htmx("checkup-result")))


def test_a_secret_is_never_echoed(lotta: User) -> None:
    for answer in (check(lotta, SMALL), check(lotta, SMALL, **htmx("checkup-result"))):
        page = answer.content.decode()
        assert GITHUB_TOKEN not in page
        assert GITHUB_TOKEN[4:20] not in page
        assert "GitHub token removed" in page
        assert answer["Cache-Control"] == "no-store"
    hidden = check(lotta, f"- likes tea\n\n```\nexport TOKEN={GITHUB_TOKEN}\n```\n").content.decode()
    assert GITHUB_TOKEN not in hidden
    assert "the page does not repeat the text" in hidden
    assert "Send to review" in hidden


def test_without_a_secret_the_page_can_send_the_same_text(lotta: User) -> None:
    """Nothing was kept on the server, so the form carries it."""
    browser = browser_of(lotta)
    page = check(lotta, "- likes tea & <b>cake</b>\n").content.decode()
    assert 'formaction="/imports"' in page
    assert "- likes tea &amp; &lt;b&gt;cake&lt;/b&gt;" in page
    part = check(lotta, "- likes tea\n", **htmx("checkup-result")).content.decode()
    assert "<textarea" not in part
    assert 'formaction="/imports"' in part

    sent = browser.post("/imports", {"text": "- likes tea & <b>cake</b>\n", "name": ""})

    assert sent.status_code == 302
    assert sent["Location"].startswith("/imports?job=")


def test_a_chosen_file_is_looked_through_like_pasted_words(lotta: User) -> None:
    file = SimpleUploadedFile("MEMORY.md", "- likes tea\n- likes TEA.\n".encode("utf-16"))

    page = browser_of(lotta).post("/imports/check", {"file": file}).content.decode()

    assert "1 is said twice." in page
    assert 'name="name" value="MEMORY.md"' in page
    assert "What was found in MEMORY.md" in page


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "Paste a text or choose a file."),
        ({"text": " \n"}, "Paste a text or choose a file."),
        ({"text": "a", "file": "b"}, "not both"),
        ({"file": b"x" * (2 * 2**20 + 1)}, "larger than 2 MiB"),
        ({"file": b"PK\x03\x04" + b"0" * 50}, "It looks like a zip archive."),
        ({"text": '[{"mapping": {}, "title": "t"}]'}, "It looks like a ChatGPT export."),
    ],
)
def test_what_cannot_be_looked_through_is_told(lotta: User, given: dict[str, object], told: str) -> None:
    file = given.get("file")
    if file is not None:
        given = {**given, "file": SimpleUploadedFile("x", file if isinstance(file, bytes) else str(file).encode())}

    answer = browser_of(lotta).post("/imports/check", given)

    assert answer.status_code == 422
    assert told in text_of(answer)
    assert "to review" not in text_of(answer)


@pytest.mark.parametrize("script", [True, False])
def test_a_text_that_is_refused_comes_back_unless_it_may_hold_a_secret(lotta: User, *, script: bool) -> None:
    headers = htmx("checkup-result") if script else {}
    for text, told in ((f"- The token is {GITHUB_TOKEN}", False), ("- Likes tea", True)):
        given = {"text": text, "file": SimpleUploadedFile("x", b"y")}
        answer = browser_of(lotta).post("/imports/check", given, headers=headers)
        assert answer.status_code == 422
        assert answer["Cache-Control"] == "no-store"
        assert "not both" in text_of(answer)
        assert (text in answer.content.decode()) == (told and not script)


def test_it_is_held_against_what_is_in_use_and_what_was_refused(lotta: User) -> None:
    used = remember(lotta, "Indent with 8 spaces.")
    known = remember(lotta, "Prefers dark mode.")
    no = remember(lotta, "Tests run against PostgreSQL, never against SQLite.")
    reject(principal=make_person(lotta), reference=no.ref)

    page = check(lotta, SMALL).content.decode()

    assert "may contradict what is in use." in page
    assert "1 is known already." in page
    assert "1 was rejected by you before." in page
    assert f"/items/{used.ref}" in page
    assert f"/items/{known.ref}" in page
    assert "Indent with 8 spaces." in page


def test_another_owners_beliefs_are_not_compared_with(lotta: User) -> None:
    other = make_owner("bo")
    remember(other, "Indent with 8 spaces.")
    remember(other, "Prefers dark mode.")

    page = text_of(check(lotta, SMALL))

    assert "what is in use" not in page
    assert "known already" not in page
    assert "Indent with 8 spaces" not in page


# --- nothing is stored --------------------------------------------------------------------------------------------


def rows_of_every_table() -> dict[str, int]:
    counts = {}
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            cursor.execute(f"SELECT count(*) FROM {connection.ops.quote_name(table)}")
            counts[table] = cursor.fetchone()[0]
    assert len(counts) > len(apps.get_models()) // 2
    return counts


def tables_with(word: str) -> list[str]:
    found = []
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names():
            name = connection.ops.quote_name(table)
            cursor.execute(f"SELECT count(*) FROM {name} AS r WHERE r::text ILIKE %s", [f"%{word}%"])
            if cursor.fetchone()[0]:
                found.append(table)
    return found


def search_files() -> set[tuple[str, int, int]]:
    folder = settings.ENV.data_dir / "search"
    found = [path for path in folder.rglob("*") if path.is_file()]
    return {(str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in found}


def left_files() -> set[str]:
    """Uploads of every sort: those of the web framework end so."""
    temporary = {path.name for path in Path(tempfile.gettempdir()).glob("*.upload*")}
    return temporary | {path.name for path in (settings.ENV.data_dir / "uploads").glob("*")}


def test_nothing_is_stored_anywhere(lotta: User, caplog: pytest.LogCaptureFixture) -> None:
    browser = browser_of(lotta)
    browser.get("/checkup")
    before, files, searched = rows_of_every_table(), left_files(), search_files()
    large = of_lines(300) + "\n" + "x" * 1000 + "\n"

    with caplog.at_level(logging.INFO):
        answer = browser.post("/imports/check", {"text": SMALL})
        file = SimpleUploadedFile("CLAUDE.md", large.encode() * 60)
        browser.post("/imports/check", {"file": file})

    assert CANARY not in answer.content.decode()[: answer.content.decode().index("<form")]
    assert rows_of_every_table() == before
    assert tables_with(CANARY) == []
    assert CANARY not in caplog.text
    assert search_files() == searched
    assert left_files() == files
    # The control: a belief of the same words is found in these places.
    remember(lotta, f"The mascot is called {CANARY}.")
    catch_up(lotta.pk)
    assert tables_with(CANARY)
    assert search_files() != searched


# --- how long it takes ---------------------------------------------------------------------------------------------


def test_three_hundred_lines_take_less_than_two_seconds(
    lotta: User, django_assert_max_num_queries: Callable[..., AbstractContextManager[object]]
) -> None:
    """Of the processor, so that what else runs on the machine does not count; the database is asked a few times."""
    for number in range(20):
        remember(lotta, f"Belief number {number} is about the garden.")
    text, times = of_lines(300), []
    for _ in range(5):
        began = time.process_time()
        with django_assert_max_num_queries(24):
            answer = check(lotta, text, **htmx("checkup-result"))
        times.append(time.process_time() - began)
        assert answer.status_code == 200

    assert min(times) < 2.0, times


def test_a_very_long_file_is_bounded_and_says_so(lotta: User, monkeypatch: pytest.MonkeyPatch) -> None:
    from memory.importers import checkup

    monkeypatch.setattr(checkup, "BELIEFS_MOST", 100)
    page = text_of(check(lotta, of_lines(300)))
    assert "100 beliefs." in page
    assert "Only the first 100 beliefs were looked at; the file holds more." in page

    monkeypatch.setattr(checkup, "BELIEFS_MOST", 5000)
    monkeypatch.setattr(checkup, "SECONDS_MOST", 0.0)
    assert "There was no time to read it to its end" in text_of(check(lotta, of_lines(300)))


def test_nobody_checks_without_signing_in(db: None) -> None:
    assert browser_of().get("/checkup").status_code == 302
    assert browser_of().post("/imports/check", {"text": "a"}).status_code == 302
    assert not GovernanceItem.objects.exists()
