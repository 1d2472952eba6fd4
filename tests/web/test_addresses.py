"""What an address may hold, and where a person is sent back to."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver

from pawflow_web.identity.models import User
from pawflow_web.web.forms import PanelForm
from tests.web.beliefs import propose, remember
from tests.web.people import browser_of

CHECKOUT = Path(__file__).parents[2]
HERE = "http://127.0.0.1"


def routes(entries: list[URLPattern | URLResolver] | None = None, before: str = "") -> Iterator[str]:
    """The written form of every page's route: ``items/<ref>/proof``."""
    for entry in get_resolver().url_patterns if entries is None else entries:
        written = before + re.sub(r"\(\?P(<\w+>)[^)]*\)|<\w+:(\w+)>", r"\1<\2>", str(entry.pattern)).replace("<>", "")
        if isinstance(entry, URLPattern):
            yield written.strip("^$")
        elif not written.startswith(("admin/", "api/")):
            yield from routes(entry.url_patterns, written)


def forms(form: type[PanelForm] = PanelForm) -> Iterator[type[PanelForm]]:
    for narrower in form.__subclasses__():
        yield narrower
        yield from forms(narrower)


def parameters() -> set[str]:
    """Every name that a view reads from an address, or that a form may have put there."""
    read = re.compile(r"""(?:GET|given)\.get(?:list)?\(\s*"(\w+)""")
    sources = [path for app in ("pawflow_web", "review", "graph", "memory") for path in (CHECKOUT / app).rglob("*.py")]
    names = {name for path in sources for name in read.findall(path.read_text())}
    return names | {name for form in forms() for name in form.base_fields}


def read_by(browser: Client, path: str) -> set[str]:
    """The names that the page looks for in its address."""
    names: set[str] = set()

    class Noted(QueryDict):
        def __getitem__(self, name: str) -> Any:
            names.add(name)
            return super().__getitem__(name)

        def getlist(self, name: str, default: Any = None) -> Any:
            names.add(name)
            return super().getlist(name, default)

        def get(self, name: str, default: Any = None) -> Any:
            names.add(name)
            return super().get(name, default)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("django.core.handlers.wsgi.QueryDict", Noted)
        assert browser.get(path).status_code < 500
    return names


def test_a_nul_in_an_address_breaks_no_page(lotta: User) -> None:
    browser = browser_of(lotta)
    propose(lotta, "The canary is green.")
    plain = [route for route in routes() if "<" not in route and not route.startswith("api/")]
    pages = [page for page in plain if b"<main" in browser.get(f"/{page}").content]
    names = parameters()
    assert len(pages) > 14
    assert {"agent", "tag", "before", "cursor", "q", "compare", "project", "after"} <= names
    asked: set[str] = set()
    for page in pages:
        for name in sorted({"compare"} | read_by(browser, f"/{page}")):
            assert browser.get(f"/{page}?{quote(name)}=a%00b&{quote(name)}=").status_code < 500, (page, name)
            asked.add(name)
    assert {"agent", "tag", "before", "cursor", "q", "project", "after"} <= asked


def test_a_nul_in_a_path_leads_nowhere(lotta: User) -> None:
    browser = browser_of(lotta)
    with_parts = [route for route in routes() if "<" in route and not route.startswith("api/")]
    assert len(with_parts) > 12
    for route in with_parts:
        parts = re.findall(r"<\w+>", route)
        for nul in parts:
            path = route
            for part in parts:
                path = path.replace(part, "%00" if part == nul else "pin" if part == "<verb>" else "aaaaaaaaaaaa")
            for answer in (browser.get(f"/{path}"), browser.post(f"/{path}", {"revision": "1"})):
                assert answer.status_code == 404, path


def test_what_was_asked_beside_a_nul_is_still_asked(lotta: User) -> None:
    item = remember(lotta, "The canary is green.", tags=["deploy"])
    remember(lotta, "The other canary is red.", tags=["other"])
    page = browser_of(lotta).get("/memories?tag=%00dep%00loy&tag=%00").content.decode()
    assert f"#{item.ref}" in page
    assert "is red" not in page


def test_after_signing_in_a_form_leads_to_the_page_it_stood_on(db: None) -> None:
    stranger = browser_of()
    for referer, onward in {
        f"{HERE}/memories?q=a": "/memories%3Fq%3Da",
        "http://evil.example/memories": "/items/aaaaaaaaaaaa",
        f"{HERE}//evil.example/": "/",
        "": "/items/aaaaaaaaaaaa",
    }.items():
        answer = stranger.post("/items/aaaaaaaaaaaa/pin", {}, headers={"Referer": referer})
        assert answer.status_code == 302
        assert answer["Location"] == f"/login?next={onward}", referer


def test_an_address_that_only_takes_a_form_is_a_page_that_says_so(browser: Client) -> None:
    answer = browser.get("/items/aaaaaaaaaaaa/pin")
    assert answer.status_code == 405
    assert answer["Allow"] == "POST"
    assert "only takes what a form sends" in answer.content.decode()
    assert browser.get("/api/v1/tools/remember").json()["error"]["code"] == "method_not_allowed"


def test_the_forms_of_the_frame_lead_back_to_a_page_that_can_be_opened(lotta: User) -> None:
    item = remember(lotta, "The canary is green.")
    browser = browser_of(lotta)
    place = f"/items/{item.ref}"
    looked = browser.get(f"{place}?x=1").content.decode()
    assert back_of(looked) == (f"{place}?x=1", place)
    for referer in (f"{HERE}{place}", ""):
        refused = browser.post(f"{place}/pin", {"revision": "9"}, headers={"Referer": referer})
        assert refused.status_code == 409
        assert back_of(refused.content.decode()) == (place, place)
    added = browser.post("/memories", {"text": ""}, headers={"Referer": f"{HERE}/memories?q=a"})
    assert added.status_code == 422
    assert back_of(added.content.decode()) == ("/memories?q=a", "/memories")


def back_of(page: str) -> tuple[str, str]:
    """Where choosing a theme leads, and where choosing a day does."""
    theme = re.search(r'name="back" value="([^"]*)"', page)
    day = re.search(r'<form class="stack" method="get" action="([^"]*)" data-own-time', page)
    assert theme
    assert day
    return theme[1], day[1]


@pytest.mark.parametrize("words", ["a\0b", "\0"])
def test_a_page_is_addressed_again_without_the_nul(browser: Client, words: str) -> None:
    page = browser.get("/find", {"q": words}).content.decode()
    assert "%00" not in page
    assert "\0" not in page
