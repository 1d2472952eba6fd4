"""The ways in and out."""

from urllib.parse import urlsplit

import pytest
from django.contrib.sessions.backends.db import SessionStore

from pawflow_web.identity.models import User
from pawflow_web.identity.services import create_sign_in_link
from tests.factories import make_owner
from tests.web.people import browser_of, text_of

PASSWORD = "correct horse battery"


@pytest.fixture
def lotta(db: None) -> User:
    user = make_owner("lotta")
    user.set_password(PASSWORD)
    user.save()
    return user


def test_a_link_signs_in_once(lotta: User) -> None:
    path = urlsplit(create_sign_in_link(lotta)).path
    first = browser_of()
    answer = first.get(path)
    assert (answer.status_code, answer["Location"]) == (302, "/")
    assert first.get("/menu").status_code == 200
    again = browser_of().get(path)
    assert again.status_code == 410
    assert "manage.py owner link NAME" in text_of(again)


@pytest.mark.parametrize("headers", [{"Sec-Purpose": "prefetch;prerender"}, {"Purpose": "prefetch"}, None])
def test_looking_at_a_link_does_not_use_it_up(lotta: User, headers: dict[str, str] | None) -> None:
    path = urlsplit(create_sign_in_link(lotta)).path
    looking = browser_of()
    answer = looking.head(path) if headers is None else looking.get(path, headers=headers)
    assert answer.status_code == 503
    assert looking.get("/menu").status_code == 302
    assert looking.get(path).status_code == 302
    assert looking.get("/menu").status_code == 200


def test_signing_in_gives_the_session_a_new_key(lotta: User) -> None:
    planted = SessionStore()
    planted["mine"] = True
    planted.save()
    for enter in ("link", "password"):
        browser = browser_of()
        browser.cookies["sessionid"] = planted.session_key
        if enter == "link":
            browser.get(urlsplit(create_sign_in_link(lotta)).path)
        else:
            browser.post("/login", {"username": "lotta", "password": PASSWORD})
        assert browser.get("/menu").status_code == 200
        assert browser.cookies["sessionid"].value != planted.session_key
        planted = SessionStore()
        planted["mine"] = True
        planted.save()


def test_a_wrong_password_is_told_in_place(lotta: User) -> None:
    browser = browser_of()
    answer = browser.post("/login", {"username": "lotta", "password": "wrong"})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "do not go together" in page
    assert 'value="lotta"' in page
    assert "wrong" not in page
    assert browser.post("/login", {"username": "lotta", "password": PASSWORD}).status_code == 302


def test_too_many_failures_close_the_door_for_that_name(lotta: User) -> None:
    make_owner("bo")
    browser = browser_of()
    for _ in range(5):
        assert browser.post("/login", {"username": "lotta", "password": "wrong"}).status_code == 422
    closed = browser.post("/login", {"username": "lotta", "password": PASSWORD})
    assert closed.status_code == 429
    assert closed["Retry-After"] == "900"
    assert "Too many failed attempts" in text_of(closed)
    assert browser.post("/login", {"username": "bo", "password": "wrong"}).status_code == 422


@pytest.mark.parametrize(
    ("wanted", "leads_to"),
    [
        ("/memories?q=a", "/memories?q=a"),
        ("https://evil.example/", "/"),
        ("//evil.example", "/"),
        ("/\\evil.example", "/"),
        ("javascript:alert(1)", "/"),
        ("memories", "/"),
    ],
)
def test_next_leads_only_to_our_own_pages(lotta: User, wanted: str, leads_to: str) -> None:
    answer = browser_of().post("/login", {"username": "lotta", "password": PASSWORD, "next": wanted})
    assert (answer.status_code, answer["Location"]) == (302, leads_to)


def test_signing_out_takes_a_form(lotta: User) -> None:
    browser = browser_of(lotta)
    assert 'action="/logout"' in browser.get("/menu").content.decode()
    assert browser.get("/logout").status_code == 405
    assert browser.get("/menu").status_code == 200
    assert browser.post("/logout").status_code == 302
    assert browser.get("/menu").status_code == 302


def test_a_page_without_a_session_leads_to_the_sign_in_and_back(lotta: User) -> None:
    answer = browser_of().get("/memories?q=a")
    assert answer["Location"] == "/login?next=/memories%3Fq%3Da"


def test_a_persons_choices_hold_on_every_page(lotta: User) -> None:
    browser = browser_of(lotta)
    assert "data-theme" not in browser.get("/menu").content.decode()
    lotta.preferences.theme, lotta.preferences.density, lotta.preferences.single_keys = "dark", "compact", False
    lotta.preferences.save()
    page = browser.get("/menu").content.decode()
    for choice in ('data-theme="dark"', 'data-density="compact"', 'data-keys="off"'):
        assert choice in page
