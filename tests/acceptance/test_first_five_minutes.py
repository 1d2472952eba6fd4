"""The README's walk as a user does it: start, import, decide by keyboard, let an agent recall, reject.

Nothing is shared with the code under test but its command line, its pages and its surfaces.
"""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.acceptance.running import Agent, Running, running_product
from tests.importers.files import entity, relation, written

pytestmark = [pytest.mark.browser, pytest.mark.processes]

RECORDS = (
    entity("Alice", ["prefers tabs over spaces", "works from Porto", "keeps bees"]),
    entity("Deploys", ["go through the Frankfurt cluster", "need a green canary first"], kind="Procedure"),
    entity("Bob", ["is allergic to peanuts"]),
    relation("Alice", "Bob", "knows"),
)
BELIEFS = 7
FACT = "Alice → knows → Bob"
KEPT = "Deploys: go through the Frankfurt cluster"
REJECTED = "Bob: is allergic to peanuts"


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with running_product() as product:
        yield product


def test_from_an_empty_folder_to_a_belief_that_is_gone(running: Running, chromium: Browser) -> None:
    file = str(written(running.folder, RECORDS))
    report = running.manage("import", "mcp-memory", file, "--owner", "lotta")
    assert report["items"]["needs_review"] == report["items"]["proposed"] == BELIEFS
    assert (report["records"]["relations"], report["waiting"]) == (1, {"relation": 0})
    token = running.manage(
        "token", "create", "lotta", "--agent", "coder", "--origin", "user_channel", "--abilities", "read,write"
    )["token"]
    agent = Agent(running.base, token)
    assert agent.recalls("Frankfurt cluster") == []

    page = chromium.new_context().new_page()
    page.goto(running.link)
    expect(page.locator("#panel-overview .sum")).to_contain_text(f"{BELIEFS} wait for you")
    page.locator("#panel-overview .btn.primary").click()
    page.wait_for_url("**/review")
    expect(page.locator("[data-count=needs_review]")).to_have_text(str(BELIEFS))
    for left in range(BELIEFS - 1, -1, -1):
        page.keyboard.press("a")
        if left:
            expect(page.locator("[data-count=needs_review]")).to_have_text(str(left))
    expect(page.locator("#review-heading")).to_have_text("That was the last one.")

    assert agent.recalls("Frankfurt cluster")[0] == KEPT
    assert agent.recalls_over_mcp("Frankfurt cluster")[0] == KEPT
    assert REJECTED in agent.recalls("peanuts")
    assert {KEPT, REJECTED, FACT} <= set(agent.everything())
    _, known = agent.call("kg_query", entity="bob")
    assert [(fact["subject"], fact["predicate"]) for fact in known["facts"]] == [("Alice", "knows")]

    page.goto(f"{running.base}/memories?q=peanuts")
    page.keyboard.press("j")
    page.keyboard.press("r")
    expect(page.locator("#toasts")).to_contain_text("Rejected.")
    page.context.close()

    assert agent.recalls("peanuts") == []
    assert REJECTED not in agent.everything()
    assert KEPT in agent.everything()
    assert agent.recalls("Frankfurt cluster")[0] == KEPT
    status, refused = agent.call("remember", text=REJECTED.upper(), scope="global")
    assert (status, refused["error"]["code"]) == (409, "tombstoned")
    again = running.manage("import", "mcp-memory", file, "--owner", "lotta")
    assert again["items"] == {
        "proposed": BELIEFS,
        "needs_review": 0,
        "duplicates": BELIEFS - 1,
        "tombstoned": 1,
        "invalid": 0,
    }
    assert running.manage("verify_journal", "--owner", "lotta")["ok"]


def test_the_commands_of_the_readme_exist(running: Running) -> None:
    readme = (Path(__file__).resolve().parents[2] / "README.md").read_text()
    for command in ("owner", "import", "token", "verify_journal"):
        assert f"manage.py {command}" in readme
        done = subprocess.run(
            [sys.executable, "manage.py", command, "--help"],
            cwd=Path(__file__).resolve().parents[2],
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, done.stderr
