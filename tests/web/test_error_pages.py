"""Outside ``/api/`` a refusal is a page that works without a script and says what to do."""

import re

import pytest
from django.test import Client
from structlog.testing import capture_logs


@pytest.mark.parametrize(
    ("path", "status", "words"),
    [
        ("/nowhere", 404, "nothing here that you may see"),
        ("/page/conflict", 409, "Somebody changed it since you read it."),
        ("/page/forbidden", 403, "may not do this"),
        ("/page/database_away", 503, "The database does not answer"),
        ("/page/crash", 500, "Something broke on our side"),
    ],
)
def test_a_refusal_is_a_page(web: Client, path: str, status: int, words: str) -> None:
    response = web.get(path)
    page = response.content.decode()
    assert response.status_code == status
    assert words in page
    assert page.count("<h1>") == 1
    assert "<script" not in page
    assert "Content-Security-Policy" in response


def test_the_page_of_a_crash_shows_the_reference_of_the_log(web: Client) -> None:
    with capture_logs() as lines:
        page = web.get("/page/crash").content.decode()
    shown = re.search(r"<code data-reference>([0-9A-F]{4}-[0-9A-F]{4})</code>", page)
    assert shown is not None
    assert shown[1] == lines[0]["reference"]
    assert "hunter2" not in page


def test_a_failed_write_does_not_claim_that_nothing_happened(web: Client) -> None:
    assert "Nothing was changed" in web.get("/page/crash").content.decode()
    assert "Nothing was changed" not in web.post("/page/crash").content.decode()


@pytest.mark.parametrize(
    "path", ["/nowhere", "/page/conflict", "/page/forbidden", "/page/database_away", "/page/crash"]
)
def test_what_asked_by_htmx_stays_and_a_note_beside_the_page_tells_the_refusal(web: Client, path: str) -> None:
    whole = web.get(path)
    part = web.get(path, headers={"HX-Request": "true", "HX-Target": "memories-list"})
    assert "HX-Retarget" not in whole
    assert "<html" in whole.content.decode()
    assert (part["HX-Retarget"], part["HX-Reswap"]) == ("#toasts", "beforeend")
    assert part.status_code == whole.status_code
    assert "<html" not in part.content.decode()
    assert 'role="alert" data-toast' in part.content.decode()


def test_a_form_without_its_token_says_what_to_do(web: Client) -> None:
    checked = Client(enforce_csrf_checks=True, headers={"host": "127.0.0.1"})
    response = checked.post("/page/needs_token")
    assert response.status_code == 403
    assert "This form is out of date" in response.content.decode()


def test_an_unknown_host_gets_a_page(web: Client) -> None:
    response = web.get("/page/fine", headers={"host": "evil.example"})
    assert response.status_code == 400
    assert "cannot be read" in response.content.decode()


def test_a_refusal_is_our_page_in_development_too(web: Client, settings: object) -> None:
    settings.DEBUG = True  # type: ignore[attr-defined]
    response = web.get("/page/conflict")
    assert response.status_code == 409
    assert "Somebody changed it since you read it." in response.content.decode()
    assert "Traceback" not in response.content.decode()
    assert "Traceback" in web.get("/page/crash").content.decode()
