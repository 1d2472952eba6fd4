"""The browser of the tests; a folder that needs it imports the fixture into its ``conftest``."""

import os
import shutil
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, sync_playwright

_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    """One browser for the tests of a module.

    It is gone with the module: Playwright keeps an event loop in this thread, beside which no asynchronous test and no
    second browser can run, and tests of other folders may come between two modules of this one.
    """
    found = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
    if found is None:
        pytest.skip("no Chromium on this machine (set CHROMIUM to its path)")
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    # Playwright's loop runs in this thread while tests prepare rows with the ORM.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=found, args=_ARGUMENTS)
        yield browser
        browser.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
