"""Tokens are made, shown once, and ended."""

import re

import pytest
from django.utils import timezone

from pawflow_web.identity.models import ApiToken, User
from tests.factories import make_owner, make_token
from tests.web.beliefs import propose
from tests.web.people import browser_of, htmx, text_of

FORM = {"agent": "claude-code", "origin": "user_channel", "abilities": ["read", "write"], "expires": "30"}


def test_a_token_is_shown_once_and_works(lotta: User) -> None:
    browser = browser_of(lotta)
    answer = browser.post("/settings/tokens", FORM)
    page = answer.content.decode()
    found = re.search(r"data-token[^>]*>(pf_[\w-]+)<", page)
    assert answer.status_code == 201
    assert found is not None
    assert f"--header &quot;Authorization: Bearer {found[1]}&quot;" in page or found[1] in page
    assert "no-store" in answer["Cache-Control"]
    listed = browser.get("/settings/tokens")
    assert found[1] not in listed.content.decode()
    assert "claude-code" in text_of(listed)
    asked = browser_of().get("/api/v1/items", headers={"Authorization": f"Bearer {found[1]}"})
    assert asked.status_code == 200


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"agent": "not a name"}, "letters, digits"),
        ({"abilities": []}, "must be one or more"),
        ({"abilities": ["review"]}, "review belongs to people"),
        ({"expires": "0"}, "greater than or equal to 1"),
        ({"expires": "99999"}, "1 to 3650 days"),
    ],
)
def test_what_is_wrong_stands_beside_the_field_and_nothing_is_lost(
    lotta: User, change: dict[str, object], told: str
) -> None:
    answer = browser_of(lotta).post("/settings/tokens", {**FORM, **change})
    assert answer.status_code == 422
    assert told in text_of(answer)
    assert f'value="{change.get("agent", "claude-code")}"' in answer.content.decode()
    assert not ApiToken.objects.exists()


def test_a_token_ends_after_a_question(lotta: User) -> None:
    text = make_token(lotta, agent="claude-code")
    token = ApiToken.objects.get()
    browser, url = browser_of(lotta), f"/settings/tokens/{token.ref}/revoke"
    question = browser.get(url, headers=htmx("dialog"))
    assert "<html" not in question.content.decode()
    assert "Revoke the token of claude-code?" in text_of(question)
    asking = {"Authorization": f"Bearer {text}"}
    assert browser_of().get("/api/v1/items", headers=asking).status_code == 200
    assert browser.post(url).status_code == 302
    assert browser_of().get("/api/v1/items", headers=asking).status_code == 401
    assert "refused from now on" in text_of(browser.get("/settings/tokens"))


def test_another_persons_token_is_not_there(lotta: User) -> None:
    make_token(make_owner("bo"))
    token = ApiToken.objects.get()
    browser = browser_of(lotta)
    assert token.ref not in browser.get("/settings/tokens").content.decode()
    theirs = browser.post(f"/settings/tokens/{token.ref}/revoke")
    unknown = browser.post("/settings/tokens/aaaaaaaaaaaa/revoke")
    assert theirs.status_code == unknown.status_code == 404
    assert theirs.content == unknown.content
    token.refresh_from_db()
    assert token.revoked_at is None


def test_a_new_token_waits_for_its_first_call_and_says_when_it_came(lotta: User) -> None:
    browser = browser_of(lotta)
    made = browser.post("/settings/tokens", {**FORM, "agent": "coder"})
    token = ApiToken.objects.get(agent__name="coder")
    path = f"/settings/tokens/{token.ref}/called"
    waiting = f'hx-get="{path}" hx-trigger="every 2s"'
    assert waiting in made.content.decode()
    assert waiting in browser.get(path, headers=htmx("tokens-called")).content.decode()

    token.last_used_at = timezone.now()
    token.save(update_fields=["last_used_at"])

    called = browser.get(path, headers=htmx("tokens-called")).content.decode()
    assert "coder called" in text_of(browser.get(path))
    assert "hx-trigger" not in called
    assert "/memories/context?agent=coder" in called


def test_nobody_hears_of_a_token_of_another_owner(lotta: User) -> None:
    bobs, own = make_owner("bob"), browser_of(lotta)
    make_token(bobs, agent="coder")
    assert own.get(f"/settings/tokens/{bobs.tokens.get().ref}/called").status_code == 404
    assert browser_of(bobs).get(f"/settings/tokens/{bobs.tokens.get().ref}/called").status_code == 200


def test_the_text_of_a_token_stands_on_no_button(lotta: User) -> None:
    browser = browser_of(lotta)
    item = propose(lotta, "Deploys go through Frankfurt.")
    browser.post(f"/review/{item.ref}/accept", {"revision": 1}, headers=htmx("review-item"))
    page = browser.post("/settings/tokens", FORM).content.decode()
    button = page[page.index('data-key="u"') : page.index("</button>", page.index('data-key="u"'))]
    assert "Undo" in button
    assert "pf_" not in button
