"""Looking at a secret, and erasing a belief for good."""

from django.test import Client

from pawflow_web.identity.models import User
from review.models import GovernanceItem, Tombstone
from tests.factories import GITHUB_TOKEN
from tests.web.beliefs import propose, remember
from tests.web.people import at, htmx, status, text_of


def test_a_secret_is_shown_once_to_the_press_that_asks(lotta: User, browser: Client) -> None:
    item = propose(lotta, f"The deploy token is {GITHUB_TOKEN} for now.")
    assert GITHUB_TOKEN not in browser.get(f"/items/{item.ref}").content.decode()
    assert browser.get(f"/items/{item.ref}/reveal").status_code == 405
    shown = browser.post(f"/items/{item.ref}/reveal", headers=htmx(f"item-{item.ref}"))
    assert GITHUB_TOKEN in shown.content.decode()
    assert "no-store" in shown["Cache-Control"]
    after = browser.get(f"/items/{item.ref}")
    assert GITHUB_TOKEN not in after.content.decode()
    assert "You looked at the secret words" in text_of(after)
    assert GITHUB_TOKEN not in str(dict(browser.session))
    assert GITHUB_TOKEN in browser.post(f"/items/{item.ref}/reveal").content.decode()
    beside = browser.post(f"/items/{item.ref}/reveal", headers=htmx(f"memories-detail-{item.ref}"))
    assert GITHUB_TOKEN in beside.content.decode()
    assert beside.content.decode().lstrip().startswith("<aside")
    assert "no-store" in beside["Cache-Control"]


def test_revealing_what_is_no_secret_says_so(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    answer = browser.post(f"/items/{item.ref}/reveal", headers=htmx(f"item-{item.ref}"))
    assert answer.status_code == 409
    assert "is not secret" in text_of(answer)


def test_purging_needs_the_reference_and_leaves_a_refusal(lotta: User, browser: Client) -> None:
    item = remember(lotta, "The canary is green.")
    wrong = browser.post(f"/items/{item.ref}/purge", {"confirm": "aaaaaaaaaaaa"}, headers=at(f"/items/{item.ref}"))
    assert wrong.status_code == 422
    assert browser.post(f"/items/{item.ref}/purge", {}).status_code == 422
    assert status(item) == "active"
    done = browser.post(f"/items/{item.ref}/purge", {"confirm": f"#{item.ref}"}, follow=True)
    assert not GovernanceItem.objects.filter(pk=item.pk).exists()
    assert "Purged. Gone from all" in text_of(done)
    assert "The words are refused from now on." in text_of(done)
    assert browser.get(f"/items/{item.ref}").status_code == 404
    assert Tombstone.objects.filter(item_ref=item.ref, lifted_at=None).exists()
    refused = browser.post("/memories", {"text": "The canary is green.", "scope": "global"})
    assert refused.status_code == 409
