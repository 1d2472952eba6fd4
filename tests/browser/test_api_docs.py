"""The API page runs under the content security policy of the product, from our own files alone."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.watch import Watch
from tests.factories import make_owner, make_token
from tests.live import Live

pytestmark = pytest.mark.browser


def test_the_api_page_lists_every_tool_and_complains_of_nothing(live: Live, chromium: Browser, watch: Watch) -> None:
    token = make_token(make_owner("alice"))
    context = chromium.new_context(extra_http_headers={"Authorization": f"Bearer {token}"})
    page = context.new_page()
    watch.attach(page)
    hosts: set[str] = set()
    page.on("request", lambda request: hosts.add(request.url.split("/")[2]))

    page.goto(f"{live.base}/api/v1/docs")
    expect(page.get_by_text("/api/v1/tools/remember", exact=True)).to_be_visible(timeout=20_000)
    page.get_by_text("/api/v1/tools/remember", exact=True).click()
    expect(page.get_by_text("Store a durable fact").first).to_be_visible()

    assert hosts == {live.base.split("/")[2]}
    context.close()
