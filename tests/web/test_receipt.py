"""The receipt: every reader asked just now, after a decision that takes a belief away from them."""

import re

import pytest
from django.test import Client

from pawflow_web.identity.models import User
from review.models import KindName
from review.readers import readers
from tests.factories import make_principal
from tests.web.beliefs import propose, remember
from tests.web.people import htmx, text_of


def asked() -> list[str]:
    """The readers whose answer says who may use a note."""
    of_notes = [reader for reader in readers.all() if not reader.kinds or KindName.NOTE in reader.kinds]
    return [str(reader.title) for reader in of_notes if not reader.whole]


def line_of(browser: Client, note: str) -> str:
    """What the note at the edge of the page fetches."""
    found = re.search(r'hx-get="(/items/\w+/receipt\?line=1)" hx-trigger="load"', note)
    assert found is not None
    return text_of(browser.get(found[1], headers=htmx("")))


@pytest.mark.parametrize("verb", ["reject", "forget"])
def test_the_note_counts_the_readers_that_lost_it(lotta: User, browser: Client, verb: str) -> None:
    item = remember(lotta, "The canary is green.")
    answer = browser.post(f"/items/{item.ref}/{verb}", {"revision": 1}, headers=htmx(f"memories-{item.ref}"))
    assert f'href="/items/{item.ref}/receipt">See the check</a>' in answer.content.decode()
    assert line_of(browser, answer.content.decode()) == f"Gone from all {len(asked())} readers."


def test_a_rejection_from_the_queue_has_its_receipt(lotta: User, browser: Client) -> None:
    item = propose(lotta, "The canary is green.")
    answer = browser.post(f"/review/{item.ref}/reject", {"revision": 1}, headers=htmx("review-item"))
    assert line_of(browser, answer.content.decode()) == f"Gone from all {len(asked())} readers."


@pytest.mark.parametrize("path", ["/items/{}/reject", "/review/{}/reject", "/items/{}/forget"])
def test_without_a_script_the_page_says_it_at_once(lotta: User, browser: Client, path: str) -> None:
    item = propose(lotta, "The canary is green.")
    answer = browser.post(path.format(item.ref), {"revision": 1}, follow=True)
    assert f"Gone from all {len(asked())} readers." in text_of(answer)


def test_what_leaves_no_reader_has_no_receipt(lotta: User, browser: Client) -> None:
    item = propose(lotta, "The canary is green.")
    answer = browser.post(f"/review/{item.ref}/accept", {"revision": 1}, headers=htmx("review-item"))
    assert "Accepted." in text_of(answer)
    assert "receipt" not in answer.content.decode()


def test_each_reader_is_named_with_what_it_answered(lotta: User, browser: Client) -> None:
    make_principal(lotta, agent="claude-code")
    item = remember(lotta, "The canary is green.")
    before = text_of(browser.get(f"/items/{item.ref}/receipt"))
    found = [title for title in asked() if f"{title} finds it" in before]
    assert len(found) >= 7
    assert "Your agents claude-code" in before
    assert "goes to the gate" in before
    browser.post(f"/items/{item.ref}/reject", {})
    after = text_of(browser.get(f"/items/{item.ref}/receipt"))
    for title in asked():
        assert f"{title} does not" in after, title
    assert "Your agents none of them" in after
    assert "Offered again will be refused" in after
    assert re.search(r"Each was asked as you, in [\d,]+ ms together\.", after)
    assert f"0 of {len(asked())} readers find it" in after


def test_a_reader_that_still_finds_it_is_named(lotta: User, browser: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    item = remember(lotta, "The canary is green.")
    leaking = readers.find("recall")
    assert leaking is not None
    monkeypatch.setattr(
        "review.readership.receipts.readers.all",
        lambda: [type(leaking)("leak", "A forgotten copy", (), lambda _principal, _item: True), leaking],
    )
    answer = browser.post(f"/items/{item.ref}/reject", {"revision": 1}, headers=htmx(f"memories-{item.ref}"))
    assert line_of(browser, answer.content.decode()) == "Still found by: A forgotten copy."


def test_agents_read_only_what_is_theirs(lotta: User, browser: Client) -> None:
    coder = make_principal(lotta, agent="claude-code")
    make_principal(lotta, agent="codex")
    own = remember(lotta, "Answers in German.", principal=coder, scope="agent")
    everybodys = remember(lotta, "The canary is green.")
    assert "Your agents claude-code Offered" in text_of(browser.get(f"/items/{own.ref}/receipt"))
    assert "Your agents claude-code, codex Offered" in text_of(browser.get(f"/items/{everybodys.ref}/receipt"))


def test_the_page_of_a_belief_fetches_the_check_by_itself(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    page = browser.get(f"/items/{item.ref}").content.decode()
    assert re.search(rf'id="item-readers"[^>]*hx-get="/items/{item.ref}/receipt" hx-trigger="load"', page, re.DOTALL)
    part = browser.get(f"/items/{item.ref}/receipt", headers=htmx("item-readers")).content.decode()
    assert part.lstrip().startswith('<section class="card stack" id="item-readers"')
    assert 'hx-trigger="load"' not in part
