"""The README's walk as a user does it: start, import, decide by keyboard, let an agent recall, reject.

Nothing is shared with the code under test but its command line, its pages and its surfaces.
"""

import asyncio
import json
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
import pytest
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from playwright.sync_api import Browser, Page, expect

from tests.importers.files import entity, relation, written
from tests.startup.product import Product, manage, open_folder

pytestmark = [pytest.mark.browser, pytest.mark.processes]

RECORDS = (
    entity("Alice", ["prefers tabs over spaces", "works from Porto", "keeps bees"]),
    entity("Deploys", ["go through the Frankfurt cluster", "need a green canary first"], kind="Procedure"),
    entity("Bob", ["is allergic to peanuts"]),
    relation("Alice", "Bob", "knows"),
)
NOTES = 6
KEPT = "Deploys: go through the Frankfurt cluster"
REJECTED = "Bob: is allergic to peanuts"


@dataclass(frozen=True)
class Running:
    product: Product
    base: str
    link: str
    file: Path

    def manage(self, *arguments: str) -> dict[str, Any]:
        done = manage(self.product.data_dir, *arguments, "--json")
        assert done.returncode == 0, done.stderr
        answer: dict[str, Any] = json.loads(done.stdout)
        return answer


@pytest.fixture(scope="module")
def running() -> Iterator[Running]:
    with open_folder() as folder:
        product = Product(folder / "data", PAWFLOW_OWNER="lotta")
        try:
            printed = product.wait_ready()
            link = next(line for line in printed if line.startswith("Sign in once: ")).partition(": ")[2]
            base = f"http://127.0.0.1:{product.port}"
            yield Running(product, base, link, written(folder, RECORDS))
        finally:
            product.end()


@dataclass(frozen=True)
class Agent:
    """A client that knows nothing but an address and a token."""

    base: str
    token: str

    def call(self, tool: str, **arguments: Any) -> tuple[int, dict[str, Any]]:
        request = urllib.request.Request(
            f"{self.base}/api/v1/tools/{tool}",
            json.dumps(arguments).encode(),
            {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"},
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as reply:
                return reply.status, json.loads(reply.read())
        except urllib.error.HTTPError as error:
            with error:
                return error.code, json.loads(error.read())

    def recalls(self, query: str) -> list[str]:
        status, found = self.call("recall", query=query)
        assert status == 200
        return [item["text"] for item in found["items"]]

    def recalls_over_mcp(self, query: str) -> list[str]:
        async def ask() -> list[str]:
            async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {self.token}"}) as http:
                transport = streamable_http_client(f"{self.base}/mcp", http_client=http)
                async with Client(transport) as client:
                    found = await client.call_tool("recall", {"query": query})
                    assert not found.is_error
                    return [item["text"] for item in found.structured_content["items"]]

        # Playwright keeps an event loop of its own in this thread.
        with ThreadPoolExecutor(1) as other:
            return other.submit(asyncio.run, ask()).result(timeout=60)

    def everything(self) -> list[str]:
        request = urllib.request.Request(
            f"{self.base}/api/v1/export", headers={"Authorization": f"Bearer {self.token}"}
        )
        with urllib.request.urlopen(request, timeout=30) as reply:
            rows = [json.loads(line) for line in reply.read().splitlines()]
        assert rows[0]["type"] == "header"
        return [row["text"] for row in rows[1:]]


def _show(page: Page, text: str) -> None:
    """Walk down the queue until the waiting belief is in view."""
    for _ in range(NOTES):
        if text in page.locator("#review-item").inner_text():
            return
        page.keyboard.press("j")
        page.wait_for_load_state("networkidle")
    raise AssertionError(f"{text} is not in the queue")


def test_from_an_empty_folder_to_a_belief_that_is_gone(running: Running, chromium: Browser) -> None:
    report = running.manage("import", "mcp-memory", str(running.file), "--owner", "lotta")
    assert report["items"]["needs_review"] == report["items"]["proposed"] == NOTES
    assert report["waiting"] == {"relation": 1}
    token = running.manage(
        "token", "create", "lotta", "--agent", "coder", "--origin", "user_channel", "--abilities", "read,write"
    )["token"]
    agent = Agent(running.base, token)
    assert agent.recalls("Frankfurt cluster") == []

    page = chromium.new_context().new_page()
    page.goto(running.link)
    expect(page.locator("#panel-overview .sum")).to_contain_text(f"{NOTES} wait for you")
    page.locator("#panel-overview .btn.primary").click()
    page.wait_for_url("**/review")
    expect(page.locator("[data-count=needs_review]")).to_have_text(str(NOTES))
    for left in range(NOTES - 1, -1, -1):
        page.keyboard.press("a")
        if left:
            expect(page.locator("[data-count=needs_review]")).to_have_text(str(left))
    expect(page.locator("#review-heading")).to_have_text("That was the last one.")

    assert agent.recalls("Frankfurt cluster")[0] == KEPT
    assert agent.recalls_over_mcp("Frankfurt cluster")[0] == KEPT
    assert REJECTED in agent.recalls("peanuts")
    assert {KEPT, REJECTED} <= set(agent.everything())

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
    again = running.manage("import", "mcp-memory", str(running.file), "--owner", "lotta")
    assert again["items"] == {
        "proposed": NOTES,
        "needs_review": 0,
        "duplicates": NOTES - 1,
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
