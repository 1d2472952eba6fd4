"""What makes somebody stay: five minutes with the dashboard alone, from an empty store to a day in the past."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.acceptance.running import Agent, Running, running_product
from tests.factories import GITHUB_TOKEN

pytestmark = [pytest.mark.browser, pytest.mark.processes]

CLAUDE_MD = f"""# CLAUDE.md

## Conventions

- Indent with 4 spaces.
- Tests run against PostgreSQL, never against SQLite.
- Deploys go through the Frankfurt cluster.
- The deploy token is {GITHUB_TOKEN} for now.

## Preferences

- Prefers dark mode.
- Indent with 2 spaces.
"""
REJECTED = "Prefers dark mode."


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with running_product() as product:
        yield product


def _pasted_checked_and_sent(page: Page) -> None:
    paste = page.get_by_label("Paste what your agent believes")
    paste.fill(CLAUDE_MD)
    page.get_by_role("button", name="Check it").click()
    found = page.locator("#checkup-result").get_by_role("status")
    expect(found).to_contain_text("6 beliefs. 1 holds a secret. 2 may contradict each other.")
    page.get_by_role("button", name=re.compile(r"Send \d to review")).click()
    page.get_by_role("link", name="Review them").click()
    expect(page.locator("[data-count=needs_review]")).to_have_text("6")


def _decided_until_the_contradiction(page: Page) -> None:
    for left in (5, 4, 3, 2, 1):
        page.keyboard.press("a")
        expect(page.locator("[data-count=needs_review]")).to_have_text(str(left))
    expect(page.locator("#review-heading")).to_contain_text("it may contradict what is in use: the numbers differ")
    expect(page.locator(".versus")).to_contain_text("Indent with")
    page.keyboard.press("w")
    expect(page.locator("#review-heading")).to_have_text("That was the last one.")


def _connected(page: Page, base: str) -> Agent:
    page.goto(base)
    page.get_by_role("link", name="Connect an agent").first.click()
    page.get_by_label("Agent", exact=False).first.fill("claude-code")
    page.get_by_role("button", name="Make token").click()
    expect(page.locator("#tokens-called")).to_contain_text("Waiting for its first call.")
    return Agent(base, page.locator("#tokens-text").inner_text())


def test_five_minutes_with_the_dashboard(running: Running, chromium: Browser) -> None:
    page = chromium.new_context(permissions=["clipboard-read", "clipboard-write"]).new_page()
    page.goto(running.link)
    expect(page.locator("#panel-overview")).to_contain_text("Nothing here yet.")

    _pasted_checked_and_sent(page)
    _decided_until_the_contradiction(page)
    agent = _connected(page, running.base)
    assert agent.recalls_over_mcp("How do we indent?") == ["Indent with 2 spaces."]
    assert agent.recalls("which mode does the user prefer")[0] == REJECTED
    expect(page.locator("#tokens-called")).to_contain_text("claude-code called")
    page.get_by_role("link", name="See what it receives").click()
    expect(page.locator("#panel-context")).to_contain_text("Indent with 2 spaces.")
    page.get_by_role("button", name="Copy all").click()
    expect(page.locator("#toasts")).to_contain_text("Context copied")
    copied = page.evaluate("navigator.clipboard.readText()")
    assert copied.endswith(agent.context())
    assert copied.startswith("## Tool selection\n")
    page.goto(running.base)
    expect(page.locator("#overview-at-work")).to_contain_text("Indent with 2 spaces.")

    page.goto(f"{running.base}/memories?q=dark")
    page.keyboard.press("j")
    page.keyboard.press("r")
    expect(page.locator("#toasts")).to_contain_text(re.compile(r"Gone from all \d+ readers"))
    page.get_by_role("link", name="See the check").click()
    expect(page.locator("#panel-receipt")).to_contain_text("refused")
    assert REJECTED not in agent.recalls("which mode does the user prefer")

    page.goto(f"{running.base}/memories")
    expect(page.locator("#memories-list .item")).to_have_count(4)
    page.keyboard.press("t")
    yesterday = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()
    page.locator("#day-known_at").fill(yesterday)
    page.keyboard.press("Enter")
    page.wait_for_url(f"**known_at={yesterday}*")
    expect(page.locator("#memories-list .item")).to_have_count(0)
    page.get_by_role("link", name="Back to now").first.click()
    expect(page.locator("#memories-list .item")).to_have_count(4)
    page.context.close()
