"""What a page complained about while a test used it."""

import re
from dataclasses import dataclass, field

from playwright.sync_api import ConsoleMessage, Page

# Chromium's own line for every answer from 400 on; only the test knows whether it was meant.
_STATUS_LINE = re.compile(r"Failed to load resource: the server responded with a status of (\d{3})")
_HTMX_STATUS_LINE = re.compile(r"Response Status Error Code (\d{3}) from")

# A request given up for a newer one is meant; what really fails has a line of its own (sendError, timeout).
_GIVEN_UP = re.compile(r"^htmx:(afterRequest|sendAbort), ")


@dataclass
class Watch:
    """Collects console errors and warnings, page errors and policy reports of one page."""

    complaints: list[str] = field(default_factory=list)
    expected: set[int] = field(default_factory=set)

    def attach(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.complaints.append(f"page error: {error}"))

    def expect(self, *statuses: int) -> None:
        """These statuses belong to the test: the browser's line about them is no complaint."""
        self.expected.update(statuses)

    def take(self) -> list[str]:
        """The complaints so far; they no longer count."""
        taken, self.complaints = self.complaints, []
        return taken

    def _console(self, message: ConsoleMessage) -> None:
        if message.type not in {"error", "warning"} or _GIVEN_UP.match(message.text):
            return
        status = _STATUS_LINE.search(message.text) or _HTMX_STATUS_LINE.search(message.text)
        if status and int(status[1]) in self.expected:
            return
        self.complaints.append(f"{message.type}: {message.text}")
